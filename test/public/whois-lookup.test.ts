import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer, refusal } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const whois = (body: unknown) =>
  service.send({
    method: 'POST',
    target: '/api/tools/whois',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('POST /api/tools/whois with the simulated registry', () => {
  test('responds for a registered name, with what registries publish', async () => {
    const response = await whois({ domain: 'example.com' })
    expect(response.status, response.text).toBe(200)
    expect(response.body).toMatchObject({
      domain: 'example.com',
      registered: true,
      registrar: { name: 'RESERVED-Internet Assigned Numbers Authority', iana_id: '376' },
      created_at: '1995-08-14T00:00:00.000Z',
      nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
      source: 'simulated',
    })
    expect(Date.parse(response.body.expires_at)).toBeGreaterThan(Date.now())
    expect(response.body.checked_at).toBe(new Date(response.body.checked_at).toISOString())
  })

  test('responds for a free name, with nothing to tell', async () => {
    const response = await whois({ domain: 'no-such-name-as-this-8842.com' })
    expect(response.body).toEqual({
      domain: 'no-such-name-as-this-8842.com',
      registered: false,
      registrar: null,
      registrant: null,
      created_at: null,
      updated_at: null,
      expires_at: null,
      status: [],
      nameservers: [],
      dnssec: null,
      source: 'simulated',
      checked_at: expect.any(String),
    })
  })

  test.each(['google.com', 'github.com', 'wikipedia.org', 'example.org'])(
    'knows %s as registered',
    async (domain) => {
      expect((await whois({ domain })).body).toMatchObject({ domain, registered: true })
    },
  )

  test('returns the same of the same name, however it is written', async () => {
    const [first, second] = [
      await whois({ domain: 'xn--mnchen-3ya.de' }),
      await whois({ domain: 'MÜNCHEN.de' }),
    ]
    expect({ ...second.body, checked_at: '' }).toEqual({ ...first.body, checked_at: '' })
    expect(first.body.domain).toBe('xn--mnchen-3ya.de')
  })

  test('names no person', async () => {
    for (const label of ['abc', 'shoes', 'cats', 'river', 'apex', 'music', 'tree']) {
      const { body } = await whois({ domain: `${label}.com` })
      if (body.registrant === null) continue
      expect(Object.keys(body.registrant)).toEqual(['organization', 'country', 'redacted'])
      expect(body.registrant.redacted).toBe(true)
    }
  })

  test('returns a name below a registered one as that one', async () => {
    expect((await whois({ domain: 'www.example.com' })).body).toMatchObject({
      domain: 'example.com',
      registered: true,
    })
  })

  test('says null of names that no registry is asked about', async () => {
    for (const domain of ['shop.test', 'name.notatld', 'co.uk', 'mailbox.google']) {
      expect((await whois({ domain })).body).toMatchObject({ domain, registered: null })
    }
  })

  test('knows the names that are listed here as registered', async () => {
    const domain = 'a-name-that-we-list-now.com'
    expect((await whois({ domain })).body.registered).toBe(false)
    await offer(service, 'sandbox', [domain])
    expect((await whois({ domain })).body.registered).toBe(false)
    await offer(service, 'live', [domain])
    const { body } = await whois({ domain })
    expect(body).toMatchObject({ registered: true, source: 'simulated' })
    expect(body.registrar).not.toBeNull()
  })

  test('knows the names that users hold as registered', async () => {
    const domain = 'a-name-that-ann-holds.com'
    expect((await whois({ domain })).body.registered).toBe(false)
    await makeUser(service, 'ann@example.com', [domain])
    expect((await whois({ domain })).body.registered).toBe(true)
  })

  test.each([
    {},
    { domain: 5 },
    { domain: null },
    { domain: '' },
    { domain: 'example' },
    { domain: '127.0.0.1' },
    { domain: 'a b.com' },
    { domain: 'exa\r\nmple.com' },
    { domain: ['example.com'] },
    { domain: `${'a'.repeat(64)}.com` },
    { domain: '__proto__' },
  ])('refuses %j', async (body) => {
    expect(refusal(await whois(body))).toEqual({ status: 400, code: 'validation_error' })
  })
})
