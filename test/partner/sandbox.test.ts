import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MARKETPLACE_PARTNER } from '../../src/domain/partners/partner.ts'
import { HOUR } from '../../src/lib/clock.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { eventsOf, freshName, ledgerOf, must, operate, refusal } from '../support/market.ts'
import { orderBody, quote, repeatOrder, sell, sold } from '../support/sale.ts'
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

const MOVES = ['clear-review', 'start-transfer', 'complete-transfer', 'fail-transfer'] as const
const ENDPOINTS = [
  ...MOVES.map((move) => `/sandbox/orders/ord_00000000000000000000000000/${move}`),
  '/sandbox/settlement-runs',
  '/sandbox/reset',
]

describe('the endpoints of the sandbox', () => {
  test.each(ENDPOINTS)('%s is not there for a live credential', async (path) => {
    const live = await service.partner({ environment: 'live' })
    const reader = await service.partner({ environment: 'live', scopes: ['search'] })
    for (const client of [live, reader]) {
      expect(refusal(await client.post(path))).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test.each(ENDPOINTS)('%s needs the scope buy', async (path) => {
    const reader = await service.partner({ scopes: ['search', 'report', 'webhook', 'broker'] })
    expect(refusal(await reader.post(path))).toEqual({ status: 403, code: 'forbidden' })
  })

  test.each(MOVES)("%s moves no one else's order, and none of live", async (move) => {
    const { public_id } = await sold(other, await freshName(service))
    const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
    const liveOrder = await sold(live, await freshName(service, 'live'))
    for (const id of [public_id, liveOrder.public_id, 'ord_00000000000000000000000000', 'x']) {
      const response = await partner.post(`/sandbox/orders/${id}/${move}`)
      expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('lead an order through its whole life', async () => {
    const domain = await freshName(service, 'sandbox', { label: 'manual-review' })
    const { public_id } = await sold(partner, domain)
    const move = async (name: string, body = {}) =>
      must(await partner.post(`/sandbox/orders/${public_id}/${name}`, body), 200).body
    expect(await move('clear-review')).toMatchObject({ held: false, hold_reason: null })
    expect(await move('start-transfer')).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' })
    expect(await move('fail-transfer', { reason: 'Locked.' })).toMatchObject({
      status: 'EXTERNALLY_PAID',
      held: true,
      transfer: { status: 'failed', reason: 'Locked.' },
    })
    expect(await move('start-transfer')).toMatchObject({ held: false })
    expect(await move('complete-transfer')).toMatchObject({ status: 'TRANSFER_COMPLETED' })
    const run = must(await partner.post('/sandbox/settlement-runs'), 201)
    expect(run.body.order_count).toBe(1)
    expect((await partner.get(`/orders/${public_id}`)).body.status).toBe('SETTLED')
  })

  test("the run closes the caller's own period only", async () => {
    const [one, two] = [await service.partner(), await service.partner()]
    for (const client of [one, two]) {
      const { public_id } = await sold(client, await freshName(service))
      await operate(service, public_id, 'start', 'complete')
    }
    const live = await service.partner({ partner_id: one.partner_id, environment: 'live' })
    const liveOrder = await sold(live, await freshName(service, 'live'))
    await operate(service, liveOrder.public_id, 'start', 'complete')
    must(await one.post('/sandbox/settlement-runs'), 201)
    const openOrders = async (client: PartnerClient) =>
      (await client.get('/settlements')).body.settlements[0].order_count
    expect([await openOrders(one), await openOrders(two), await openOrders(live)]).toEqual([
      0, 1, 1,
    ])
  })
})

describe('the fixed names', () => {
  test.each(['test', 'example'])('are all for sale under .%s', async (tld) => {
    for (const label of ['price-moves', 'manual-review', 'transfer-fails', 'sold-meanwhile']) {
      const { body } = await partner.get(`/domains/${label}.${tld}`)
      expect(body).toMatchObject({ status: 'listed', metadata: { test: true } })
    }
  })

  test('price-moves: the price holds for the holder, any other is a mismatch', async () => {
    const offered = await quote(partner, 'price-moves.test')
    const { price_cents: moved } = (await partner.get('/pricing?domain=price-moves.test')).body
    expect(moved).not.toBe(offered.price_cents)
    const wrong = await partner.post('/orders', orderBody(offered, { sale_price_cents: moved }))
    expect(refusal(wrong)).toEqual({ status: 422, code: 'price_mismatch' })
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(201)
  })

  test('manual-review: the order is held', async () => {
    expect(await sold(partner, 'manual-review.test')).toMatchObject({ held: true })
  })

  test('transfer-fails: completing the transfer fails it', async () => {
    const { public_id } = await sold(partner, 'transfer-fails.test')
    must(await partner.post(`/sandbox/orders/${public_id}/start-transfer`), 200)
    const response = await partner.post(`/sandbox/orders/${public_id}/complete-transfer`)
    expect(response.body).toMatchObject({ status: 'EXTERNALLY_PAID', held: true })
  })

  test('price-moves: however often it is quoted, the price moves, and stays a price', async () => {
    const { floor_price_cents } = (await partner.get('/domains/price-moves.example')).body
    for (let round = 0; round < 20; round++) {
      const offered = await quote(partner, 'price-moves.example')
      const { price_cents: moved } = (await partner.get('/pricing?domain=price-moves.example')).body
      expect(moved).not.toBe(offered.price_cents)
      expect(moved).toBeGreaterThanOrEqual(floor_price_cents)
      expect(moved).toBeLessThanOrEqual(2 * floor_price_cents)
      must(await partner.delete(`/quotes/${offered.quote_id}`), 200)
    }
  })

  test('sold-meanwhile: the order is rejected as sold, and so is the next', async () => {
    const others = await service.partner()
    for (const buyer of [partner, others]) {
      const offered = await quote(buyer, 'sold-meanwhile.test')
      expect(await quote(buyer, 'sold-meanwhile.test')).toEqual(offered)
      expect((await buyer.get('/domains/sold-meanwhile.test')).body.status).toBe('sold')
      expect((await buyer.get('/pricing?domain=sold-meanwhile.test')).status).toBe(404)
      const response = await buyer.post('/orders', orderBody(offered))
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.message).toContain('sold')
      const next = await buyer.post('/checkout-session', { domain: 'sold-meanwhile.test' })
      expect(refusal(next)).toEqual({ status: 409, code: 'conflict' })
      must(await buyer.delete(`/quotes/${offered.quote_id}`), 200)
      expect((await buyer.get('/domains/sold-meanwhile.test')).body.status).toBe('listed')
    }
  })

  test('mean nothing in live', async () => {
    const live = await service.partner({ environment: 'live' })
    for (const label of ['price-moves', 'manual-review', 'sold-meanwhile']) {
      const domain = await freshName(service, 'live', { label })
      expect(await sold(live, domain)).toMatchObject({ held: false, sale_price_cents: 10_000 })
    }
  })
})

describe('POST /sandbox/reset', () => {
  test('removes more than one statement has time for', async () => {
    const client = await service.partner()
    const order = await sold(client, await freshName(service))
    const { db } = service.app
    await repeatOrder(service, order, 5001)
    await sql`insert into events select copy.* from events e, generate_series(1, 5001) as n,
        jsonb_populate_record(e, jsonb_build_object('id', e.id || n, 'position', e.position + n)) as copy
      where e.partner_id = ${client.partner_id}`.execute(db)
    must(await client.post('/sandbox/reset'), 200)
    expect((await client.get('/orders')).body.orders).toEqual([])
    expect(await eventsOf(client)).toEqual([])
    const { rows } = await sql`select status, count(*)::int as count from listings
      where environment = 'sandbox' and domain like ${`%${order.domain}`} group by status`.execute(
      db,
    )
    expect(rows).toEqual([{ status: 'listed', count: 5002 }])
  })

  const seed: { domain: string; price_cents: string; floor_price_cents: string }[] = parse(
    readFileSync(new URL('../../seed/sandbox-listings.csv', import.meta.url)),
    { columns: true },
  )

  test('takes everything of the caller back and lists the seed as it was', async () => {
    const client = await service.partner()
    const order = await sold(client, await freshName(service))
    await operate(service, order.public_id, 'start', 'complete')
    must(await client.post('/sandbox/settlement-runs'), 201)
    const refunded = await sold(client, await freshName(service))
    must(await client.post('/refunds', { public_id: refunded.public_id }), 201)
    const running = await quote(client, await freshName(service))
    await sold(client, '101recipes.test')
    await quote(client, 'price-moves.example')
    await sell(client, 'sold-meanwhile.example')
    await service.list('sandbox', '360views.example,1,,USD')

    const response = must(await client.post('/sandbox/reset'), 200)
    expect(response.body).toEqual({ reset: true, seed_listings: seed.length })

    expect((await client.get('/orders')).body.orders).toEqual([])
    expect(await eventsOf(client)).toEqual([])
    expect((await client.get(`/quotes/${running.quote_id}`)).status).toBe(404)
    const { settlements } = (await client.get('/settlements')).body
    expect(settlements).toMatchObject([{ status: 'open', order_count: 0 }])
    const own = { partnerId: client.partner_id, environment: 'sandbox' } as const
    expect(await ledgerOf(service, own)).toEqual([])
    for (const { domain } of [order, refunded, running]) {
      expect((await client.get(`/domains/${domain}`)).body.status).toBe('listed')
    }
    for (const row of seed) {
      const { body } = await client.get(`/domains/${row.domain}`)
      expect(body).toMatchObject({
        price_cents: Number(row.price_cents),
        floor_price_cents: Number(row.floor_price_cents),
      })
    }
    for (const domain of ['101recipes.test', 'price-moves.example', 'sold-meanwhile.example']) {
      expect((await client.get(`/domains/${domain}`)).body.status).toBe('listed')
    }
  })

  test('frees the names that testers bought on the marketplace’s own pages', async () => {
    const client = await service.partner({ affiliate: true })
    const link = must(await client.post('/links', { type: 'generic' }), 201).body
    const [anyone, referred] = [new Buyer(service), new Buyer(service)]
    await anyone.pay('/d/3dprintshop.test')
    await referred.visit(link.url)
    await referred.pay('/d/360views.example')
    expect(anyone.publicId).toBeDefined()
    expect(referred.publicId).toBeDefined()
    const receipt = anyone.path
    must(await client.post('/sandbox/reset'), 200)
    for (const domain of ['3dprintshop.test', '360views.example']) {
      expect((await client.get(`/domains/${domain}`)).body.status).toBe('listed')
    }
    expect((await anyone.visit(receipt)).status).toBe(404)
    const marketplace = { partnerId: MARKETPLACE_PARTNER, environment: 'sandbox' } as const
    expect(await ledgerOf(service, marketplace)).toEqual([])
    await anyone.pay('/d/3dprintshop.test')
    expect(anyone.publicId).toBeDefined()
    must(await client.post('/sandbox/reset'), 200)
  })

  test('takes what was refunded or disputed there out of the marketplace’s books', async () => {
    const client = await service.partner()
    const payment = async (publicId: string) => {
      const path = `/payments?environment=sandbox&public_id=${publicId}`
      return must(await service.admin('GET', path), 200).body.payments[0]
    }
    const buy = async () => {
      const buyer = new Buyer(service)
      await buyer.pay(`/d/${await freshName(service)}`)
      return buyer.publicId ?? ''
    }
    const [refunded, disputed, failed] = [await buy(), await buy(), await buy()]
    await operate(service, refunded, 'refund')
    await operate(service, failed, 'refund')
    const { id } = await payment(disputed)
    must(await service.admin('POST', `/payments/${id}/play/dispute`), 200)
    await expect
      .poll(async () => (await payment(refunded)).status, { timeout: 8_000 })
      .toBe('refunded')
    await expect
      .poll(async () => (await payment(failed)).status, { timeout: 8_000 })
      .toBe('refunded')
    const path = `/payments/${(await payment(failed)).id}`
    must(await service.admin('POST', `${path}/play/fail-refund`), 200)
    must(await service.admin('POST', `${path}/refund/paid`, {}), 200)
    must(await client.post('/sandbox/reset'), 200)
    const marketplace = { partnerId: MARKETPLACE_PARTNER, environment: 'sandbox' } as const
    expect(await ledgerOf(service, marketplace)).toEqual([])
  })

  test('is always the same: what happened can happen again', async () => {
    const client = await service.partner()
    for (let round = 0; round < 2; round++) {
      must(await client.post('/sandbox/reset'), 200)
      const order = await sold(client, '3dprintshop.test')
      await operate(service, order.public_id, 'start', 'complete')
      const run = must(await client.post('/sandbox/settlement-runs'), 201)
      expect(run.body.order_count).toBe(1)
      const types = (await eventsOf(client)).map(({ type }) => type)
      expect(types).toEqual([
        'order.recorded',
        'order.transfer_started',
        'order.transfer_completed',
        'order.settled',
      ])
    }
    must(await client.post('/sandbox/reset'), 200)
  })

  test('leaves other partners and live as they are', async () => {
    const client = await service.partner()
    const neighbour = await service.partner()
    const live = await service.partner({ partner_id: client.partner_id, environment: 'live' })
    const theirs = await sold(neighbour, '3dprintshop.test')
    await operate(service, theirs.public_id, 'start', 'complete')
    const held = await quote(neighbour, await freshName(service))
    const seedHeld = await quote(neighbour, '101recipes.test')
    const liveOrder = await sold(live, await freshName(service, 'live'))
    const liveQuote = await quote(live, await freshName(service, 'live'))
    const look = async () => ({
      theirs: (await neighbour.get('/orders')).body,
      events: await eventsOf(neighbour),
      settlements: (await neighbour.get('/settlements')).body,
      live: (await live.get('/orders')).body,
      liveEvents: await eventsOf(live),
      quotes: [
        (await neighbour.get(`/quotes/${held.quote_id}`)).body,
        (await neighbour.get(`/quotes/${seedHeld.quote_id}`)).body,
        (await live.get(`/quotes/${liveQuote.quote_id}`)).body,
      ],
      listings: await Promise.all(
        [theirs.domain, held.domain, seedHeld.domain].map(
          async (domain) => (await neighbour.get(`/domains/${domain}`)).body.status,
        ),
      ),
      liveListing: (await live.get(`/domains/${liveOrder.domain}`)).body,
    })
    const before = await look()
    expect(before.listings).toEqual(['sold', 'reserved', 'reserved'])
    must(await client.post('/sandbox/reset'), 200)
    expect(await look()).toEqual(before)
    const response = await neighbour.post('/orders', orderBody(seedHeld))
    expect(response.status).toBe(201)
  })

  test("does not give back a name that is sold meanwhile under another's quote", async () => {
    must(await partner.post('/sandbox/reset'), 200)
    const offered = await quote(partner, 'sold-meanwhile.test')
    must(await other.post('/sandbox/reset'), 200)
    const response = await partner.post('/orders', orderBody(offered))
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
  })

  test('leaves to others what they bought or hold since', async () => {
    const client = await service.partner()
    const neighbour = await service.partner()
    const refunded = await sold(client, await freshName(service))
    must(await client.post('/refunds', { public_id: refunded.public_id }), 201)
    await sold(neighbour, refunded.domain)
    const lapsed = await quote(client, await freshName(service))
    service.clock.advance(HOUR)
    const held = await quote(neighbour, lapsed.domain)
    must(await client.post('/sandbox/reset'), 200)
    const statusOf = async (domain: string) =>
      (await neighbour.get(`/domains/${domain}`)).body.status
    expect([await statusOf(refunded.domain), await statusOf(held.domain)]).toEqual([
      'sold',
      'reserved',
    ])
    must(await neighbour.post('/orders', orderBody(held)), 201)
  })

  test('leaves the credential and what it can do', async () => {
    const client = await service.partner()
    must(await client.post('/sandbox/reset'), 200)
    must(await client.post('/sandbox/reset'), 200)
    const { domain } = await sold(client, await freshName(service))
    expect((await client.get(`/domains/${domain}`)).body.status).toBe('sold')
  })

  test('meets orders, moves and runs of the same partner without failing', async () => {
    const client = await service.partner()
    for (let round = 0; round < 6; round++) {
      const offers = []
      for (let count = 0; count < 4; count++) {
        offers.push(await quote(client, await freshName(service)))
      }
      const { public_id } = await sold(client, await freshName(service))
      await operate(service, public_id, 'start')
      const answers = await Promise.all([
        ...offers.slice(0, 2).map((offered) => client.post('/orders', orderBody(offered))),
        client.post(`/sandbox/orders/${public_id}/complete-transfer`),
        client.post('/sandbox/reset'),
        client.post('/sandbox/settlement-runs'),
        ...offers.slice(2).map((offered) => client.post('/orders', orderBody(offered))),
        client.delete(`/quotes/${offers[3].quote_id}`),
      ])
      for (const { status } of answers) expect(status).not.toBe(500)
    }
    must(await client.post('/sandbox/reset'), 200)
    expect((await client.get('/orders')).body.orders).toEqual([])
  })
})
