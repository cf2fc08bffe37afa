import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Settings } from '../../src/core/settings.ts'
import { PartnerClient, type Result } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { startService, type TestClock, type TestService } from '../support/service.ts'

const LIMIT = 3
const MINUTE = 60_000

/** Stands still, on a whole second, unless a test moves it. */
function standingClock(): TestClock {
  let moment = Math.ceil(Date.now() / 1000) * 1000
  return {
    now: () => new Date(moment),
    advance(milliseconds) {
      moment += milliseconds
    },
  }
}

/** Starts a service for the tests around; each of them finds all limits unused. */
function serve(
  rateLimits: Partial<Settings['rateLimits']>,
  settings: Partial<Omit<Settings, 'rateLimits'>> = {},
): void {
  beforeAll(async () => {
    service = await startService({
      clock: standingClock(),
      settings: { ...settings, rateLimits },
    })
  })
  beforeEach(() => service.clock.advance(MINUTE))
  afterAll(() => service.stop())
}

let service: TestService

const stranger = (headers: Record<string, string> = {}) =>
  service.send({ method: 'GET', target: '/api/partner/v1/orders', headers })

const from = (address: string) => stranger({ 'x-forwarded-for': address })

function expectRate(response: Result, limit: number, remaining: number, reset = 60): void {
  expect(response.headers, response.text).toMatchObject({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(reset),
    'ratelimit-policy': `${limit};w=60`,
  })
}

function expectLimited(response: Result, limit: number, wait = 60): void {
  expect(response.status, response.text).toBe(429)
  expect(response.body.error.code).toBe('rate_limited')
  expect(response.headers['retry-after']).toBe(String(wait))
  expectRate(response, limit, 0, wait)
}

describe('the headers', () => {
  const PUBLIC = 1_000
  const PARTNER = 100
  serve({ publicPerMinute: PUBLIC, partnerPerMinute: PARTNER })

  test('are on every response of the partner API, whatever it is', async () => {
    const partner = await service.partner({ scopes: ['search', 'buy'] })
    let used = 0
    const asked = [
      [200, () => partner.get('/domains/petpantry.test')],
      [200, () => partner.call('HEAD', '/domains/petpantry.test')],
      [201, () => partner.post('/quotes', { domain: 'petpantry.test' })],
      [400, () => partner.post('/quotes', '{')],
      [400, () => partner.post('/orders', {}, { key: null })],
      [403, () => partner.get('/events')],
      [404, () => partner.get('/orders/unknown')],
      [415, () => partner.post('/quotes', {}, { headers: { 'content-type': 'text/plain' } })],
    ] as const
    for (const [status, ask] of asked) {
      const response = await ask()
      expect(response.status, response.text).toBe(status)
      used += 1
      expectRate(response, PARTNER, PARTNER - used)
    }
  })

  test('show the limit of the address while nobody is authenticated', async () => {
    const partner = await service.partner()
    const nonce = randomUUID()
    await partner.get('/orders', { nonce })
    let used = 0
    const asked = [
      [401, () => stranger()],
      [401, () => partner.get('/orders', { timestamp: '1' })],
      [401, () => partner.get('/orders', { canonical: () => 'other' })],
      [401, () => partner.get('/orders', { nonce })],
      [404, () => partner.get('/nothing')],
      [404, () => service.send({ method: 'GET', target: '/nothing' })],
      [405, () => partner.call('PATCH', '/orders')],
      [413, () => partner.post('/quotes', 'x'.repeat(300_000))],
      [400, () => partner.get('/orders/%zz')],
      [200, () => service.send({ method: 'GET', target: '/.well-known/jwks.json' })],
    ] as const
    for (const [status, ask] of asked) {
      const response = await ask()
      expect(response.status, response.text).toBe(status)
      used += 1
      expectRate(response, PUBLIC, PUBLIC - used)
    }
  })
})

describe('what only operators reach', () => {
  serve({ publicPerMinute: 1, partnerPerMinute: 1 })

  test.each(['/health/live', '/health/ready', '/metrics', '/api/admin/v1/partners'])(
    'has no limit: %s',
    async (target) => {
      for (let round = 0; round < 3; round++) {
        const response = await service.send({ method: 'GET', target })
        expect(response.status).not.toBe(429)
        expect(response.headers).not.toHaveProperty('ratelimit-limit')
      }
    },
  )
})

describe("a credential's limit", () => {
  serve({ publicPerMinute: 100, partnerPerMinute: LIMIT })

  async function useUp(partner: PartnerClient): Promise<void> {
    for (let left = LIMIT; left > 0; left--) {
      expectRate(await partner.get('/orders'), LIMIT, left - 1)
    }
  }

  test('may be used in one burst, and no further', async () => {
    const partner = await service.partner()
    const responses = await Promise.all(
      Array.from({ length: 4 * LIMIT }, () => partner.get('/orders')),
    )
    const good = responses.filter(({ status }) => status === 200)
    expect(good).toHaveLength(LIMIT)
    expect(good.map(({ headers }) => String(headers['ratelimit-remaining'])).toSorted()).toEqual(
      Array.from({ length: LIMIT }, (_, index) => String(index)),
    )
    for (const response of responses) if (response.status !== 200) expectLimited(response, LIMIT)
  })

  test('starts again when its minute is over, by the clock', async () => {
    const partner = await service.partner()
    await useUp(partner)
    service.clock.advance(20_500)
    expectLimited(await partner.get('/orders'), LIMIT, 40)
    service.clock.advance(39_499)
    expectLimited(await partner.get('/orders'), LIMIT, 1)
    service.clock.advance(1)
    const response = await partner.get('/orders')
    expect(response.status).toBe(200)
    expectRate(response, LIMIT, LIMIT - 1)
  })

  test('is not shut for hours when the clock is set back', async () => {
    const partner = await service.partner()
    await useUp(partner)
    service.clock.advance(-3 * 3_600_000)
    const response = await partner.get('/orders')
    service.clock.advance(3 * 3_600_000)
    expect(response.status).toBe(200)
    expectRate(response, LIMIT, LIMIT - 1)
  })

  test('is its own, not its partner’s', async () => {
    const partner = await service.partner()
    const other = await service.partner({ partner_id: partner.partner_id })
    await useUp(partner)
    expectLimited(await partner.get('/orders'), LIMIT)
    expect((await other.get('/orders')).status).toBe(200)
  })

  test('is not touched by whoever only claims its key id', async () => {
    const partner = await service.partner()
    for (let round = 0; round < 2 * LIMIT; round++) {
      await partner.get('/orders', { canonical: () => 'something else' })
    }
    expectRate(await partner.get('/orders'), LIMIT, LIMIT - 1)
  })

  test('leaves writes that exceed it without effect', async () => {
    const partner = await service.partner()
    await useUp(partner)
    expectLimited(await partner.post('/quotes', { domain: 'getdogstore.test' }), LIMIT)
    const { body } = await (await service.partner()).get('/domains/getdogstore.test')
    expect(body).toMatchObject({ status: 'listed' })
  })

  test('keeps the nonce of what exceeds it spent', async () => {
    const partner = await service.partner()
    await useUp(partner)
    const nonce = randomUUID()
    expectLimited(await partner.get('/orders', { nonce }), LIMIT)
    service.clock.advance(MINUTE)
    const replay = await partner.get('/orders', { nonce })
    expect(replay.body.error.code).toBe('replay_detected')
  })

  test('counts what is rejected for want of a scope, which comes first', async () => {
    const partner = await service.partner({ scopes: ['refer'] })
    for (const left of [2, 1, 0, 0]) {
      const response = await partner.get('/orders')
      expect(response.status).toBe(403)
      expectRate(response, LIMIT, left)
    }
  })
})

describe("an address's limit", () => {
  serve({ publicPerMinute: 2, partnerPerMinute: 10 })

  test.each([
    ['no credentials', () => stranger()],
    ['an unknown path', () => service.send({ method: 'GET', target: '/nothing' })],
    ['another method', () => service.send({ method: 'PUT', target: '/api/partner/v1/orders' })],
  ])('is used up by %s', async (_name, ask) => {
    for (const remaining of [1, 0]) expectRate(await ask(), 2, remaining)
    expectLimited(await ask(), 2)
    service.clock.advance(MINUTE)
    expectRate(await ask(), 2, 1)
  })

  test('is used up by signatures that are wrong and by replays', async () => {
    const partner = await service.partner()
    const nonce = randomUUID()
    await partner.get('/orders', { nonce })
    expectRate(await partner.get('/orders', { canonical: () => 'wrong' }), 2, 1)
    const replay = await partner.get('/orders', { nonce })
    expect(replay.body.error.code).toBe('replay_detected')
    expectRate(replay, 2, 0)
    expectLimited(await partner.get('/orders', { nonce }), 2)
    expectLimited(await partner.get('/orders', { canonical: () => 'wrong' }), 2)
  })

  test('does not touch who is authenticated', async () => {
    const partner = await service.partner()
    for (const remaining of [1, 0]) expectRate(await stranger(), 2, remaining)
    expectLimited(await stranger(), 2)
    expectRate(await partner.get('/orders'), 10, 9)
  })

  test('may be used in one burst', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => stranger()))
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(2)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(8)
  })

  test('is of the socket’s address, whatever X-Forwarded-For says', async () => {
    expectRate(await from('203.0.113.1'), 2, 1)
    expectRate(await from('203.0.113.2'), 2, 0)
    expectLimited(await from('203.0.113.3'), 2)
    expectLimited(await stranger({ forwarded: 'for=203.0.113.4', 'x-real-ip': '203.0.113.4' }), 2)
  })
})

describe('behind a proxy that is not the trusted one', () => {
  serve({ publicPerMinute: 2, partnerPerMinute: 2 }, { trustedProxies: ['10.0.0.0/8'] })

  test('the client is the proxy', async () => {
    expectRate(await from('203.0.113.1'), 2, 1)
    expectRate(await from('203.0.113.2'), 2, 0)
    expectLimited(await from('203.0.113.3'), 2)
  })
})

describe('behind a trusted proxy, the client', () => {
  serve({ publicPerMinute: 3, partnerPerMinute: 3 }, { trustedProxies: ['127.0.0.1'] })

  test('is what the proxy says', async () => {
    expectRate(await from('203.0.113.1'), 3, 2)
    expectRate(await from('203.0.113.2'), 3, 2)
    expectRate(await from('198.51.100.7, 203.0.113.1'), 3, 1)
    expectRate(await from('203.0.113.1'), 3, 0)
    expectLimited(await from('203.0.113.1'), 3)
    expectRate(await from('203.0.113.2'), 3, 1)
  })

  test('is the same on every port that the proxy adds', async () => {
    expectRate(await from('203.0.113.9'), 3, 2)
    expectRate(await from('203.0.113.9:61234'), 3, 1)
    expectRate(await from('203.0.113.8:61234'), 3, 2)
    expectRate(await from('[2001:db8:9::1]:61234'), 3, 2)
    expectRate(await from('2001:db8:9::2'), 3, 1)
  })

  test('of IPv6 is a /64, however it is written', async () => {
    expectRate(await from('2001:db8:1:2::1'), 3, 2)
    expectRate(await from('2001:db8:1:2:ffff:ffff:ffff:ffff'), 3, 1)
    expectRate(await from('2001:0DB8:0001:0002:0000::2'), 3, 0)
    expectLimited(await from('2001:db8:1:2::3'), 3)
    expectRate(await from('2001:db8:1:3::1'), 3, 2)
  })

  test('of IPv4 is the same when it is mapped into IPv6', async () => {
    expectRate(await from('203.0.113.9'), 3, 2)
    expectRate(await from('::ffff:203.0.113.9'), 3, 1)
    expectRate(await from('203.0.113.10'), 3, 2)
  })

  test('of no address counts together with all others of none', async () => {
    const noise = Array.from({ length: 200 }, () => randomUUID()).join('')
    for (const [index, address] of ['unknown', '203.0.113.1:http', noise].entries()) {
      expectRate(await from(address), 3, 2 - index)
    }
    expectLimited(await from('_hidden'), 3)
  })
})

describe.skipIf(!POSTGRES)('two instances', () => {
  serve({ publicPerMinute: LIMIT, partnerPerMinute: 10 })

  const at = (instance: TestService, { credential, partner_id }: PartnerClient) =>
    new PartnerClient(instance.baseUrl, service.clock.now, { ...credential, partner_id })

  test('share the counts of a credential and of an address', async () => {
    const other = await service.another()
    const here = await service.partner()
    const there = at(other, here)
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? here : there).get('/orders')),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
    const strangers = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, index) =>
        (index % 2 === 0 ? service : other).send({ method: 'GET', target: '/nothing' }),
      ),
    )
    expect(strangers.filter(({ status }) => status === 404)).toHaveLength(LIMIT)
  })

  test('both know of a revocation, a suspension and a rotation at once', async () => {
    const other = await service.another()
    const here = await service.partner()
    const there = at(other, here)
    for (const client of [here, there]) expect((await client.get('/orders')).status).toBe(200)

    const path = `/credentials/${here.credential.key_id}`
    const { body } = await service.admin('POST', `${path}/rotate`, { overlap_seconds: 0 })
    expect((await there.get('/orders')).body.error.code).toBe('invalid_signature')
    const rotated = new PartnerClient(other.baseUrl, service.clock.now, body)
    expect((await rotated.get('/orders')).status).toBe(200)

    const status = `/partners/${here.partner_id}/status`
    await service.admin('POST', status, { status: 'suspended' })
    expect((await rotated.get('/orders')).body.error.code).toBe('partner_not_active')
    await service.admin('POST', status, { status: 'active' })
    expect((await rotated.get('/orders')).status).toBe(200)

    await service.admin('POST', `${path}/revoke`, {})
    expect((await rotated.get('/orders')).body.error.code).toBe('credential_not_active')
    const write = await rotated.post('/quotes', { domain: 'petpantry.test' })
    expect(write.body.error.code).toBe('credential_not_active')
  })
})
