import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

/** So that one client may make one offer and two checkouts an hour, and all together fifty times as many. */
const rateLimits = { registrationPerMinute: 1, publicPerMinute: 2 }

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { trustedProxies: ['127.0.0.1'], rateLimits } })
  await service.list('live', 'one.com,10000,8000')
})
afterAll(() => service.stop())

const post = async (address: string, target: string, body = '') =>
  await service.send({
    method: 'POST',
    target,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': address,
    },
    body,
  })
let buyers = 0
const offer = async (address: string, amount = '50', domain = 'one.com') =>
  (await post(address, `/d/${domain}/offer`, `amount=${amount}&email=b${++buyers}@offers.example`))
    .status
const used = async (subject: string) =>
  (
    await service.app.db
      .selectFrom('rate_windows')
      .select('used')
      .where('subject', '=', subject)
      .executeTakeFirst()
  )?.used

describe('of what all clients may make together in an hour,', () => {
  test('rejected requests use up nothing', async () => {
    for (let index = 1; index <= 51; index++) {
      // More than the price.
      expect(await offer(`192.0.2.${index}`, '99999')).toBe(422)
    }
    expect(await used('all offers')).toBe(0)
    expect(await offer('198.51.100.1')).toBe(303)
    expect(await used('all offers')).toBe(1)
    // It still counts of the client alone.
    expect(await offer('192.0.2.1')).toBe(429)
  })

  test('a checkout counts once it is there', async () => {
    const before = (await used('all sessions')) ?? 0
    expect((await post('203.0.113.1', '/d/one.com')).status).toBe(303)
    expect(await used('all sessions')).toBe(before + 1)
    const partner = await service.partner({ environment: 'live' })
    expect((await partner.post('/quotes', { domain: 'one.com' })).status).toBe(201)
    expect((await post('203.0.113.2', '/d/one.com')).status).toBe(409)
    expect(await used('all sessions')).toBe(before + 1)
  })

  test('the clients of one IPv6 site have five shares', async () => {
    await service.list('live', 'two.com,10000,8000')
    const offerOnTwo = (address: string) => offer(address, '50', 'two.com')
    for (let index = 0; index < 5; index++) {
      expect(await offerOnTwo(`2001:db8:1:${index}::1`)).toBe(303)
    }
    expect(await offerOnTwo('2001:db8:1:ff::1')).toBe(429)
    expect(await offerOnTwo('2001:db8:2::1')).toBe(303)
    expect(await used('offers:site:2001:db8:1::/48')).toBe(5)
  })
})
