import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freshTarget, openCase, placeListing } from '../support/brokerage.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import {
  eventsOf,
  eventTypes,
  freshName,
  ledgerOf,
  must,
  operate,
  refusal,
} from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { orderBody, quote, repeatOrder, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterEach(closeReceivers)
afterAll(() => service.stop())

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

async function advance(seconds: number, partner = client) {
  return must(await partner.post('/sandbox/clock', { advance_seconds: seconds }), 200).body
}

describe('POST /sandbox/clock', () => {
  test('lets quotes lapse, and their domains be had again', async () => {
    const lapsing = await quote(client, await freshName(service))
    await advance(9 * MINUTE)
    expect((await client.get(`/quotes/${lapsing.quote_id}`)).body.status).toBe('active')
    const { domain } = lapsing
    expect((await client.get(`/domains/${domain}`)).body.status).toBe('reserved')
    expect((await client.post('/quotes', { domain })).body.quote_id).toBe(lapsing.quote_id)
    expect(await advance(MINUTE)).toMatchObject({ advanced_seconds: 60, quotes_expired: 1 })
    expect((await client.get(`/quotes/${lapsing.quote_id}`)).body.status).toBe('expired')
    expect(refusal(await client.post('/orders', orderBody(lapsing)))).toEqual({
      status: 422,
      code: 'quote_expired',
    })
    expect((await client.get(`/domains/${domain}`)).body.status).toBe('listed')
    expect((await quote(client, domain)).quote_id).not.toBe(lapsing.quote_id)
  })

  test('lets checkout links lapse', async () => {
    const domain = await freshName(service)
    const session = must(await client.post('/checkout-session', { domain }), 201).body
    const response = await advance(7 * DAY)
    expect(response.checkout_sessions_expired).toBeGreaterThanOrEqual(1)
    const read = (await client.get(`/checkout-session/${session.id}`)).body
    expect(read.status).toBe('expired')
    const { pathname, search } = new URL(session.checkout_url)
    const page = await service.send({ method: 'GET', target: pathname + search })
    expect(page.text).toContain('expired')
  })

  test('fires retries: each advance makes due what is due by then', async () => {
    const partner = await service.partner()
    const receiver = await startReceiver(500)
    must(
      await partner.put('/api/partner/webhooks', {
        url: receiver.url,
        secret: 'a-secret-of-16-or-more',
      }),
      200,
    )
    await sold(partner, await freshName(service))
    await receiver.until(1)
    await advance(6, partner)
    await receiver.until(2)
    receiver.answer(200)
    const response = await advance(6 * MINUTE, partner)
    expect(response.deliveries_due).toBe(1)
    const got = await receiver.until(3)
    expect(got.body).toBe(receiver.got[0]?.body)
    // What the receiver checks is the time of the attempt, in real time.
    const skew = Math.abs(Number(got.headers['webhook-timestamp']) - Date.now() / 1000)
    expect(skew).toBeLessThan(60)
  })

  test('switches an endpoint off that failed for five days', async () => {
    const partner = await service.partner()
    const receiver = await startReceiver(500)
    must(
      await partner.put('/api/partner/webhooks', {
        url: receiver.url,
        secret: 'a-secret-of-16-or-more',
      }),
      200,
    )
    await sold(partner, await freshName(service))
    await receiver.until(1)
    await expect
      .poll(
        async () => (await partner.get('/api/partner/webhooks/deliveries')).body.deliveries.length,
      )
      .toBe(1)
    await advance(5 * DAY, partner)
    await expect
      .poll(async () => (await partner.get('/api/partner/webhooks')).body.active, {
        timeout: 4_000,
      })
      .toBe(false)
  })

  test('closes the period of a month that is over, with events, and leaves the ledger in balance', async () => {
    const partner = await service.partner()
    const order = await sold(partner, await freshName(service))
    await operate(service, order.public_id, 'start', 'complete')
    const before = must(await partner.get(`/orders/${order.public_id}`), 200).body
    const { settlements_closed } = await advance(32 * DAY, partner)
    expect(settlements_closed).toHaveLength(1)
    const statement = must(await partner.get(`/settlements/${settlements_closed[0]}`), 200).body
    expect(statement).toMatchObject({ status: 'closed', order_count: 1 })
    expect(await eventTypes(partner)).toContain('order.settled')
    const after = must(await partner.get(`/orders/${order.public_id}`), 200).body
    expect(after.status).toBe('SETTLED')
    const moved = (at: string) => new Date(Date.parse(at) - 32 * DAY * 1000).toISOString()
    expect(after.created_at).toBe(moved(before.created_at))
    expect(after.timeline.slice(0, before.timeline.length)).toEqual(
      before.timeline.map((step: { at: string }) => ({ ...step, at: moved(step.at) })),
    )
    expect(statement.lines[0].completed_at).toBe(moved(before.timeline.at(-1).at))
    const entries = await ledgerOf(service, {
      partnerId: partner.partner_id,
      environment: 'sandbox',
    })
    expect(entries.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(0)
    expect((await partner.get('/transactions?from=2020-01-01')).body.totals.count).toBe(1)
  })

  test('leaves periods to the operator where operators close them', async () => {
    const manual = await startService({ settings: { settlementSchedule: 'manual' } })
    const partner = await manual.partner()
    await sold(partner, await freshName(manual))
    const response = must(await partner.post('/sandbox/clock', { advance_seconds: 40 * DAY }), 200)
    expect(response.body.settlements_closed).toEqual([])
    await manual.stop()
  })

  test('makes stored responses too old to be repeated after a month', async () => {
    const partner = await service.partner()
    const domain = await freshName(service)
    const ask = () => partner.post('/quotes', { domain }, { key: 'one' })
    const first = must(await ask(), 201)
    await advance(20 * DAY, partner)
    expect((await ask()).body.quote_id).toBe(first.body.quote_id)
    await advance(12 * DAY, partner)
    expect((await ask()).body.quote_id).not.toBe(first.body.quote_id)
  })

  test('moves each by as much where there are more than one statement has time for', async () => {
    const partner = await service.partner()
    const order = await sold(partner, await freshName(service))
    const { db } = service.app
    await repeatOrder(service, order, 5001)
    await sql`insert into ledger_transactions select copy.* from ledger_transactions t, generate_series(1, 5001) as n,
        jsonb_populate_record(t, jsonb_build_object('id', t.id || n, 'source', t.source || n)) as copy
      where t.source = ${order.public_id}`.execute(db)
    await sql`insert into idempotency_keys select copy.* from idempotency_keys k, generate_series(1, 5001) as n,
        jsonb_populate_record(k, jsonb_build_object('key', n / 2, 'path', k.path || n % 2)) as copy
      where k.subject = ${`${partner.partner_id}:sandbox`} and k.path like '%/orders'`.execute(db)
    const times = async () =>
      (
        await sql<{ rows: number; times: number; at: Date }>`
          select count(*)::int as rows, count(distinct at)::int as times, min(at) as at from (
            select created_at as at from orders where partner_id = ${partner.partner_id}
            union all select (timeline -> 0 ->> 'at')::timestamptz from orders
              where partner_id = ${partner.partner_id}
            union all select at from ledger_transactions where partner_id = ${partner.partner_id}
          ) as moved
          union all select count(*)::int, count(distinct expires_at)::int, min(expires_at)
          from idempotency_keys
          where subject = ${`${partner.partner_id}:sandbox`} and path ~ '/orders\\d?$'`.execute(db)
      ).rows
    const before = await times()
    await advance(DAY, partner)
    expect(await times()).toEqual(
      before.map(({ at, ...counts }) => ({ ...counts, at: new Date(at.getTime() - DAY * 1000) })),
    )
    expect(before.map(({ rows }) => rows)).toEqual([3 * 5002, 5002])
  })

  test('leaves what was told as it was: events, and the response to a repeat of the advance', async () => {
    const partner = await service.partner()
    await sold(partner, await freshName(service))
    const events = await eventsOf(partner)
    const lapsing = await quote(partner, await freshName(service))
    const repeat = () => partner.post('/sandbox/clock', { advance_seconds: 300 }, { key: 'once' })
    const first = must(await repeat(), 200)
    const second = must(await repeat(), 200)
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect(second.text).toBe(first.text)
    expect((await partner.get(`/quotes/${lapsing.quote_id}`)).body.status).toBe('active')
    expect(await eventsOf(partner)).toEqual(events)
  })

  test("touches nobody else's sandbox, and nothing of live", async () => {
    const neighbour = await service.partner()
    const live = await service.partner({ partner_id: client.partner_id, environment: 'live' })
    const held = [
      [neighbour, await quote(neighbour, await freshName(service))],
      [live, await quote(live, await freshName(service, 'live'))],
    ] as const
    const orders = [
      [neighbour, await sold(neighbour, await freshName(service))],
      [live, await sold(live, await freshName(service, 'live'))],
    ] as const
    const look = async () => [
      ...(await Promise.all(held.map(([who, { quote_id }]) => who.get(`/quotes/${quote_id}`)))),
      ...(await Promise.all(held.map(([who, { domain }]) => who.get(`/domains/${domain}`)))),
      ...(await Promise.all(orders.map(([who, { public_id }]) => who.get(`/orders/${public_id}`)))),
      ...(await Promise.all([neighbour, live].map((who) => who.get('/settlements')))),
    ]
    const before = (await look()).map(({ body }) => body)
    await advance(40 * DAY)
    expect((await look()).map(({ body }) => body)).toEqual(before)
  })

  test('is not there for a live credential', async () => {
    const live = await service.partner({ environment: 'live' })
    const response = await live.post('/sandbox/clock', { advance_seconds: 60 })
    expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
  })

  test('needs the scope buy', async () => {
    const reader = await service.partner({ scopes: ['search', 'report', 'webhook'] })
    const response = await reader.post('/sandbox/clock', { advance_seconds: 60 })
    expect(refusal(response)).toEqual({ status: 403, code: 'forbidden' })
  })

  test.each([0, -5, 1.5, 366 * DAY + 1, '60', null, undefined])(
    'refuses to advance by %j',
    async (seconds) => {
      const response = await client.post('/sandbox/clock', { advance_seconds: seconds })
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('advance_seconds')
    },
  )

  test('ends after twenty years, and starts over with a reset', async () => {
    const partner = await service.partner()
    const order = await sold(partner, await freshName(service))
    for (let year = 0; year < 19; year++) await advance(366 * DAY, partner)
    const response = await partner.post('/sandbox/clock', { advance_seconds: 366 * DAY })
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect((await partner.get(`/orders/${order.public_id}`)).status).toBe(200)
    must(await partner.post('/sandbox/reset'), 200)
    await advance(366 * DAY, partner)
  })

  test('counts sales on the day that they are of now', async () => {
    const partner = await service.partner()
    await sold(partner, await freshName(service))
    await advance(3 * DAY, partner)
    const totals = async (query: string) =>
      must(await partner.get(`/transactions${query}`), 200).body.totals.count
    const today = new Date().toISOString().slice(0, 10)
    expect(await totals('')).toBe(1)
    expect(await totals(`?from=${today}T00%3A00%3A00Z`)).toBe(0)
    expect(await totals(`?to=${today}T00%3A00%3A00Z`)).toBe(1)
  })

  test('moves cases, offers and commissions', async () => {
    const partner = await service.partner({ affiliate: true })
    const opened = must(
      await partner.post('/brokerage', {
        domain: 'someone-elses.test',
        tier: 'self_serve',
        buyer_email: 'buyer@example.com',
        budget: 500_000,
      }),
      201,
    ).body
    const play = async (path: string, body: object = {}) =>
      must(await partner.post(`/sandbox/brokerage/${opened.case_id}/${path}`, body), 200)
    for (const move of ['source', 'contact', 'negotiate']) await play(move)
    await play('agree', { price_cents: 400_000 })
    await play('complete')
    const before = must(await partner.get('/me/commissions'), 200).body
    await advance(DAY, partner)
    const after = must(await partner.get('/me/commissions'), 200).body
    expect(after.balance_cents).toBe(before.balance_cents)
    expect(Date.parse(before.entries[0].created_at) - Date.parse(after.entries[0].created_at)).toBe(
      DAY * 1000,
    )
    const read = must(await partner.get(`/brokerage/${opened.case_id}`), 200).body
    expect(Date.parse(opened.created_at) - Date.parse(read.created_at)).toBe(DAY * 1000)
  })

  test('lets no sale end a case that came after it, and a later one still', async () => {
    const partner = await service.partner()
    const open = (domain: string) => openCase(partner, { domain })
    const resold = await sold(partner, await freshName(service))
    await operate(service, resold.public_id, 'start', 'complete')
    const [after, before] = [await open(resold.domain), await open(freshTarget())]
    await advance(DAY, partner)
    await placeListing(service, partner, before.domain, 'sold')
    const source = (id: string) => partner.post(`/sandbox/brokerage/${id}/source`)
    must(await source(after.case_id), 200)
    const rejected = must(await source(before.case_id), 409)
    // The job may have been here first.
    expect(rejected.body.error.message).toMatch(/has been sold|is cancelled/)
    const read = async (id: string) => must(await partner.get(`/brokerage/${id}`), 200).body
    await expect
      .poll(async () => (await read(before.case_id)).status, { timeout: 8_000 })
      .toBe('cancelled')
    expect((await read(before.case_id)).timeline.at(-1).note).toBe('The domain was sold.')
    expect((await read(after.case_id)).status).toBe('sourcing')
  })

  test('leaves the commission of a sale on the day that it is taken from', async () => {
    const partner = await service.partner({ affiliate: true })
    const link = must(await partner.post('/links', { type: 'generic' }), 201).body
    const buyer = new Buyer(service)
    await buyer.visit(link.url)
    const buy = async () => {
      await buyer.pay(`/d/${await freshName(service)}`)
      return buyer.publicId ?? ''
    }
    const [refunded, disputed] = [await buy(), await buy()]
    const series = async () => must(await partner.get('/analytics'), 200).body.series
    const before = await series()
    await advance(3 * DAY, partner)
    await operate(service, refunded, 'refund')
    const query = `environment=sandbox&public_id=${disputed}`
    const [payment] = must(await service.admin('GET', `/payments?${query}`), 200).body.payments
    must(await service.admin('POST', `/payments/${payment.id}/play/dispute`), 200)
    expect(await series()).toEqual(before.map((day: object) => ({ ...day, commission_cents: 0 })))
  })
})
