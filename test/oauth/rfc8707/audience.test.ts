import { afterAll, beforeAll, expect, test } from 'vitest'
import { exchange, makeUser, newCode, signIn } from '../../support/oauth.ts'
import { readerOf } from '../../support/reader.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await makeUser(service, 'ann@example.com')
})
afterAll(() => service.stop())

test('a token for another resource opens nothing here', async () => {
  const browser = await signIn(service, 'ann@example.com')
  const { body } = await exchange(service, await newCode(service, browser))
  const app = readerOf(() => service, body.access_token)
  expect((await app.get('/api')).status).toBe(200)
  // As after a move of the service to another address: what was issued was meant for the old one.
  await service.app.db
    .updateTable('oauth_grants')
    .set({ resource: 'https://elsewhere.example' })
    .execute()
  const response = await app.get('/api')
  expect(response.status).toBe(401)
  expect(response.body.error.code).toBe('invalid_token')
})
