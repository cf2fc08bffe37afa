import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { eventsOf, eventTypes, mailsTo, must, refusal } from '../support/market.ts'
import { makeOffer, negotiable, offerBody } from '../support/offers.ts'
import { orderBody } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR_S = 3_600
/** A job writes it down, whenever the machine gets to it. */
const LATER = { timeout: 15_000 }

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterAll(() => service.stop())

const play = (id: string, move: string, body: object = {}) =>
  client.post(`/sandbox/offers/${id}/${move}`, body)
const respond = (id: string, move: string, body: object = {}) =>
  client.post(`/offers/${id}/${move}`, body)
const reasonOf = (response: { body: any }) => response.body.error.details?.reason

test('an offer below the floor waits for the seller, and is told to everyone it concerns', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const buyer = { email: 'ada.offers@example.com', name: 'Ada', country: 'de' }
  const offer = await makeOffer(partner, domain, 5_000, { buyer, message: 'For a shop.' })
  expect(offer).toMatchObject({
    domain,
    status: 'open',
    turn: 'seller',
    amount_cents: 5_000,
    currency: 'USD',
    buyer: { ...buyer, country: 'DE' },
    quote_id: null,
    closed_by: null,
    history: [{ by: 'buyer', amount_cents: 5_000, message: 'For a shop.' }],
  })
  expect(offer.offers_url).toMatch(/^http:\/\/localhost:3000\/offers\/[0-9a-f]{64}$/)
  const hours = (Date.parse(offer.expires_at) - Date.parse(offer.created_at)) / 3_600_000
  expect(hours).toBe(48)
  expect(must(await partner.get(`/offers/${offer.offer_id}`), 200).body).toEqual(offer)
  const [event] = await eventsOf(partner)
  const { offer_id, status, amount_cents, currency, turn, expires_at, quote_id } = offer
  expect(event).toMatchObject({
    type: 'offer.created',
    data: {
      offer: { offer_id, domain, status, amount_cents, currency, turn, expires_at, quote_id },
    },
  })
  expect(await mailsTo(service, buyer.email)).toEqual([`[Test] Your offer for ${domain}`])
})

test('an offer at the floor is accepted at once: its quote makes the order', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const offer = await makeOffer(partner, domain, 8_000)
  expect(offer).toMatchObject({ status: 'accepted', turn: null, amount_cents: 8_000 })
  expect(await eventTypes(partner)).toEqual(['offer.created', 'offer.accepted'])
  const held = must(await partner.get(`/domains/${domain}`), 200).body
  expect(held).toMatchObject({ status: 'reserved', available: false, offers: 'open' })
  const quote = must(await partner.get(`/quotes/${offer.quote_id}`), 200).body
  expect(quote).toMatchObject({ price_cents: 8_000, status: 'active', domain })
  const hours = (Date.parse(quote.expires_at) - Date.parse(quote.created_at)) / 3_600_000
  expect(hours).toBe(72)
  const order = must(await partner.post('/orders', orderBody(quote)), 201).body
  expect(order.sale_price_cents).toBe(8_000)
  expect((await partner.get(`/offers/${offer.offer_id}`)).body).toMatchObject({
    status: 'accepted',
    quote_id: offer.quote_id,
  })
})

test('both sides counter in turn, until one accepts', async () => {
  const domain = await negotiable(service)
  const { offer_id } = await makeOffer(client, domain, 4_000)
  expect(reasonOf(await respond(offer_id, 'accept'))).toBe('not_allowed_now')
  const asked = must(await play(offer_id, 'counter', { amount_cents: 9_000, message: 'No.' }), 200)
  expect(asked.body).toMatchObject({ status: 'countered', turn: 'buyer', amount_cents: 9_000 })
  expect(reasonOf(await play(offer_id, 'accept'))).toBe('not_allowed_now')
  const again = must(await respond(offer_id, 'counter', { amount_cents: 6_000 }), 200).body
  expect(again).toMatchObject({ status: 'countered', turn: 'seller', amount_cents: 6_000 })
  must(await play(offer_id, 'counter', { amount_cents: 7_000 }), 200)
  const wrong = await respond(offer_id, 'accept', { amount_cents: 6_000 })
  expect(refusal(wrong)).toEqual({ status: 422, code: 'price_mismatch' })
  const done = must(await respond(offer_id, 'accept', { amount_cents: 7_000 }), 200).body
  expect(done).toMatchObject({ status: 'accepted', turn: null, closed_by: 'buyer' })
  expect(done.history.map((step: any) => [step.by, step.amount_cents])).toEqual([
    ['buyer', 4_000],
    ['seller', 9_000],
    ['buyer', 6_000],
    ['seller', 7_000],
  ])
  const quote = must(await client.get(`/quotes/${done.quote_id}`), 200).body
  expect(quote.price_cents).toBe(7_000)
})

test('a counter of the buyer at the floor is accepted at once', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const { offer_id } = await makeOffer(partner, domain, 4_000)
  must(await partner.post(`/sandbox/offers/${offer_id}/counter`, { amount_cents: 9_000 }), 200)
  const done = await partner.post(`/offers/${offer_id}/counter`, { amount_cents: 8_000 })
  expect(must(done, 200).body).toMatchObject({ status: 'accepted', amount_cents: 8_000 })
  expect(await eventTypes(partner)).toEqual([
    'offer.created',
    'offer.countered',
    'offer.countered',
    'offer.accepted',
  ])
})

describe('an offer is rejected', () => {
  test('below the least that the seller considers', async () => {
    const domain = await negotiable(service, { rest: ',open,3000' })
    const response = await client.post('/offers', offerBody(domain, 2_999))
    expect(refusal(response)).toEqual({ status: 422, code: 'offer_too_low' })
    expect(response.body.error.details).toEqual({ field: 'amount_cents', min_offer_cents: 3_000 })
    const { offer_id } = await makeOffer(client, domain, 3_000)
    must(await play(offer_id, 'counter', { amount_cents: 9_000 }), 200)
    const counter = await respond(offer_id, 'counter', { amount_cents: 2_000 })
    expect(refusal(counter)).toEqual({ status: 422, code: 'offer_too_low' })
  })

  test('above the price, by either side', async () => {
    const domain = await negotiable(service)
    const response = await client.post('/offers', offerBody(domain, 10_001))
    expect(refusal(response)).toEqual({ status: 422, code: 'price_mismatch' })
    expect(response.body.error.details.current_price_cents).toBe(10_000)
    const { offer_id } = await makeOffer(client, domain)
    const asked = await play(offer_id, 'counter', { amount_cents: 10_001 })
    expect(refusal(asked)).toEqual({ status: 422, code: 'price_mismatch' })
    const less = await play(offer_id, 'counter', { amount_cents: 5_000 })
    expect(refusal(less)).toEqual({ status: 400, code: 'validation_error' })
    const none = await play(offer_id, 'counter')
    expect(none.body.error.details).toEqual([{ field: 'amount_cents', issue: 'is required' }])
  })

  test('where offers are off, for what is unknown or sold, and in another currency', async () => {
    const closed = await negotiable(service, { rest: ',off' })
    const off = await client.post('/offers', offerBody(closed, 5_000))
    expect([off.status, reasonOf(off)]).toEqual([409, 'offers_closed'])
    expect((await client.get(`/domains/${closed}`)).body.offers).toBe('off')
    const unknown = await client.post('/offers', offerBody('never-listed.test', 5_000))
    expect(refusal(unknown)).toEqual({ status: 404, code: 'not_found' })
    const domain = await negotiable(service)
    const currency = await client.post('/offers', offerBody(domain, 5_000, { currency: 'EUR' }))
    expect(currency.body.error.details).toEqual([
      { field: 'currency', issue: "must be USD, the listing's" },
    ])
    const { quote_id } = await makeOffer(client, domain, 8_000)
    const quote = must(await client.get(`/quotes/${quote_id}`), 200).body
    must(await client.post('/orders', orderBody(quote)), 201)
    const sold = await client.post('/offers', offerBody(domain, 5_000))
    expect([sold.status, reasonOf(sold)]).toEqual([409, 'domain_sold'])
  })

  test.each([
    ['amount_cents', { amount_cents: 1.5 }],
    ['buyer.email', { buyer: { email: 'nobody' } }],
    ['message', { message: 'x'.repeat(2_001) }],
    ['expires_in_hours', { expires_in_hours: 169 }],
    ['expires_in_hours', { expires_in_hours: 0 }],
  ])('with a bad %s', async (field, more) => {
    const response = await client.post('/offers', offerBody('petpantry.test', 100, more))
    expect(response.body.error.details[0].field).toBe(field)
  })
})

test('a message may have 2,000 characters, and goes with any response', async () => {
  const domain = await negotiable(service)
  const message = 'x'.repeat(2_000)
  const offer = await makeOffer(client, domain, 5_000, { message })
  expect(offer.history[0].message).toBe(message)
  const declined = must(await play(offer.offer_id, 'decline', { message: 'Too little.' }), 200)
  expect(declined.body).toMatchObject({
    status: 'declined',
    turn: null,
    closed_by: 'seller',
    closing_message: 'Too little.',
  })
  expect(reasonOf(await respond(offer.offer_id, 'withdraw'))).toBe('not_allowed_now')
})

test('the buyer withdraws in either turn', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const first = await makeOffer(partner, domain)
  const withdrawn = must(await partner.post(`/offers/${first.offer_id}/withdraw`), 200).body
  expect(withdrawn).toMatchObject({ status: 'withdrawn', turn: null, closed_by: 'buyer' })
  const second = await makeOffer(partner, domain)
  const path = `/offers/${second.offer_id}`
  must(await partner.post(`/sandbox${path}/counter`, { amount_cents: 9_000 }), 200)
  must(await partner.post(`${path}/withdraw`), 200)
  expect((await eventTypes(partner)).filter((type) => type === 'offer.withdrawn')).toHaveLength(2)
  const again = await partner.post(`${path}/withdraw`)
  expect(again.body.error.details).toMatchObject({
    reason: 'not_allowed_now',
    status: 'withdrawn',
  })
})

test('the buyer may decline a counter-offer, in their turn only', async () => {
  const domain = await negotiable(service)
  const { offer_id } = await makeOffer(client, domain)
  expect(reasonOf(await respond(offer_id, 'decline'))).toBe('not_allowed_now')
  must(await play(offer_id, 'counter', { amount_cents: 9_000 }), 200)
  const { body } = must(await respond(offer_id, 'decline'), 200)
  expect(body).toMatchObject({ status: 'declined', closed_by: 'buyer' })
})

test('while a name is promised others wait, and end once it is sold', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const waiting = await makeOffer(partner, domain, 5_000)
  const accepted = await makeOffer(partner, domain, 9_000)
  const late = await makeOffer(partner, domain, 9_500)
  expect([accepted.status, late.status]).toEqual(['accepted', 'open'])
  const path = `/offers/${waiting.offer_id}`
  const response = await partner.post(`/sandbox${path}/accept`)
  expect([response.status, reasonOf(response)]).toEqual([409, 'domain_reserved'])
  expect((await partner.get(path)).body.status).toBe('open')
  const quote = must(await partner.get(`/quotes/${accepted.quote_id}`), 200).body
  must(await partner.post('/orders', orderBody(quote)), 201)
  expect((await partner.get(path)).body).toMatchObject({ status: 'declined', turn: null })
  const types = () => eventTypes(partner)
  await expect
    .poll(async () => (await types()).filter((type) => type === 'offer.declined').length, LATER)
    .toBe(2)
  expect((await partner.get(path)).body).toMatchObject({ status: 'declined', closed_by: null })
  expect((await partner.get(`/offers/${accepted.offer_id}`)).body.status).toBe('accepted')
})

test('a promise that lapses frees the name, and the offer stays accepted', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const waiting = await makeOffer(partner, domain, 5_000, { expires_in_hours: 168 })
  const accepted = await makeOffer(partner, domain, 8_000)
  must(await partner.post('/sandbox/clock', { advance_seconds: 73 * HOUR_S }), 200)
  expect((await partner.get(`/offers/${accepted.offer_id}`)).body).toMatchObject({
    status: 'accepted',
    quote_id: accepted.quote_id,
  })
  expect((await partner.get(`/quotes/${accepted.quote_id}`)).body.status).toBe('expired')
  const path = `/sandbox/offers/${waiting.offer_id}/accept`
  expect(must(await partner.post(path), 200).body.status).toBe('accepted')
})

test('offers expire with the clock of the sandbox', async () => {
  const partner = await service.partner()
  const domain = await negotiable(service)
  const short = await makeOffer(partner, domain, 5_000, { expires_in_hours: 1 })
  const long = await makeOffer(partner, domain, 5_000, { expires_in_hours: 2 })
  const moved = await partner.post('/sandbox/clock', { advance_seconds: HOUR_S + 1 })
  expect(must(moved, 200).body.offers_expired).toBe(1)
  const { body } = await partner.get(`/offers/${short.offer_id}`)
  expect(body).toMatchObject({ status: 'expired', turn: null, closed_by: null })
  expect((await partner.get(`/offers/${long.offer_id}`)).body.status).toBe('open')
  expect(await eventTypes(partner)).toEqual(['offer.created', 'offer.created', 'offer.expired'])
  const response = await partner.post(`/sandbox/offers/${short.offer_id}/accept`)
  expect(response.body.error.details).toMatchObject({ status: 'expired' })
})

test('a live offer expires by the clock, which a job writes down', async () => {
  const partner = await service.partner({ environment: 'live' })
  const domain = await negotiable(service, { environment: 'live', tld: 'com' })
  const { offer_id } = await makeOffer(partner, domain, 5_000, { expires_in_hours: 1 })
  expect((await partner.post(`/sandbox/offers/${offer_id}/accept`)).status).toBe(404)
  service.clock.advance(HOUR_S * 1_000 + 1)
  expect((await partner.get(`/offers/${offer_id}`)).body.status).toBe('expired')
  await expect.poll(() => eventTypes(partner), LATER).toEqual(['offer.created', 'offer.expired'])
})

test('offers are listed newest first, by status, turn and name, and only to their partner', async () => {
  const partner = await service.partner()
  const [one, two] = [await negotiable(service), await negotiable(service)]
  const first = await makeOffer(partner, one)
  const second = await makeOffer(partner, two)
  must(await partner.post(`/offers/${first.offer_id}/withdraw`), 200)
  const ids = async (query: string) =>
    must(await partner.get(`/offers${query}`), 200).body.offers.map((each: any) => each.offer_id)
  expect(await ids('')).toEqual([second.offer_id, first.offer_id])
  expect(await ids('?status=withdrawn')).toEqual([first.offer_id])
  expect(await ids('?turn=seller')).toEqual([second.offer_id])
  expect(await ids(`?domain=${one}`)).toEqual([first.offer_id])
  const page = must(await partner.get('/offers?limit=1'), 200).body
  expect(await ids(`?cursor=${page.next_cursor}&limit=1`)).toEqual([first.offer_id])
  expect(refusal(await partner.get('/offers?cursor=none'))).toMatchObject({
    code: 'invalid_cursor',
  })
  const stranger = await client.get(`/offers/${first.offer_id}`)
  expect(refusal(stranger)).toEqual({ status: 404, code: 'not_found' })
  expect((await respond(first.offer_id, 'withdraw')).status).toBe(404)
})

test('needs the scope `buy`, and a repeat gets the first response', async () => {
  const reader = await service.partner({ scopes: ['search'] })
  expect((await reader.get('/offers')).status).toBe(403)
  const domain = await negotiable(service)
  const key = 'the-offer-once'
  const first = must(await client.post('/offers', offerBody(domain, 5_000), { key }), 201)
  const again = must(await client.post('/offers', offerBody(domain, 5_000), { key }), 201)
  expect(again.text).toBe(first.text)
  expect(again.headers['idempotent-replayed']).toBe('true')
})

test('a promised name is kept from others, and a reset takes offers back', async () => {
  const domain = await negotiable(service, { environment: 'live', tld: 'com' })
  const [one, other] = [
    await service.partner({ environment: 'live' }),
    await service.partner({ environment: 'live' }),
  ]
  await makeOffer(one, domain, 8_000)
  const quote = await other.post('/quotes', { domain })
  expect([quote.status, reasonOf(quote)]).toEqual([409, 'domain_reserved'])
  const partner = await service.partner()
  await makeOffer(partner, await negotiable(service), 8_000)
  must(await partner.post('/sandbox/reset'), 200)
  expect((await partner.get('/offers')).body.offers).toEqual([])
})

test('operators respond for names that they list', async () => {
  const partner = await service.partner({ environment: 'live' })
  const domain = await negotiable(service, { environment: 'live', tld: 'com' })
  const { offer_id } = await makeOffer(partner, domain, 5_000)
  const queue = '/offers?turn=seller&sold_by=operators&environment=live'
  const listed = must(await service.admin('GET', `${queue}&domain=${domain}`), 200).body.offers
  expect(listed).toMatchObject([{ offer_id, seller_id: null, partner_id: partner.partner_id }])
  expect(listed[0]).not.toHaveProperty('offers_url')
  const counter = await service.admin('POST', `/offers/${offer_id}/counter`, {
    amount_cents: 6_000,
    message: 'Six.',
  })
  expect(must(counter, 200).body).toMatchObject({ status: 'countered', turn: 'buyer' })
  const early = await service.admin('POST', `/offers/${offer_id}/accept`, {})
  expect([early.status, reasonOf(early)]).toEqual([409, 'not_allowed_now'])
  const path = `/offers/${offer_id}/accept`
  expect(must(await partner.post(path), 200).body.status).toBe('accepted')
  expect(must(await service.admin('GET', `/offers/${offer_id}`), 200).body.status).toBe('accepted')
  expect((await service.admin('GET', '/offers/ofr_none')).status).toBe(404)
})

test('says what is wrong with the columns of an import', async () => {
  const csv =
    'a.test,100,,USD,maybe\nb.test,100,,,open,x\nc.test,100,,,open,101\nd.test,100,,,off,50'
  const report = await service.list('sandbox', csv)
  expect(report.rejected).toMatchObject([
    { line: 1, field: 'offers' },
    { line: 2, field: 'min_offer_cents' },
    { line: 3, field: 'min_offer_cents', issue: 'is above price_cents' },
  ])
  const { body } = await service.admin('GET', '/listings?environment=sandbox&q=d.test')
  expect(body.listings[0]).toMatchObject({ offers: 'off', min_offer_cents: 50 })
  must(await client.get('/domains/d.test'), 200)
  await service.list('sandbox', 'd.test,100')
  expect((await client.get('/domains/d.test')).body).toMatchObject({
    offers: 'open',
    min_offer_cents: null,
  })
})
