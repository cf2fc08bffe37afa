import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { purgeGrants } from '../../../src/domain/oauth/access.ts'
import { purgeClients } from '../../../src/domain/oauth/client.ts'
import { DAY, MINUTE } from '../../../src/lib/clock.ts'
import { exchange, makeUser, newCode, registerApp, signIn } from '../../support/oauth.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('registration', () => {
  test.each([
    'https://app.example/callback?kept=1',
    'http://localhost/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]/callback',
    'com.example.app:/callback',
    'cursor://anysphere/callback',
  ])('takes %s', async (uri) => {
    const response = await registerApp(service, { redirect_uris: [uri] })
    expect(response.status).toBe(201)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.body).toMatchObject({
      redirect_uris: [uri],
      token_endpoint_auth_method: 'none',
    })
    expect(response.body).not.toHaveProperty('client_secret')
  })

  test.each([
    'http://app.example/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost@evil.example/callback',
    'javascript:alert(1)',
    'JavaScript://x/%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://app.example/',
    'https://app.example/callback#fragment',
    'https://user:pass@app.example/callback',
    'https:///callback',
    'myapp:callback',
    'no url',
    '',
  ])('refuses %s', async (uri) => {
    const response = await registerApp(service, { redirect_uris: [uri] })
    expect(response.status).toBe(400)
    expect(response.body.error).toBe('invalid_redirect_uri')
    expect(response.body.error_description).toBeTruthy()
  })

  test.each([
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://app.example' }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://a.example'], client_name: 7 }, 'invalid_client_metadata'],
    [
      { redirect_uris: ['https://a.example'], grant_types: ['implicit'] },
      'invalid_client_metadata',
    ],
    [
      { redirect_uris: ['https://a.example'], response_types: ['token'] },
      'invalid_client_metadata',
    ],
  ])('refuses %j', async (metadata, error) => {
    const response = await registerApp(service, metadata)
    expect(response.status).toBe(400)
    expect(response.body.error).toBe(error)
  })

  test.each([
    [{}, 'redirect_uris: is required.'],
    [{ redirect_uris: [] }, 'redirect_uris: must not be empty.'],
    [{ redirect_uris: 'https://a.example' }, 'redirect_uris: must be an array.'],
    [{ redirect_uris: [5] }, 'redirect_uris.0: must be text.'],
    [{ redirect_uris: ['https://a.example'], client_name: 7 }, 'client_name: must be text.'],
    [[], 'The body: must be an object.'],
  ])('says of %j what is wrong with it', async (metadata, description) => {
    const response = await registerApp(service, metadata)
    expect(response.body.error_description).toBe(description)
  })

  test('rejects what is no JSON object', async () => {
    for (const body of ['{', '[]', 'null', '"x"', '']) {
      const response = await service.send({
        method: 'POST',
        target: '/api/oauth/register',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(response.status).toBe(400)
      expect(response.body.error).toBe('invalid_client_metadata')
    }
  })

  test('is the same one when it is sent again with its key', async () => {
    const register = (client_name: string, key: string) =>
      service.send({
        method: 'POST',
        target: '/api/oauth/register',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ redirect_uris: ['https://a.example'], client_name }),
      })
    const first = await register('An app', 'reg-1')
    const again = await register('An app', 'reg-1')
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect((await register('Another', 'reg-1')).status).toBe(409)
    expect((await register('An app', 'reg-2')).body.client_id).not.toBe(first.body.client_id)
    expect((await register('An app', 'no key')).status).toBe(400)
  })

  test('has a name that does not end in half a character', async () => {
    const metadata = { redirect_uris: ['https://a.example'], client_name: `x${'😀'.repeat(90)}` }
    const { client_name } = (await registerApp(service, metadata)).body
    expect(client_name).toMatch(/^x(?:😀)+$/u)
  })

  test('has a limit of its own', async () => {
    const other = await startService({ settings: { rateLimits: { registrationPerMinute: 2 } } })
    await registerApp(other)
    await registerApp(other)
    const third = await registerApp(other)
    expect(third.status).toBe(429)
    expect(third.body.error).toBe('rate_limited')
    expect(third.headers['retry-after']).toBeDefined()
    await other.stop()
  })

  test('is limited by the hour too: of one address, and of all', async () => {
    const other = await startService({
      settings: { trustedProxies: ['127.0.0.1'], rateLimits: { registrationPerMinute: 2 } },
    })
    const from = (address: string) =>
      other.send({
        method: 'POST',
        target: '/api/oauth/register',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ redirect_uris: ['https://a.example'] }),
      })
    const statusesOf = async (address: string, count: number) => {
      const statuses: number[] = []
      for (let index = 0; index < count; index += 1) {
        if (index % 2 === 0) other.clock.advance(MINUTE + 1)
        statuses.push((await from(address)).status)
      }
      return statuses
    }
    expect(await statusesOf('192.0.2.1', 22)).toEqual([...Array(20).fill(201), 429, 429])
    expect(await statusesOf('192.0.2.2', 1)).toEqual([201])
    await other.app.db
      .updateTable('rate_windows')
      .set({ used: 1_000 })
      .where('subject', '=', 'all registrations')
      .execute()
    const late = await from('192.0.2.3')
    expect(late.status).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(60)
    other.clock.advance(61 * MINUTE)
    expect((await from('192.0.2.1')).status).toBe(201)
    await other.stop()
  })

  test('is forgotten when nobody ever let the client in', async () => {
    const { client_id } = (await registerApp(service)).body
    await makeUser(service, 'kept@example.com')
    const code = await newCode(service, await signIn(service, 'kept@example.com'))
    await exchange(service, code)
    service.clock.advance(8 * DAY)
    await purgeClients(service.app.db, service.clock.now(), new AbortController().signal)
    const left = await service.app.db.selectFrom('oauth_clients').select('client_id').execute()
    expect(left.map((row) => row.client_id)).toContain(code.clientId)
    expect(left.map((row) => row.client_id)).not.toContain(client_id)
  })

  test('is kept for as long as a consent to it, and forgotten when three months have passed', async () => {
    await makeUser(service, 'months@example.com')
    const browser = await signIn(service, 'months@example.com')
    // Its code was never used, so that it has never been used itself.
    const { clientId } = await newCode(service, browser)
    const used = await newCode(service, browser)
    await exchange(service, used)
    const { db, clock } = service.app
    const left = async (...ids: string[]) => {
      const { signal } = new AbortController()
      await purgeGrants(db, clock.now(), signal)
      await purgeClients(db, clock.now(), signal)
      const rows = await db
        .selectFrom('oauth_clients')
        .select('client_id')
        .where('client_id', 'in', ids)
        .execute()
      return rows.map(({ client_id }) => client_id)
    }
    service.clock.advance(8 * DAY)
    expect(await left(clientId, used.clientId)).toHaveLength(2)
    service.clock.advance(24 * DAY)
    expect(await left(clientId, used.clientId)).toEqual([used.clientId])
    service.clock.advance(57 * DAY)
    expect(await left(used.clientId)).toEqual([used.clientId])
    service.clock.advance(2 * DAY)
    expect(await left(used.clientId)).toEqual([])
  })
})
