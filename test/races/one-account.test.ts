import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { givePromised, transferToBuyer } from '../../src/domain/domains/transfer-to-buyer.ts'
import { POSTGRES } from '../support/database.ts'
import { must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { startService, type TestService } from '../support/service.ts'

const ROUNDS = 15

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const change = async (userId: string, fields: object) =>
  must(await service.admin('PUT', `/users/${userId}`, fields), 200).body

test('two changes of an account at once are both made', async () => {
  const userId = await makeUser(service, 'ann@example.com')
  for (let round = 0; round < ROUNDS; round++) {
    const isOdd = round % 2 === 1
    await Promise.all([change(userId, { operator: isOdd }), change(userId, { disabled: isOdd })])
    expect(await change(userId, {})).toMatchObject({ operator: isOdd, disabled: isOdd })
  }
})

test('of two operators who shut each other out at once, one is left', async () => {
  const olga = await Operator.enter(service, 'olga@example.com')
  const omar = await Operator.enter(service, 'omar@example.com')
  const shutOut = (who: Operator, other: Operator) =>
    who.post(`/operator/users/${other.userId}`, {
      do: 'update_user',
      user_id: other.userId,
      operator: 'false',
    })
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all([shutOut(olga, omar), shutOut(omar, olga)])
    const left = await Promise.all([olga, omar].map(({ userId }) => change(userId, {})))
    expect(left.filter(({ operator }) => operator)).toHaveLength(1)
    await Promise.all([olga, omar].map(({ userId }) => change(userId, { operator: true })))
  }
})

describe.skipIf(!POSTGRES)('a domain that arrives while its buyer confirms their address', () => {
  test('is theirs', async () => {
    const { app } = service
    const email = 'late@example.com'
    const id = await makeUser(service, email)
    await app.db
      .updateTable('users')
      .set({ email_confirmed_at: null })
      .where('id', '=', id)
      .execute()
    const now = app.clock.now()
    let confirmed: Promise<void> | undefined
    await inTransaction(app, async (tx) => {
      await transferToBuyer(tx, now, 'arrived.example', email, { isSimulated: true })
      confirmed = inTransaction(app, async (other) => {
        await other
          .updateTable('users')
          .set({ email_confirmed_at: now })
          .where('id', '=', id)
          .execute()
        await givePromised(other, now, { id, email, email_confirmed_at: now })
      })
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    await confirmed
    const { user_id } = await app.db
      .selectFrom('owned_domains')
      .select('user_id')
      .where('domain', '=', 'arrived.example')
      .executeTakeFirstOrThrow()
    expect(user_id).toBe(id)
  })
})
