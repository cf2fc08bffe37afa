import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { transact } from '../../src/kernel/database/transaction.ts'
import type { Tx } from '../../src/kernel/operation.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const stored = () =>
  service.house.db
    .selectFrom('installation')
    .select('name')
    .where('name', 'like', 'late-%')
    .execute()

type Work = (tx: Tx) => Promise<unknown>

test.each([
  ['of its own', (work: Work) => transact(service.house.server, work)],
  ["of Kysely's", (work: Work) => service.house.db.transaction().execute(work)],
])(
  'what was started beside a statement that fails does not outlive a transaction %s',
  async (_, run) => {
    for (let round = 0; round < 10; round++) {
      const work = run((tx) =>
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
  },
)

test('what fails on its own leaves nothing of its transaction', async () => {
  const work = transact(service.house.server, async (tx) => {
    await tx.insertInto('installation').values({ name: 'late-1', value: '' }).execute()
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  expect(await stored()).toEqual([])
})
