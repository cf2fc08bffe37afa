import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import { mailsTo, must } from '../support/market.ts'
import { Browser, makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR = 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { listingHoldHours: 24 } })
})
afterAll(() => service.stop())

async function tokenOf(email: string, manage = true) {
  const { body } = must(await service.admin('POST', '/user-tokens', { email, manage }), 201)
  return readerOf(() => service, body.token)
}

test('what a new token lists or prices cannot be bought for 24 hours, and can be taken down', async () => {
  const email = 'held@example.com'
  await makeUser(service, email, ['held.com', 'earlier.com', 'taken-down.com'])
  const partner = await service.partner({ environment: 'live' })
  const old = await tokenOf(email)
  service.clock.advance(25 * HOUR)
  const list = (reader: typeof old, domain: string, price_cents = 90_000) =>
    reader.post('/api/domains/bulk/list_for_sale', { domains: [domain], params: { price_cents } })
  expect((await list(old, 'earlier.com')).body.succeeded).toBe(1)
  must(await partner.post('/quotes', { domain: 'earlier.com', expected_price_cents: 90_000 }), 201)
  const link = must(await partner.post('/checkout-session', { domain: 'earlier.com' }), 201).body

  const fresh = await tokenOf(email)
  expect((await list(fresh, 'held.com')).body.succeeded).toBe(1)
  expect((await list(fresh, 'taken-down.com')).body.succeeded).toBe(1)
  const rejected = await partner.post('/quotes', { domain: 'held.com' })
  expect(rejected.status).toBe(409)
  expect(rejected.body.error).toMatchObject({
    code: 'conflict',
    details: { reason: 'domain_reserved' },
    message: expect.stringMatching(
      /^held\.com was listed a short while ago, and can be bought from /,
    ),
  })
  const page = await partner.post('/checkout-session', { domain: 'held.com' })
  expect(page.status).toBe(409)
  const seen = await readerOf(() => service).get('/api/domain/search?q=held.com')
  expect(seen.status).toBeLessThan(500)

  // A price is no way round it.
  const params = { price_cents: 100, floor_price_cents: 100 }
  await fresh.post('/api/domains/bulk/set_price', { domains: ['earlier.com'], params })
  const other = await service.partner({ environment: 'live' })
  expect((await other.post('/quotes', { domain: 'earlier.com' })).status).toBe(409)
  // Nor is the quote from before, which promised nothing to a checkout.
  const buyer = new Buyer(service)
  await buyer.visit(link.checkout_url)
  expect(buyer.page.text).toContain('reserved')

  const down = await fresh.post('/api/domains/bulk/delist', {
    domains: ['taken-down.com'],
    params: {},
  })
  expect(down.body.succeeded).toBe(1)

  service.clock.advance(25 * HOUR)
  must(await partner.post('/quotes', { domain: 'held.com' }), 201)
})

test('a token that only reads holds nothing back', async () => {
  const email = 'reads@example.com'
  await makeUser(service, email, ['reads.com'])
  const managing = await tokenOf(email)
  service.clock.advance(25 * HOUR)
  await tokenOf(email, false)
  await managing.post('/api/domains/bulk/list_for_sale', {
    domains: ['reads.com'],
    params: { price_cents: 5_000 },
  })
  const partner = await service.partner({ environment: 'live' })
  must(await partner.post('/quotes', { domain: 'reads.com' }), 201)
})

test('an unlock, a change of name servers and a listing are mailed to the owner', async () => {
  const email = 'mailed@example.com'
  await makeUser(service, email, ['mailed.com', 'mailed.net'])
  const token = await tokenOf(email)
  const domains = ['mailed.com', 'mailed.net', 'not-theirs.com']
  const change = (op: string, params = {}, more = {}) =>
    token.post(`/api/domains/bulk/${op}`, { domains, params, ...more })
  await change('unlock', {}, { dry_run: true })
  expect(await mailsTo(service, email)).toEqual([])
  await change('unlock')
  await change('set_nameservers', { nameservers: ['ns1.example.com', 'ns2.example.com'] })
  await change('list_for_sale', { price_cents: 5_000 })
  await change('lock')
  expect(await mailsTo(service, email)).toEqual([
    'Transfer lock removed: 2 domains',
    'Name servers changed: 2 domains',
    'Listed for sale: 2 domains',
  ])
})

test('what is listed after a password reset cannot be bought for 24 hours', async () => {
  const email = 'reset@example.com'
  await makeUser(service, email, ['reset.com'])
  const browser = new Browser(() => service)
  // The first link proves the address, as an invitation does; the second is a reset of what is in use.
  for (const password of ['another password', 'yet another password']) {
    await browser.post('/forgot-password', { email })
    const { mails } = (await service.admin('GET', `/mails?to=${email}`)).body
    const token = /token=(\S+)/.exec(mails[0].text)?.[1] ?? ''
    expect((await browser.post('/reset-password', { token, password })).status).toBe(303)
  }
  const listed = await service.send({
    method: 'POST',
    target: '/api/domains/bulk/list_for_sale',
    headers: {
      cookie: browser.cookie ?? '',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ domains: ['reset.com'], params: { price_cents: 5_000 } }),
  })
  expect(listed.body.succeeded).toBe(1)
  const partner = await service.partner({ environment: 'live' })
  expect((await partner.post('/quotes', { domain: 'reset.com' })).status).toBe(409)
  const page = await browser.get('/d/reset.com')
  expect(page.status).toBe(200)
  service.clock.advance(25 * HOUR)
  must(await partner.post('/quotes', { domain: 'reset.com' }), 201)
})
