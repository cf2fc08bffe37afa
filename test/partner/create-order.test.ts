import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient, Result } from '../support/client.ts'
import { BAD_CENTS, BAD_DOMAINS } from '../support/inputs.ts'
import { eventsOf, freshName, ledgerOf, must, offer, refusal } from '../support/market.ts'
import { orderBody, quote, sell, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const MINUTES_MS = 60_000

let service: TestService
let partner: PartnerClient
let other: PartnerClient
/** Who wants the same names, which only the live market has in common. */
let live: PartnerClient
let rival: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  other = await service.partner()
  live = await service.partner({ environment: 'live' })
  rival = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

/** A name for sale and the partner's quote for it. */
async function quoted(options?: { label?: string; priceCents?: number }) {
  const domain = await freshName(service, 'sandbox', options)
  return quote(partner, domain)
}

async function quotedLive() {
  return quote(live, await freshName(service, 'live'))
}

/** The domain is bought by someone else, once the quotes for it have lapsed. */
async function sellToOther(domain: string): Promise<void> {
  must(await sell(rival, domain), 201)
}

function fieldsOf(response: Result): string[] {
  const fields: string[] = response.body.error.details.map(({ field }: { field: string }) => field)
  return [...new Set(fields)]
}

describe('POST /orders', () => {
  test('records the sale and takes the domain off the market', async () => {
    const response = await sell(partner, 'petpantry.test')
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({
      domain: 'petpantry.test',
      status: 'EXTERNALLY_PAID',
      held: false,
    })
    const detail = await partner.get('/domains/petpantry.test')
    expect(detail.body).toMatchObject({ status: 'sold', available: false })
  })

  test('returns the whole order', async () => {
    const offered = await quoted({ priceCents: 12_345 })
    const response = await partner.post(
      '/orders',
      orderBody(offered, {
        expected_price: 12_345,
        currency: 'usd',
        external_payment_ref: 'pay ä-1',
        buyer: { email: 'b@example.com', name: 'Bärbel', country: 'ch', password: 'not kept' },
        return_url: 'https://shop.example/thanks?x=1',
        cancel_url: 'https://shop.example/',
        colour: 'not kept',
      }),
    )
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      public_id: expect.stringMatching(/^ord_[0-9a-z]{26}$/),
      domain: offered.domain,
      status: 'EXTERNALLY_PAID',
      payment_model: 'partner_collected',
      sale_price_cents: 12_345,
      currency: 'USD',
      commission_cents: 1_234,
      amount_owed_cents: 11_111,
      held: false,
      hold_reason: null,
      quote_id: offered.quote_id,
      external_payment_ref: 'pay ä-1',
      buyer: { email: 'b@example.com', name: 'Bärbel', country: 'CH' },
      return_url: 'https://shop.example/thanks?x=1',
      cancel_url: 'https://shop.example/',
      delivery: { method: 'auth_code', account: null, registrar_iana_id: null },
      transfer: {
        status: 'pending',
        started_at: null,
        completed_at: null,
        reason: null,
        registrar: null,
        code_available: false,
        expected_by: null,
        stalled: false,
        proof: null,
      },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: response.body.created_at,
      timeline: [
        {
          at: response.body.created_at,
          type: 'order.recorded',
          status: 'EXTERNALLY_PAID',
          note: null,
        },
      ],
    })
    const stored = await service.app.db
      .selectFrom('orders')
      .selectAll()
      .where('public_id', '=', response.body.public_id)
      .executeTakeFirst()
    expect(JSON.stringify(stored)).not.toContain('not kept')
  })

  test('emits order.recorded, uses up the quote, and enters the sale in the ledger', async () => {
    const seller = await service.partner()
    const order = await sold(seller, await freshName(service))
    const events = await eventsOf(seller)
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'order.recorded',
        data: {
          order: {
            public_id: order.public_id,
            domain: order.domain,
            status: 'EXTERNALLY_PAID',
            sale_price_cents: 10_000,
            currency: 'USD',
          },
        },
      },
    ])
    expect((await seller.get(`/quotes/${order.quote_id}`)).body.status).toBe('consumed')
    const ledger = await ledgerOf(service, {
      partnerId: seller.partner_id,
      environment: 'sandbox',
    })
    expect(ledger.map(({ code, account, amount_cents }) => [code, account, amount_cents])).toEqual([
      ['sale', 'partner_funds', 10_000],
      ['sale', 'undelivered_sales', -10_000],
    ])
  })

  test('takes the domain in any case and as U-labels, and returns the A-label', async () => {
    await offer(service, 'sandbox', ['xn--bcher-kva.test'])
    const { quote_id } = await quote(partner, 'BÜCHER.test')
    const response = await partner.post(
      '/orders',
      orderBody({ domain: 'Bücher.TEST', price_cents: 10_000, quote_id }),
    )
    expect(response.body).toMatchObject({ domain: 'xn--bcher-kva.test' })
  })

  test('takes the quote token instead of the quote id', async () => {
    const offered = await quoted()
    const body = orderBody(offered, { quote_id: offered.quote_token })
    const response = await partner.post('/orders', body)
    expect(response.status).toBe(201)
    expect(response.body.quote_id).toBe(offered.quote_id)
  })

  test('takes null for what is optional', async () => {
    const body = orderBody(await quoted(), {
      expected_price: null,
      currency: null,
      buyer: { email: 'b@example.com', name: null, country: null },
      return_url: null,
      cancel_url: null,
    })
    expect((await partner.post('/orders', body)).status).toBe(201)
  })

  test("holds the order of the sandbox's manual-review name", async () => {
    const offered = await quoted({ label: 'manual-review' })
    const response = await partner.post('/orders', orderBody(offered))
    expect(response.body).toMatchObject({
      status: 'EXTERNALLY_PAID',
      held: true,
      hold_reason: 'manual_review',
    })
  })

  test('needs the scope buy', async () => {
    const reader = await service.partner({ scopes: ['search', 'report'] })
    const response = await reader.post('/orders', {})
    expect(refusal(response)).toEqual({ status: 403, code: 'forbidden' })
  })
})

describe('what is wrong with the body of POST /orders is said by field', () => {
  test.each(['domain', 'sale_price_cents', 'quote_id', 'external_payment_ref', 'buyer'] as const)(
    'without %s',
    async (field) => {
      const { [field]: _, ...rest } = orderBody(await quoted())
      const response = await partner.post('/orders', rest)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details).toEqual([{ field, issue: 'is required' }])
    },
  )

  test.each(BAD_CENTS.concat([['null', null]]))('sale_price_cents of %s', async (_shown, value) => {
    const body = orderBody(await quoted(), { sale_price_cents: value })
    const response = await partner.post('/orders', body)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(fieldsOf(response)).toEqual(['sale_price_cents'])
    expect(response.body.error.message).toContain('sale_price_cents')
  })

  test.each(BAD_CENTS)('expected_price of %s', async (_shown, value) => {
    const body = orderBody(await quoted(), { expected_price: value })
    const response = await partner.post('/orders', body)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(fieldsOf(response)).toEqual(['expected_price'])
  })

  test.each(BAD_DOMAINS.map((domain) => [JSON.stringify(domain), domain]))(
    'domain of %s',
    async (_shown, domain) => {
      const body = orderBody(
        { domain: 'petpantry.test', price_cents: 1, quote_id: 'qt_1' },
        { domain },
      )
      const response = await partner.post('/orders', body)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(fieldsOf(response)).toEqual(['domain'])
    },
  )

  test.each<[field: string, more: object]>([
    ['buyer.email', { buyer: {} }],
    ['buyer.email', { buyer: { email: 'nobody' } }],
    ['buyer.email', { buyer: { email: null } }],
    ['buyer.country', { buyer: { email: 'b@example.com', country: 'CHE' } }],
    ['buyer.name', { buyer: { email: 'b@example.com', name: 7 } }],
    ['buyer.name', { buyer: { email: 'b@example.com', name: 'a\u0000b' } }],
    ['buyer.name', { buyer: { email: 'b@example.com', name: 'a\r\nBcc: b' } }],
    ['buyer', { buyer: 'b@example.com' }],
    ['currency', { currency: 'dollars' }],
    ['currency', { currency: 'EUR' }],
    ['currency', { currency: 'ZZZ' }],
    ['return_url', { return_url: '/thanks' }],
    ['return_url', { return_url: 'javascript:alert(1)' }],
    ['return_url', { return_url: 'https://shop.example/a b' }],
    ['return_url', { return_url: 'https://shop.example/\r\nSet-Cookie: a' }],
    ['cancel_url', { cancel_url: 'shop.example' }],
    ['external_payment_ref', { external_payment_ref: '' }],
    ['external_payment_ref', { external_payment_ref: ' \t' }],
    ['external_payment_ref', { external_payment_ref: 'a\nb' }],
    ['external_payment_ref', { external_payment_ref: 'x'.repeat(256) }],
    ['external_payment_ref', { external_payment_ref: 42 }],
    ['quote_id', { quote_id: '' }],
    ['quote_id', { quote_id: 42 }],
  ])('%s in %j', async (field, more) => {
    const response = await partner.post('/orders', orderBody(await quoted(), more))
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(fieldsOf(response)).toEqual([field])
  })

  test('currency is USD when nobody says so, whatever the listing is in', async () => {
    await service.list('sandbox', 'in-euros.test,5000,,EUR')
    const held = await quote(partner, 'in-euros.test')
    const response = await partner.post('/orders', orderBody(held, { currency: undefined }))
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(fieldsOf(response)).toEqual(['currency'])
    must(await partner.post('/orders', orderBody(held, { currency: 'EUR' })), 201)
  })

  test('a quote holds its currency, too', async () => {
    await service.list('sandbox', 'moved-to-euros.test,5000,,USD')
    const held = await quote(partner, 'moved-to-euros.test')
    await service.list('sandbox', 'moved-to-euros.test,6000,,EUR')
    const other = await partner.post('/orders', orderBody(held, { currency: 'EUR' }))
    expect(fieldsOf(other)).toEqual(['currency'])
    const order = must(await partner.post('/orders', orderBody(held)), 201).body
    expect(order).toMatchObject({ sale_price_cents: 5_000, currency: 'USD' })
  })

  test('names every field that is wrong', async () => {
    const response = await partner.post('/orders', { sale_price_cents: 1.5, buyer: {} })
    expect(fieldsOf(response).toSorted()).toEqual([
      'buyer.email',
      'domain',
      'external_payment_ref',
      'quote_id',
      'sale_price_cents',
    ])
  })

  test.each(['', '{', '[]', '"text"', 'null', '{"domain":"\ud800"}'])(
    'a body of %j',
    async (body) => {
      const response = await partner.post('/orders', body)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    },
  )
})

describe('the rejections of POST /orders', () => {
  const unknownQuote = 'qt_00000000000000000000000000'

  test('without an Idempotency-Key is rejected', async () => {
    const body = orderBody(await quote(partner, 'getdogstore.test'))
    const response = await partner.post('/orders', body, { key: null })
    expect(response.status).toBe(400)
    expect(response.body.error.code).toBe('missing_idempotency_key')
  })

  test('the missing or empty key comes before the body', async () => {
    for (const options of [{ key: null }, { headers: { 'idempotency-key': '' } }]) {
      const response = await partner.post('/orders', '{', options)
      expect(refusal(response)).toEqual({ status: 400, code: 'missing_idempotency_key' })
    }
  })

  test('the malformed key comes before the body', async () => {
    const response = await partner.post('/orders', {}, { key: 'a b' })
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(fieldsOf(response)).toEqual(['Idempotency-Key'])
  })

  test('the body comes before the domain that was never listed', async () => {
    const response = await partner.post(
      '/orders',
      orderBody({ domain: 'never-listed.test', price_cents: 0, quote_id: unknownQuote }),
    )
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
  })

  test('the domain that was never listed comes before the quote', async () => {
    const used = await sold(partner, await freshName(service))
    for (const quote_id of [unknownQuote, used.quote_id]) {
      const response = await partner.post(
        '/orders',
        orderBody({ domain: 'never-listed.test', price_cents: 1, quote_id }),
      )
      expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('a live listing does not count in the sandbox', async () => {
    const domain = await freshName(service, 'live')
    const response = await partner.post(
      '/orders',
      orderBody({ domain, price_cents: 10_000, quote_id: unknownQuote }),
    )
    expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
  })

  test('sold comes before every fault of the quote, its price and the payment', async () => {
    const offered = await quotedLive()
    const known = await sold(live, await freshName(service, 'live'))
    service.clock.advance(10 * MINUTES_MS)
    await sellToOther(offered.domain)
    for (const quote_id of [unknownQuote, offered.quote_id, known.quote_id]) {
      const response = await live.post(
        '/orders',
        orderBody(
          { domain: offered.domain, price_cents: 1, quote_id },
          { external_payment_ref: known.external_payment_ref, currency: 'EUR' },
        ),
      )
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.message).toContain('sold')
    }
  })

  test('reserved by another comes before every fault of the quote', async () => {
    const offered = await quotedLive()
    service.clock.advance(10 * MINUTES_MS)
    await quote(rival, offered.domain)
    for (const quote_id of [unknownQuote, offered.quote_id]) {
      const response = await live.post('/orders', orderBody({ ...offered, quote_id }))
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.message).toContain('reserved')
    }
  })

  test("another partner's quote id does not open what that partner has reserved", async () => {
    const offered = await quotedLive()
    for (const quote_id of [offered.quote_id, offered.quote_token]) {
      const response = await rival.post('/orders', orderBody(offered, { quote_id }))
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.message).toContain('reserved')
    }
  })

  test('an unknown, foreign or mistaken quote is a fault of the field', async () => {
    const offered = await quoted()
    const foreign = await quote(other, await freshName(service))
    const mistaken = await quoted()
    const references = [
      unknownQuote,
      'nonsense',
      foreign.quote_id,
      foreign.quote_token,
      mistaken.quote_id,
      mistaken.quote_token,
    ]
    for (const quote_id of references) {
      const response = await partner.post(
        '/orders',
        orderBody({ ...offered, quote_id }, { sale_price_cents: 1 }),
      )
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(fieldsOf(response)).toEqual(['quote_id'])
    }
  })

  test('a quote for another domain is rejected as such though it is used or lapsed as well', async () => {
    const used = await sold(partner, await freshName(service))
    const lapsed = await quoted()
    service.clock.advance(10 * MINUTES_MS)
    const domain = await freshName(service)
    for (const quote_id of [used.quote_id, lapsed.quote_id]) {
      const response = await partner.post(
        '/orders',
        orderBody({ domain, price_cents: 10_000, quote_id }),
      )
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
  })

  test('a used quote is a conflict, before its age, its price and the payment', async () => {
    const order = await sold(partner, await freshName(service))
    must(await partner.post('/refunds', { public_id: order.public_id }), 201)
    service.clock.advance(10 * MINUTES_MS)
    const response = await partner.post('/orders', {
      ...orderBody({ domain: order.domain, price_cents: 1, quote_id: order.quote_id }),
      external_payment_ref: order.external_payment_ref,
    })
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.message).toContain('used')
  })

  test('a released quote is a conflict, before its age and its price', async () => {
    const offered = await quoted()
    must(await partner.delete(`/quotes/${offered.quote_id}`), 200)
    service.clock.advance(10 * MINUTES_MS)
    const response = await partner.post('/orders', orderBody(offered, { sale_price_cents: 1 }))
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.message).toContain('released')
  })

  test('a quote of ten minutes is expired, before its price and the payment', async () => {
    const known = await sold(partner, await freshName(service))
    const offered = await quoted()
    service.clock.advance(10 * MINUTES_MS)
    const response = await partner.post(
      '/orders',
      orderBody(offered, {
        sale_price_cents: 1,
        external_payment_ref: known.external_payment_ref,
      }),
    )
    expect(refusal(response)).toEqual({ status: 422, code: 'quote_expired' })
  })

  test('a quote is good until its ten minutes are over', async () => {
    const offered = await quoted()
    service.clock.advance(10 * MINUTES_MS - 5_000)
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(201)
  })

  test('an expired quote does not live again with a new one', async () => {
    const offered = await quoted()
    service.clock.advance(10 * MINUTES_MS)
    await quote(partner, offered.domain)
    const response = await partner.post('/orders', orderBody(offered))
    expect(refusal(response)).toEqual({ status: 422, code: 'quote_expired' })
  })

  test.each([
    ['sale_price_cents', { sale_price_cents: 9_999 }],
    ['sale_price_cents', { sale_price_cents: 10_001 }],
    ['expected_price', { expected_price: 9_999 }],
  ])('%s that differs in %j comes before the payment that is known', async (field, more) => {
    const known = await sold(partner, await freshName(service))
    const response = await partner.post(
      '/orders',
      orderBody(await quoted(), {
        ...more,
        external_payment_ref: known.external_payment_ref,
      }),
    )
    expect(refusal(response)).toEqual({ status: 422, code: 'price_mismatch' })
    expect(response.body.error.details).toMatchObject({
      field,
      current_price_cents: 10_000,
      currency: 'USD',
    })
  })

  test('a payment that is known is a conflict, and the quote and the domain stay as they are', async () => {
    const known = await sold(partner, await freshName(service))
    const offered = await quoted()
    const before = await eventsOf(partner)
    const response = await partner.post(
      '/orders',
      orderBody(offered, { external_payment_ref: known.external_payment_ref }),
    )
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.details).toEqual({
      reason: 'payment_ref_used',
      public_id: known.public_id,
    })
    expect((await partner.get(`/quotes/${offered.quote_id}`)).body.status).toBe('active')
    // What other tests make known of other names may arrive between.
    const since = (await eventsOf(partner)).slice(before.length)
    expect(JSON.stringify(since)).not.toContain(offered.domain)
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(201)
  })

  test('a payment reference is known within one partner and one environment only', async () => {
    const external_payment_ref = `pay-${randomUUID()}`
    const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
    for (const [client, environment] of [
      [partner, 'sandbox'],
      [other, 'sandbox'],
      [live, 'live'],
    ] as const) {
      const domain = await freshName(service, environment)
      expect((await sell(client, domain, { external_payment_ref })).status).toBe(201)
    }
  })
})

describe('the price', () => {
  test('of a running quote holds for its holder though the listing moved', async () => {
    const offered = await quoted()
    await service.list('sandbox', `${offered.domain},20000,,USD`)
    const wrong = await partner.post('/orders', orderBody(offered, { sale_price_cents: 20_000 }))
    expect(refusal(wrong)).toEqual({ status: 422, code: 'price_mismatch' })
    expect(wrong.body.error.details.current_price_cents).toBe(10_000)
    const response = await partner.post('/orders', orderBody(offered))
    expect(response.body.sale_price_cents).toBe(10_000)
  })

  test("of the sandbox's price-moves name moves right after the quote, which holds", async () => {
    const offered = await quoted({ label: 'price-moves' })
    const { price_cents: moved } = (await partner.get(`/domains/${offered.domain}`)).body
    expect(moved).not.toBe(offered.price_cents)
    const wrong = await partner.post('/orders', orderBody(offered, { sale_price_cents: moved }))
    expect(refusal(wrong)).toEqual({ status: 422, code: 'price_mismatch' })
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(201)
  })

  test("the sandbox's sold-meanwhile name is sold before its holder orders it", async () => {
    const offered = await quoted({ label: 'sold-meanwhile' })
    const response = await partner.post('/orders', orderBody(offered))
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect((await partner.get(`/domains/${offered.domain}`)).body.status).toBe('sold')
  })

  test.each([
    [0, 999, 0],
    [1, 9_999, 0],
    [3_333, 10_001, 3_333],
    [10_000, 777, 777],
  ])('splits at %i basis points of %i into %i and the rest', async (bps, price, commission) => {
    const made = await service.admin('POST', '/partners', {
      name: 'Rated',
      email: 'rated@example.com',
      partner_collected_bps: bps,
    })
    const rated = await service.partner({ partner_id: made.body.partner_id })
    const domain = await freshName(service, 'sandbox', { priceCents: price })
    const order = await sold(rated, domain)
    expect(order).toMatchObject({
      commission_cents: commission,
      amount_owed_cents: price - commission,
    })
  })
})

describe('orders that are held by policy', () => {
  test('above a price, and the first live ones', async () => {
    const strict = await startService({
      settings: { review: { overCents: 10_000, firstLiveOrders: 1 } },
    })
    try {
      const sandbox = await strict.partner()
      const { partner_id } = sandbox
      const live = await strict.partner({ environment: 'live', partner_id })
      const other = await strict.partner({ environment: 'live' })
      const hold = async (
        client: PartnerClient,
        environment: 'sandbox' | 'live',
        priceCents: number,
      ) => (await sold(client, await freshName(strict, environment, { priceCents }))).hold_reason
      expect(await hold(sandbox, 'sandbox', 10_000)).toBeNull()
      expect(await hold(sandbox, 'sandbox', 10_001)).toBe('high_price')
      expect(await hold(live, 'live', 10_000)).toBe('first_orders')
      expect(await hold(live, 'live', 10_000)).toBeNull()
      expect(await hold(other, 'live', 10_000)).toBe('first_orders')
    } finally {
      await strict.stop()
    }
  })
})
