import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { BAD_DOMAINS, queryOf } from '../support/inputs.ts'
import { freshName, offer, refusal } from '../support/market.ts'
import { quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
})
afterAll(() => service.stop())

const check = (domain: string, client = partner) =>
  client.get(`/availability${queryOf({ domain })}`)
const unavailable = (domain: string) => ({
  domain,
  available: false,
  price_cents: null,
  currency: null,
})

describe('GET /availability', () => {
  test('returns the price of a domain that can be bought', async () => {
    const domain = await freshName(service)
    const response = await check(domain)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ domain, available: true, price_cents: 10_000, currency: 'USD' })
  })

  test('returns 200 and no for what is unlisted, reserved, sold or of the other environment', async () => {
    const reserved = await freshName(service)
    await quote(partner, reserved)
    const taken = await freshName(service)
    await sold(partner, taken)
    const live = await freshName(service, 'live')
    for (const domain of ['never-listed.test', reserved, taken, live]) {
      const response = await check(domain)
      expect(response.status).toBe(200)
      expect(response.body).toEqual(unavailable(domain))
    }
  })

  test('says yes again once the reservation has lapsed', async () => {
    const domain = await freshName(service)
    await quote(partner, domain)
    service.clock.advance(10 * 60_000)
    expect((await check(domain)).body.available).toBe(true)
  })

  test('takes any case and U-labels, and returns the A-label, listed or not', async () => {
    await offer(service, 'sandbox', ['xn--bcher-kva.test'])
    expect((await check('BÜCHER.test')).body).toMatchObject({
      domain: 'xn--bcher-kva.test',
      available: true,
    })
    expect((await check('Straße.example')).body).toEqual(unavailable('xn--strae-oqa.example'))
    // Only small letters tell the sigma at a word's end from others.
    const odos = unavailable('xn----zlbajrf0bkb4b.test')
    expect((await check('οδοσ-αθηνα.test')).body).toEqual(odos)
    expect((await check('ΟΔΟΣ-ΑΘΗΝΑ.test')).body).toEqual(odos)
  })

  test('takes a name of 253 characters, and none of more', async () => {
    const most = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(56)}.test`
    expect(most).toHaveLength(253)
    expect((await check(most)).body).toEqual(unavailable(most))
    expect(refusal(await check(most.replace('d', 'dd')))).toEqual({
      status: 400,
      code: 'validation_error',
    })
  })

  test.each(BAD_DOMAINS.map((domain) => [JSON.stringify(domain), domain]))(
    'refuses %s',
    async (_shown, domain) => {
      const response = await check(domain)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('domain')
    },
  )

  test('rejects none and two', async () => {
    for (const query of ['', '?domain=a.test&domain=b.test']) {
      const response = await partner.get(`/availability${query}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
  })

  test('needs the scope search', async () => {
    const buyer = await service.partner({ scopes: ['buy'] })
    expect(refusal(await check('petpantry.test', buyer)).code).toBe('forbidden')
  })

  test('each of many at once gets its own response', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `at-once-${index}.test`)
    await offer(service, 'sandbox', names.slice(0, 30))
    const responses = await Promise.all(names.map((name) => check(name)))
    expect(responses.map(({ body }) => [body.domain, body.available])).toEqual(
      names.map((name, index) => [name, index < 30]),
    )
  })
})
