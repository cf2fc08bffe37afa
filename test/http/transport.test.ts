import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser, makeUser, PASSWORD } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

const NULL_ORIGIN = { origin: 'null' }

describe('a service on plain http that other machines reach', () => {
  let service: TestService
  let ann: Browser
  beforeAll(async () => {
    service = await startService({ settings: { baseUrl: 'http://192.0.2.2:4302' } })
    await makeUser(service, 'ann@example.com', ['ann.example'])
    ann = new Browser(() => service)
  })
  afterAll(() => service.stop())

  test('takes the forms of its own pages, of which no browser tells where they come from', async () => {
    const form = { email: 'ann@example.com', password: PASSWORD }
    expect((await ann.post('/sign-in', form, NULL_ORIGIN)).status).toBe(303)
    expect((await ann.post('/account/tokens', { label: 'a' }, NULL_ORIGIN)).status).toBeLessThan(
      400,
    )
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await ann.post('/sign-in', form, headers)).status).toBe(403)
    }
  })

  test('stays strict with its JSON endpoint, where scripts send their true origin', async () => {
    const response = await service.send({
      method: 'POST',
      target: '/api/domains/bulk/lock',
      headers: { 'content-type': 'application/json', cookie: ann.cookie ?? '', ...NULL_ORIGIN },
      body: JSON.stringify({ domains: ['ann.example'], params: {} }),
    })
    expect(response.status).toBe(403)
  })
})

test.each(['http://localhost:3000', 'https://market.example'])(
  'a form with the origin null is refused at %s, where browsers tell where it comes from',
  async (baseUrl) => {
    const service = await startService({ settings: { baseUrl } })
    await makeUser(service, 'ann@example.com')
    const form = { email: 'ann@example.com', password: PASSWORD }
    const response = await new Browser(() => service).post('/sign-in', form, NULL_ORIGIN)
    expect(response.status).toBe(403)
    await service.stop()
  },
)

test('only a service at an https address tells browsers to come by https', async () => {
  for (const [baseUrl, told] of [
    ['http://localhost:3000', undefined],
    ['https://market.example', 'max-age=31536000'],
  ] as const) {
    const service = await startService({ settings: { baseUrl } })
    for (const target of ['/', '/health/live', '/api/market/listings', '/nothing', '/%']) {
      const { headers } = await service.send({ method: 'GET', target })
      expect(headers['strict-transport-security']).toBe(told)
    }
    await service.stop()
  }
})
