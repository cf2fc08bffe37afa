import { afterAll, beforeAll, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import { must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const NAMES = ['by-market.com', 'by-lander.com', 'by-partner.com', 'by-link.com']

let service: TestService
beforeAll(async () => {
  service = await startService({
    settings: { sellerBps: { market: 1_500, lander: 500, partner: 3_000 } },
  })
  await makeUser(service, 'ann@example.com', NAMES)
  const { token } = (await service.admin('POST', '/user-tokens', { email: 'ann@example.com' })).body
  const listed = await readerOf(() => service, token).post('/api/domains/bulk/list_for_sale', {
    domains: NAMES,
    params: { price_cents: 100_000 },
  })
  expect(listed.body.succeeded).toBe(NAMES.length)
})
afterAll(() => service.stop())

/** What the seller of the name gets for its only sale. */
async function shareOf(domain: string): Promise<number> {
  const { body } = must(
    await service.admin('GET', `/orders?domain=${domain}&environment=live`),
    200,
  )
  const { public_id } = body.orders[0]
  return must(await service.admin('GET', `/orders/${public_id}`), 200).body.seller_cents
}

test('what the marketplace takes of a seller depends on where the buyer came from', async () => {
  await new Buyer(service).pay('/d/by-market.com')
  expect(await shareOf('by-market.com')).toBe(85_000)

  // The button of the lander.
  await new Buyer(service).pay('/d/by-lander.com/checkout')
  expect(await shareOf('by-lander.com')).toBe(95_000)

  const partner = await service.partner({ environment: 'live', affiliate: true })
  await sold(partner, 'by-partner.com')
  expect(await shareOf('by-partner.com')).toBe(70_000)

  // A tracked link brings the buyer to our page.
  const link = must(
    await partner.post('/links', { type: 'domain', domain: 'by-link.com' }),
    201,
  ).body
  const follower = new Buyer(service)
  await follower.visit(link.url)
  await follower.pay('/d/by-link.com')
  expect(await shareOf('by-link.com')).toBe(70_000)
})
