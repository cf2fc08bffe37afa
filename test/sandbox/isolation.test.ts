import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workOperations } from '../../src/domain/registrars/work-operations.ts'
import { FINISHERS } from '../../src/http/registrar-finishers.ts'
import { Buyer, CARDS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, must, offer, refusal } from '../support/market.ts'
import { orderBody, quote, sell, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let other: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  other = await service.partner()
})
afterAll(() => service.stop())

const CONFLICT = { status: 409, code: 'conflict' }

/** What each of the reads of a domain says of it. */
async function shown(client: PartnerClient, domain: string) {
  const [{ body: detail }, { body: availability }, price, found] = await Promise.all([
    client.get(`/domains/${domain}`),
    client.get(`/availability?domain=${domain}`),
    client.get(`/pricing?domain=${domain}`),
    client.get(`/domains/search?q=${domain}`),
  ])
  const result = found.body.results.find((one: { domain: string }) => one.domain === domain)
  return {
    status: detail.status,
    available: [detail.available, availability.available, result?.available ?? null],
    prices: [detail, availability, price.body, result].map((one) => one?.price_cents ?? null),
  }
}

const FREE = {
  status: 'listed',
  available: [true, true, true],
  prices: [10_000, 10_000, 10_000, 10_000],
}
const RESERVED = {
  status: 'reserved',
  available: [false, false, false],
  prices: [10_000, null, 10_000, 10_000],
}
const SOLD = { status: 'sold', available: [false, false, null], prices: [10_000, null, null, null] }

describe('a partner has a sandbox of its own', () => {
  test('a quote reserves the domain for its partner, and no other sees it', async () => {
    const domain = await freshName(service)
    const held = await quote(partner, domain)
    expect(await shown(partner, domain)).toEqual(RESERVED)
    expect(await shown(other, domain)).toEqual(FREE)
    const theirs = await quote(other, domain)
    must(await partner.delete(`/quotes/${held.quote_id}`), 200)
    expect(await shown(partner, domain)).toEqual(FREE)
    expect(await shown(other, domain)).toEqual(RESERVED)
    must(await other.post('/orders', orderBody(theirs)), 201)
    expect(await shown(partner, domain)).toEqual(FREE)
  })

  test('an order takes the domain off the market of its partner alone', async () => {
    const domain = await freshName(service)
    await sold(partner, domain)
    expect(await shown(partner, domain)).toEqual(SOLD)
    expect(refusal(await partner.post('/quotes', { domain }))).toEqual(CONFLICT)
    expect(await shown(other, domain)).toEqual(FREE)
    const theirs = await sold(other, domain)
    expect(await shown(other, domain)).toEqual(SOLD)
    expect((await partner.get(`/orders/${theirs.public_id}`)).status).toBe(404)
  })

  test('a refund puts the domain back for its partner alone', async () => {
    const domain = await freshName(service)
    const mine = await sold(partner, domain)
    const theirs = await sold(other, domain)
    must(await partner.post('/refunds', { public_id: mine.public_id }), 201)
    expect(await shown(partner, domain)).toEqual(FREE)
    expect(await shown(other, domain)).toEqual(SOLD)
    must(await service.admin('POST', `/orders/${theirs.public_id}/cancel`, {}), 200)
    expect(await shown(other, domain)).toEqual(FREE)
    await sold(partner, domain)
  })

  test('one that buys all there is leaves all there is to the others', async () => {
    const names = Array.from({ length: 46 }, (_, index) => `lantern-${index}.test`)
    await offer(service, 'sandbox', names)
    const search = async (client: PartnerClient) =>
      must(await client.get('/domains/search?q=lantern'), 200)
        .body.results.map((one: { domain: string }) => one.domain)
        .filter((domain: string) => names.includes(domain))
    const all = await search(other)
    expect(all).toHaveLength(5)
    const left = new Set(names.slice(0, 3))
    for (const name of names) if (!left.has(name)) await sold(partner, name)
    expect(new Set(await search(partner))).toEqual(left)
    for (const name of left) await sold(partner, name)
    expect(await search(partner)).toEqual([])
    expect(await search(other)).toEqual(all)
  })

  test('the fixed names play for each partner by themselves', async () => {
    const moving = await quote(partner, 'price-moves.test')
    const price = async (client: PartnerClient) =>
      (await client.get('/pricing?domain=price-moves.test')).body.price_cents
    expect(await price(partner)).not.toBe(moving.price_cents)
    expect(await price(other)).toBe(moving.price_cents)
    const gone = await quote(partner, 'sold-meanwhile.test')
    expect((await shown(partner, 'sold-meanwhile.test')).status).toBe('sold')
    expect((await shown(other, 'sold-meanwhile.test')).status).toBe('listed')
    for (const client of [partner, other]) {
      expect(refusal(await sell(client, 'sold-meanwhile.test'))).toEqual(CONFLICT)
      expect(await sold(client, 'manual-review.test')).toMatchObject({ held: true })
    }
    must(await partner.delete(`/quotes/${gone.quote_id}`), 200)
    expect((await shown(other, 'sold-meanwhile.test')).status).toBe('sold')
  })

  test('a payment under way holds the domain in the sandbox of its checkout', async () => {
    const domain = await freshName(service)
    const linkOf = async (client: PartnerClient) =>
      must(await client.post('/checkout-session', { domain }), 201).body.checkout_url
    const [mine, again, theirs] = [
      await linkOf(partner),
      await linkOf(partner),
      await linkOf(other),
    ]
    await new Buyer(service).pay(mine, CARDS.later)
    expect(await shown(partner, domain)).toEqual(RESERVED)
    expect((await new Buyer(service).visit(again)).text).toContain('A payment for it is under way')
    expect(await shown(other, domain)).toEqual(FREE)
    const buyer = new Buyer(service)
    await buyer.pay(theirs)
    expect(buyer.publicId).toBeDefined()
    expect(await shown(other, domain)).toEqual(SOLD)
    await expect
      .poll(async () => (await shown(partner, domain)).status, { timeout: 8_000 })
      .toBe('sold')
  })

  test('a domain that one has bought may be brokered for that one alone', async () => {
    const domain = await freshName(service)
    await sold(partner, domain)
    const reasonFor = async (client: PartnerClient) =>
      must(await client.get(`/brokerage/eligibility?domain=${domain}`), 200).body.reason
    expect([await reasonFor(partner), await reasonFor(other)]).toEqual([null, 'listed_for_sale'])
    const body = { domain, tier: 'managed', buyer_email: 'buyer@example.com', budget: 500_000 }
    expect(refusal(await other.post('/brokerage', body))).toEqual(CONFLICT)
  })
})

describe('the catalogue is the same for all', () => {
  test('an import shows for every partner, and gives back nothing that was sold', async () => {
    const domain = await freshName(service)
    await sold(partner, domain)
    const report = await service.list('sandbox', `${domain},20000,,USD`)
    expect(report).toMatchObject({ updated: 1, skipped_sold: 0 })
    const priceFor = async (client: PartnerClient) =>
      (await client.get(`/domains/${domain}`)).body.price_cents
    expect([await priceFor(partner), await priceFor(other)]).toEqual([20_000, 20_000])
    expect((await shown(partner, domain)).status).toBe('sold')
    expect((await quote(other, domain)).price_cents).toBe(20_000)
  })

  test('operators see it as it is, whatever partners did', async () => {
    const domain = await freshName(service)
    await sold(partner, domain)
    await quote(other, domain)
    const path = `/listings?environment=sandbox&q=${domain}`
    const { listings } = must(await service.admin('GET', path), 200).body
    expect(listings).toMatchObject([{ domain, status: 'listed', reserved_until: null }])
  })
})

describe('what a partner does with its own sandbox', () => {
  test('a reset gives back what the partner has, and leaves what others have', async () => {
    const [bought, held] = [await freshName(service), await freshName(service)]
    for (const client of [partner, other]) {
      await sold(client, bought)
      await quote(client, held)
      await quote(client, 'price-moves.example')
    }
    must(await partner.post('/sandbox/reset'), 200)
    expect([await shown(partner, bought), await shown(partner, held)]).toEqual([FREE, FREE])
    expect([await shown(other, bought), await shown(other, held)]).toEqual([SOLD, RESERVED])
    const priceFor = async (client: PartnerClient) =>
      (await client.get('/domains/price-moves.example')).body.price_cents
    expect(await priceFor(partner)).not.toBe(await priceFor(other))
    await sold(partner, bought)
  })

  test('a reset lets what was asked of a registrar end, though its order is gone', async () => {
    const { db } = service.app
    const work = workOperations(FINISHERS)
    const release = await holdJobs(service, work)
    const { public_id } = await sold(partner, await freshName(service))
    must(await partner.post(`/sandbox/orders/${public_id}/start-transfer`), 200)
    const operations = () =>
      db.selectFrom('registrar_operations').selectAll().where('public_id', '=', public_id).execute()
    expect(await operations()).toMatchObject([{ finished_at: null }])
    must(await partner.post('/sandbox/reset'), 200)
    service.clock.advance(3_000)
    await work.run(service.app, new AbortController().signal)
    expect(await operations()).toMatchObject([{ status: 'succeeded' }])
    await release()
  })

  test('the clock lets the reservations of the partner lapse, and no others', async () => {
    const domain = await freshName(service)
    await quote(partner, domain)
    await quote(other, domain)
    must(await partner.post('/sandbox/clock', { advance_seconds: 600 }), 200)
    expect(await shown(partner, domain)).toEqual(FREE)
    expect(await shown(other, domain)).toEqual(RESERVED)
  })
})
