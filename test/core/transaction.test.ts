import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const stored = () =>
  service.app.db.selectFrom('installation').select('name').where('name', 'like', 'late-%').execute()

test('what was started beside a statement that fails does not outlive its transaction', async () => {
  for (let round = 0; round < 10; round++) {
    const work = inTransaction(service.app, (tx) =>
      Promise.all([
        sql`select 1 / 0`.execute(tx),
        ...Array.from({ length: 8 }, (_, index) =>
          tx
            .insertInto('installation')
            .values({ name: `late-${round}-${index}`, value: '' })
            .execute(),
        ),
      ]),
    )
    await expect(work).rejects.toThrow(/division by zero/)
  }
  await wait(200)
  expect(await stored()).toEqual([])
})

test('what fails on its own leaves nothing of its transaction', async () => {
  const work = inTransaction(service.app, async (tx) => {
    await tx.insertInto('installation').values({ name: 'late-1', value: '' }).execute()
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  expect(await stored()).toEqual([])
})
