import { expect, test } from 'vitest'
import { must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { startService } from '../support/service.ts'

const ROUNDS = 15

test('two changes of an account at once are both made', async () => {
  const service = await startService()
  try {
    const userId = await makeUser(service, 'ann@example.com')
    const change = async (fields: object) =>
      must(await service.admin('PUT', `/users/${userId}`, fields), 200).body
    for (let round = 0; round < ROUNDS; round++) {
      const isOdd = round % 2 === 1
      await Promise.all([change({ operator: isOdd }), change({ disabled: isOdd })])
      expect(await change({})).toMatchObject({ operator: isOdd, disabled: isOdd })
    }
  } finally {
    await service.stop()
  }
})
