import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'
import { hmac } from './verify.ts'

const PATH = '/api/partner/webhooks'
const SECRET = 'sixteen-or-more-characters'
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let service: TestService
let sandbox: PartnerClient
let live: PartnerClient
beforeAll(async () => {
  service = await startService()
  sandbox = await service.partner()
  live = await service.partner({ environment: 'live', partner_id: sandbox.partner_id })
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

const register = (client: PartnerClient, url: unknown, secret: unknown = SECRET) =>
  client.put(PATH, { url, secret })

describe('GET /api/partner/webhooks', () => {
  test('returns 404 before anything is registered', async () => {
    const response = await sandbox.get(PATH)
    expect(response.status).toBe(404)
    expect(response.body.error.code).toBe('not_found')
  })

  test('needs the scope webhook, as does everything about webhooks', async () => {
    const { partner_id } = sandbox
    const client = await service.partner({ partner_id, scopes: ['search', 'buy', 'report'] })
    const answers = await Promise.all([
      client.get(PATH),
      client.put(PATH, { url: 'http://127.0.0.1/hook', secret: SECRET }),
      client.get(`${PATH}/deliveries`),
      client.post(`${PATH}/deliveries/att_1/resend`),
      client.post(`${PATH}/test`),
      client.get('/events'),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(403)
      expect(body.error).toMatchObject({
        code: 'forbidden',
        details: { missing_scope: 'webhook' },
      })
    }
  })
})

describe('PUT /api/partner/webhooks', () => {
  test('registers, responds without the secret, and is read back the same', async () => {
    const response = await register(sandbox, 'http://127.0.0.1:4000/hook?a=1')
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({
      url: 'http://127.0.0.1:4000/hook?a=1',
      active: true,
      created_at: expect.stringMatching(MOMENT),
    })
    expect(response.text).not.toContain(SECRET)
    const read = await sandbox.get(PATH)
    expect(read.status).toBe(200)
    expect(read.body).toEqual(response.body)
  })

  test('updates the one endpoint and keeps the moment it was made', async () => {
    const first = await register(sandbox, 'http://127.0.0.1:4000/one')
    service.clock.advance(1_000)
    const second = await register(sandbox, 'http://[::1]:4000/two')
    expect(second.body).toMatchObject({
      url: 'http://[::1]:4000/two',
      created_at: first.body.created_at,
    })
    expect(second.body.updated_at > first.body.updated_at).toBe(true)
  })

  test('keeps sandbox and live apart', async () => {
    await register(sandbox, 'http://127.0.0.1:4000/sandbox')
    expect((await live.get(PATH)).status).toBe(404)
    await register(live, 'https://example.com/live')
    expect((await live.get(PATH)).body.url).toBe('https://example.com/live')
    expect((await sandbox.get(PATH)).body.url).toBe('http://127.0.0.1:4000/sandbox')
  })

  test('signs with the new secret from then on', async () => {
    const receiver = await startReceiver()
    await register(sandbox, receiver.url, 'the-first-secret-1')
    await sandbox.post(`${PATH}/test`)
    const first = await receiver.until(1)
    await register(sandbox, receiver.url, 'the-second-secret-2')
    await sandbox.post(`${PATH}/test`)
    const second = await receiver.until(2)
    expect(first.headers['x-service-signature']).toBe(hmac('the-first-secret-1', first.body))
    expect(second.headers['x-service-signature']).toBe(hmac('the-second-secret-2', second.body))
  })

  test.each([
    ['http', 'http://example.com/hook'],
    ['a loopback address', 'https://127.0.0.1/hook'],
    ['a loopback address that is written short', 'https://127.1/hook'],
    ['a loopback address as a number', 'https://2130706433/hook'],
    ['localhost', 'https://localhost/hook'],
    ['a name under localhost', 'https://a.localhost./hook'],
    ['IPv6 loopback', 'https://[::1]/hook'],
    ['IPv4 loopback mapped to IPv6', 'https://[::ffff:127.0.0.1]/hook'],
    ['a private address', 'https://10.0.0.8/hook'],
    ['the metadata address of clouds', 'https://169.254.169.254/latest'],
    ['a link-local address', 'https://[fe80::1]/hook'],
  ])('refuses %s for live', async (_what, url) => {
    const response = await register(live, url)
    expect(response.status).toBe(400)
    expect(response.body.error).toMatchObject({
      code: 'validation_error',
      details: [{ field: 'url' }],
    })
  })

  test('says of a URL what is wrong with it, as of any field', async () => {
    const response = await register(live, 'http://example.com/hook')
    expect(response.body.error).toMatchObject({
      message: 'url: must use https',
      details: [{ field: 'url', issue: 'must use https' }],
    })
  })

  test.each([
    ['no URL at all', 'hook'],
    ['a relative URL', '/hook'],
    ['a URL without a host', 'https:hook'],
    ['another scheme', 'ftp://example.com/hook'],
    ['a user name', 'https://user@example.com/hook'],
    ['a password', 'https://user:password@example.com/hook'],
    ['a blank in it', 'https://example.com/a hook'],
    ['a line break', 'https://example.com/\nhook'],
    ['a private address', 'http://192.168.0.1/hook'],
    ['too long a URL', `https://example.com/${'a'.repeat(2_048)}`],
    ['nothing', undefined],
    ['a number', 5],
  ])('refuses %s in either environment', async (_what, url) => {
    for (const client of [sandbox, live]) {
      const response = await register(client, url)
      expect(response.status).toBe(400)
      expect(response.body.error).toMatchObject({
        code: 'validation_error',
        details: [{ field: 'url' }],
      })
    }
  })

  test('the sandbox of a service on a public address takes public https only', async () => {
    const app = await startService({ settings: { baseUrl: 'https://market.example' } })
    try {
      const client = await app.partner()
      for (const url of [
        'http://127.0.0.1:4000/hook',
        'https://127.0.0.1/',
        'http://example.com/',
      ]) {
        expect((await register(client, url)).status).toBe(400)
      }
      expect((await register(client, 'https://example.com/hook')).status).toBe(200)
    } finally {
      await app.stop()
    }
  })

  test.each([
    ['15 characters', 'x'.repeat(15)],
    ['129 characters', 'x'.repeat(129)],
    ['whsec_ before what is no base64', 'whsec_this is no base64!'],
    ['whsec_ before base64 of the other alphabet', 'whsec_AB-_CD-_EFGHIJKL'],
    ['whsec_ before base64 that lacks its end', 'whsec_AAAAAAAAAAA'],
    ['a control character', `${'x'.repeat(20)}\u0000`],
    ['nothing', undefined],
    ['a number', 1234567890123456],
  ])('refuses a secret of %s', async (_what, secret) => {
    const response = await sandbox.put(PATH, { url: 'http://127.0.0.1:4000/hook', secret })
    expect(response.status).toBe(400)
    expect(response.body.error).toMatchObject({
      code: 'validation_error',
      details: [{ field: 'secret' }],
    })
  })

  test.each([
    ['16 characters', 'x'.repeat(16)],
    ['128 characters', 'x'.repeat(128)],
    ['letters of any language', 'ключ-ключ-ключ-ключ'],
    ['base64 behind whsec_', `whsec_${Buffer.alloc(24, 9).toString('base64')}`],
  ])('takes a secret of %s', async (_what, secret) => {
    expect((await register(sandbox, 'http://127.0.0.1:4000/hook', secret)).status).toBe(200)
  })

  test('stores the secret encrypted and logs none of it', async () => {
    const secret = 'find-me-if-you-can-0123'
    await register(sandbox, 'http://127.0.0.1:4000/hook', secret)
    await register(sandbox, 'ftp://127.0.0.1/hook', secret)
    const rows = await service.app.db.selectFrom('webhook_endpoints').selectAll().execute()
    for (const row of rows) expect(Buffer.from(row.secret_sealed).includes(secret)).toBe(false)
    expect(service.logs.join('')).not.toContain(secret)
  })
})
