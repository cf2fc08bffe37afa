import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { BAD_CENTS, BAD_DOMAINS } from '../support/inputs.ts'
import { eventsOf, freshName, must, offer, refusal } from '../support/market.ts'
import { orderBody, quote, sold } from '../support/sale.ts'
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

const statusOf = async (domain: string, client = partner) =>
  (await client.get(`/domains/${domain}`)).body.status

/** One character of the token's payload changed, and its signature as it was. */
function tampered(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const changed = JSON.parse(Buffer.from(payload, 'base64url').toString())
  changed.price_cents -= 1
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
}

describe('POST /quotes', () => {
  test('returns a firm price and reserves the domain for ten minutes', async () => {
    const domain = await freshName(service, 'sandbox', { priceCents: 4_200 })
    const response = await partner.post('/quotes', { domain })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      quote_id: expect.stringMatching(/^qt_[0-9a-z]{26}$/),
      quote_token: expect.any(String),
      domain,
      price_cents: 4_200,
      currency: 'USD',
      status: 'active',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    })
    const { created_at, expires_at } = response.body
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(10 * MINUTES_MS)
    expect(await statusOf(domain)).toBe('reserved')
    expect((await partner.get(`/availability?domain=${domain}`)).body).toEqual({
      domain,
      available: false,
      price_cents: null,
      currency: null,
    })
  })

  test('is not given to another partner while it runs, and open to all once it has lapsed', async () => {
    const { domain } = await quote(live, await freshName(service, 'live'))
    expect(await statusOf(domain, rival)).toBe('reserved')
    expect(refusal(await rival.post('/quotes', { domain }))).toEqual({
      status: 409,
      code: 'conflict',
    })
    service.clock.advance(10 * MINUTES_MS)
    expect(await statusOf(domain, rival)).toBe('listed')
    expect((await rival.post('/quotes', { domain })).status).toBe(201)
    expect(refusal(await live.post('/quotes', { domain })).status).toBe(409)
  })

  test('gives the same partner its running quote again, at its price and to the byte', async () => {
    const { domain, quote_id } = await quote(partner, await freshName(service))
    const first = await partner.get(`/quotes/${quote_id}`)
    await service.list('sandbox', `${domain},99999,,USD`)
    service.clock.advance(5 * MINUTES_MS)
    const again = await partner.post('/quotes', { domain })
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
  })

  test('gives the same partner a new quote at the new price once the first has lapsed', async () => {
    const first = await quote(partner, await freshName(service))
    await service.list('sandbox', `${first.domain},20000,,USD`)
    service.clock.advance(10 * MINUTES_MS)
    const second = await quote(partner, first.domain)
    expect(second.quote_id).not.toBe(first.quote_id)
    expect(second.price_cents).toBe(20_000)
    expect((await partner.get(`/quotes/${first.quote_id}`)).body.status).toBe('expired')
  })

  test('emits nothing', async () => {
    const quiet = await service.partner()
    const { quote_id } = await quote(quiet, await freshName(service))
    await quiet.delete(`/quotes/${quote_id}`)
    expect(await eventsOf(quiet)).toEqual([])
  })

  test('takes the domain in any case and as U-labels, and returns the A-label', async () => {
    await offer(service, 'sandbox', ['xn--mnchen-3ya.test'])
    for (const domain of ['MÜNCHEN.Test', 'XN--MNCHEN-3YA.TEST', 'münchen。test']) {
      expect((await quote(partner, domain)).domain).toBe('xn--mnchen-3ya.test')
    }
  })

  test.each(BAD_DOMAINS.map((domain) => [JSON.stringify(domain), domain]))(
    'refuses the domain %s',
    async (_shown, domain) => {
      const response = await partner.post('/quotes', { domain })
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('domain')
    },
  )

  test.each([undefined, null, 7, ['petpantry.test']])('rejects the domain %j', async (domain) => {
    const response = await partner.post('/quotes', { domain })
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe('domain')
  })

  test.each(BAD_CENTS)('rejects an expected_price of %s', async (_shown, expected_price) => {
    const domain = await freshName(service)
    const response = await partner.post('/quotes', { domain, expected_price })
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe('expected_price')
    expect(await statusOf(domain)).toBe('listed')
  })

  test('needs the scope buy, as do its own endpoints', async () => {
    const reader = await service.partner({ scopes: ['search'], partner_id: partner.partner_id })
    const { quote_id } = await quote(partner, await freshName(service))
    for (const response of [
      await reader.post('/quotes', { domain: 'petpantry.test' }),
      await reader.get(`/quotes/${quote_id}`),
      await reader.delete(`/quotes/${quote_id}`),
    ]) {
      expect(refusal(response)).toEqual({ status: 403, code: 'forbidden' })
    }
  })
})

describe('the rejections of POST /quotes', () => {
  test('a domain that was never listed', async () => {
    const response = await partner.post('/quotes', {
      domain: 'never-listed.test',
      expected_price: 1,
    })
    expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
  })

  test('a domain of the other environment', async () => {
    const domain = await freshName(service, 'live')
    expect(refusal(await partner.post('/quotes', { domain })).status).toBe(404)
  })

  test('sold comes before the price', async () => {
    const { domain } = await sold(rival, await freshName(service, 'live'))
    const response = await live.post('/quotes', { domain, expected_price: 1 })
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
  })

  test('reserved by another comes before the price', async () => {
    const { domain } = await quote(rival, await freshName(service, 'live'))
    const response = await live.post('/quotes', { domain, expected_price: 1 })
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
  })

  test('a price that differs reserves nothing and says the current one', async () => {
    const domain = await freshName(service)
    const response = await partner.post('/quotes', { domain, expected_price: 9_999 })
    expect(refusal(response)).toEqual({ status: 422, code: 'price_mismatch' })
    expect(response.body.error.details.current_price_cents).toBe(10_000)
    expect(await statusOf(domain)).toBe('listed')
    expect((await partner.post('/quotes', { domain, expected_price: 10_000 })).status).toBe(201)
  })

  test("the holder's current price is its running quote's", async () => {
    const { domain } = await quote(partner, await freshName(service))
    await service.list('sandbox', `${domain},20000,,USD`)
    const moved = await partner.post('/quotes', { domain, expected_price: 20_000 })
    expect(refusal(moved)).toEqual({ status: 422, code: 'price_mismatch' })
    expect(moved.body.error.details.current_price_cents).toBe(10_000)
    const held = await partner.post('/quotes', { domain, expected_price: 10_000 })
    expect(held.status).toBe(201)
  })

  test('a hundred run at once: the next is rejected until one is released, used or has lapsed', async () => {
    const busy = await service.partner()
    const names = Array.from({ length: 103 }, (_, index) => `cap-${index}.test`)
    await offer(service, 'sandbox', names)
    const quotes = await Promise.all(names.slice(0, 100).map((name) => quote(busy, name)))
    const next = () => busy.post('/quotes', { domain: names[100] })
    expect(refusal(await next())).toEqual({ status: 409, code: 'conflict' })
    expect(await statusOf(names[100] ?? '')).toBe('listed')
    // What it holds already it may ask for again; a price that differs comes first.
    expect((await busy.post('/quotes', { domain: names[0] })).status).toBe(201)
    const wrong = await busy.post('/quotes', { domain: names[100], expected_price: 1 })
    expect(refusal(wrong).status).toBe(422)
    // Another partner, and the same one's live environment, have their own hundred.
    expect((await partner.post('/quotes', { domain: names[102] })).status).toBe(201)
    const live = await service.partner({ partner_id: busy.partner_id, environment: 'live' })
    const liveName = await freshName(service, 'live')
    expect((await live.post('/quotes', { domain: liveName })).status).toBe(201)

    must(await busy.delete(`/quotes/${quotes[0].quote_id}`), 200)
    expect((await next()).status).toBe(201)
    must(await busy.post('/orders', orderBody(quotes[1])), 201)
    expect((await busy.post('/quotes', { domain: names[101] })).status).toBe(201)
    expect((await busy.post('/quotes', { domain: names[0] })).status).toBe(409)
    service.clock.advance(10 * MINUTES_MS)
    expect((await busy.post('/quotes', { domain: names[0] })).status).toBe(201)
  })
})

describe('GET /quotes/{quote_id}', () => {
  test('follows the quote through its states', async () => {
    const statusOfQuote = async (id: string) => (await partner.get(`/quotes/${id}`)).body.status
    const offered = await quote(partner, await freshName(service))
    expect((await partner.get(`/quotes/${offered.quote_id}`)).body).toEqual(offered)
    must(await partner.post('/orders', orderBody(offered)), 201)
    expect(await statusOfQuote(offered.quote_id)).toBe('consumed')
    const lapsing = await quote(partner, await freshName(service))
    service.clock.advance(10 * MINUTES_MS)
    expect(await statusOfQuote(lapsing.quote_id)).toBe('expired')
    expect(await statusOfQuote(offered.quote_id)).toBe('consumed')
  })

  test('responds the same to an absent quote, a foreign one and one of the other environment', async () => {
    const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
    const { quote_id, quote_token } = await quote(partner, await freshName(service))
    const { message } = (await partner.get('/quotes/qt_00000000000000000000000000')).body.error
    for (const [client, id] of [
      [other, quote_id],
      [other, quote_token],
      [live, quote_id],
      [live, quote_token],
      [partner, 'nonsense'],
      [partner, 'qt_%00'],
    ] as const) {
      const response = await client.get(`/quotes/${id}`)
      if (id === 'qt_%00') expect(response.status).toBeLessThan(500)
      else expect(response.body.error).toMatchObject({ code: 'not_found', message })
    }
  })
})

describe('DELETE /quotes/{quote_id}', () => {
  test('releases the quote and puts the domain back', async () => {
    const { domain, quote_id } = await quote(live, await freshName(service, 'live'))
    const response = await live.delete(`/quotes/${quote_id}`)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ quote_id, status: 'released' })
    expect(await statusOf(domain, rival)).toBe('listed')
    expect((await rival.post('/quotes', { domain })).status).toBe(201)
  })

  test('changes nothing when the quote was released or has lapsed', async () => {
    const released = await quote(live, await freshName(service, 'live'))
    await live.delete(`/quotes/${released.quote_id}`)
    const lapsed = await quote(live, await freshName(service, 'live'))
    service.clock.advance(10 * MINUTES_MS)
    const taken = await quote(rival, lapsed.domain)
    await quote(rival, released.domain)
    expect((await live.delete(`/quotes/${released.quote_id}`)).body.status).toBe('released')
    expect((await live.delete(`/quotes/${lapsed.quote_id}`)).body.status).toBe('expired')
    expect(await statusOf(released.domain, live)).toBe('reserved')
    expect(await statusOf(lapsed.domain, live)).toBe('reserved')
    expect((await rival.get(`/quotes/${taken.quote_id}`)).body.status).toBe('active')
  })

  test('rejects a quote that an order has used', async () => {
    const order = await sold(partner, await freshName(service))
    const response = await partner.delete(`/quotes/${order.quote_id}`)
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(await statusOf(order.domain)).toBe('sold')
  })

  test("does not release another's quote", async () => {
    const { domain, quote_id, quote_token } = await quote(partner, await freshName(service))
    for (const id of [quote_id, quote_token]) {
      expect(refusal(await other.delete(`/quotes/${id}`)).status).toBe(404)
    }
    expect(await statusOf(domain)).toBe('reserved')
  })
})

describe('the quote token', () => {
  test('can be checked by anyone against the published keys', async () => {
    const domain = await freshName(service)
    const offered = await quote(partner, domain)
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.baseUrl))
    const { payload, protectedHeader } = await jwtVerify(offered.quote_token, keys, {
      algorithms: ['EdDSA'],
      issuer: service.app.settings.baseUrl,
      subject: partner.partner_id,
      currentDate: service.clock.now(),
    })
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: expect.any(String) })
    expect(payload).toMatchObject({
      jti: offered.quote_id,
      domain,
      price_cents: 10_000,
      currency: 'USD',
      environment: 'sandbox',
      exp: Math.floor(Date.parse(offered.expires_at) / 1000),
    })
  })

  test('is published with the public half of the key only', async () => {
    const response = await service.send({ method: 'GET', target: '/.well-known/jwks.json' })
    expect(response.status).toBe(200)
    for (const key of response.body.keys) expect(key).not.toHaveProperty('d')
  })

  test('is taken wherever a quote_id is', async () => {
    const first = await quote(partner, await freshName(service))
    const read = await partner.get(`/quotes/${first.quote_token}`)
    expect(read.body).toEqual(first)
    expect((await partner.delete(`/quotes/${first.quote_token}`)).body.status).toBe('released')
    const second = await quote(partner, await freshName(service))
    const body = orderBody(second, { quote_id: second.quote_token })
    expect((await partner.post('/orders', body)).status).toBe(201)
  })

  test('that was tampered with is rejected wherever it is taken', async () => {
    const offered = await quote(partner, await freshName(service))
    const keys = createLocalJWKSet(
      (await service.send({ method: 'GET', target: '/.well-known/jwks.json' })).body,
    )
    const [, payload] = offered.quote_token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const forgeries = [
      tampered(offered.quote_token),
      `${none}.${payload}.`,
      `${offered.quote_token.slice(0, -4)}AAAA`,
    ]
    for (const token of forgeries) {
      await expect(jwtVerify(token, keys, { currentDate: service.clock.now() })).rejects.toThrow()
      expect(refusal(await partner.get(`/quotes/${token}`)).status).toBe(404)
      expect(refusal(await partner.delete(`/quotes/${token}`)).status).toBe(404)
      const response = await partner.post('/orders', orderBody(offered, { quote_id: token }))
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
    expect(await statusOf(offered.domain)).toBe('reserved')
    expect(decodeProtectedHeader(offered.quote_token).alg).toBe('EdDSA')
  })

  test('does not outlive the ten minutes', async () => {
    const offered = await quote(partner, await freshName(service))
    service.clock.advance(10 * MINUTES_MS)
    const body = orderBody(offered, { quote_id: offered.quote_token })
    expect(refusal(await partner.post('/orders', body))).toEqual({
      status: 422,
      code: 'quote_expired',
    })
  })
})
