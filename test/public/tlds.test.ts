import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (target: string) => service.send({ method: 'GET', target })
const price = (query: string) => get(`/api/pricing/tld?${query}`)
const metadata = (tld: string) => get(`/api/tlds/${tld}/metadata`)

describe('GET /api/pricing/tld', () => {
  test('has a price for every operation', async () => {
    for (const op of ['register', 'renew', 'transfer', 'restore']) {
      const response = await price(`tld=com&op=${op}`)
      expect(response.status, response.text).toBe(200)
      expect(response.body).toEqual({
        tld: 'com',
        op,
        price_cents: expect.any(Number),
        currency: 'USD',
        years: 1,
      })
    }
  })

  test('means register when no operation is named', async () => {
    expect((await price('tld=com')).body).toEqual((await price('tld=com&op=register')).body)
  })

  test.each([
    ['.com', 'com'],
    ['COM', 'com'],
    ['%D1%80%D1%84', 'xn--p1ai'],
    ['co.uk', 'co.uk'],
  ])('reads %s as %s', async (given, tld) => {
    expect((await price(`tld=${given}`)).body).toMatchObject({ tld })
  })

  test('says for how many years the price is, where one cannot be had', async () => {
    expect((await price('tld=ai')).body).toMatchObject({ tld: 'ai', years: 2 })
  })

  test('returns 404 for a top-level domain that is none', async () => {
    expect(refusal(await price('tld=notatld'))).toEqual({ status: 404, code: 'not_found' })
    expect(refusal(await price('tld=constructor'))).toEqual({ status: 404, code: 'not_found' })
  })

  test.each(['test', 'google', 'gov'])('returns 404 where nothing is sold: .%s', async (tld) => {
    const response = await price(`tld=${tld}`)
    expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
    expect(response.body.error.message).toContain(`to register names on .${tld}`)
  })

  test.each([
    'tld=com&op=buy',
    'tld=com&op=',
    'tld=com&op=Register',
    'op=register',
    'tld=',
    'tld=c_m',
    'tld=-',
    'tld=%00',
    'tld=com&tld=net',
    `tld=${'a'.repeat(100)}`,
  ])('refuses %s', async (query) => {
    expect(refusal(await price(query))).toEqual({ status: 400, code: 'validation_error' })
  })
})

describe('GET /api/tlds/{tld}/metadata', () => {
  test('tells the requirements that are on record', async () => {
    const response = await metadata('eu')
    expect(response.status, response.text).toBe(200)
    expect(response.body).toMatchObject({
      tld: 'eu',
      type: 'country-code',
      term: { min_years: 1, max_years: 10 },
      nameservers: { required: false, min: 0, max: 9 },
      dnssec: true,
    })
    expect(response.body.organization).toContain('itizens of the European Union')
    expect(response.body.registrant_countries).toHaveLength(30)
    expect(response.body.registrant_countries).toEqual(expect.arrayContaining(['DE', 'FR', 'NO']))
  })

  test.each([
    ['com', 'generic'],
    ['biz', 'generic-restricted'],
    ['museum', 'sponsored'],
    ['de', 'country-code'],
    ['co.uk', 'country-code'],
    ['xn--fiqs8s', 'country-code'],
    ['arpa', 'infrastructure'],
    ['test', 'reserved'],
    ['google', 'generic'],
    ['horse', 'generic'],
  ])('knows .%s as %s', async (tld, type) => {
    const { body } = await metadata(tld)
    expect(body).toMatchObject({ tld, type })
    expect(body.term.max_years).toBeGreaterThanOrEqual(body.term.min_years)
    expect(body.nameservers.max).toBeGreaterThanOrEqual(body.nameservers.min)
  })

  test('reads U-labels and capitals', async () => {
    expect((await metadata(encodeURIComponent('рф'))).body).toMatchObject({ tld: 'xn--p1ai' })
    expect((await metadata('.COM')).body).toMatchObject({ tld: 'com' })
  })

  test('says who may register where the public may not', async () => {
    expect((await metadata('google')).body.organization).toContain('operator')
    expect((await metadata('test')).body.organization).toContain('RFC 2606')
  })

  test('returns 404 for what is none, and 400 for what cannot be one', async () => {
    expect(refusal(await metadata('nope'))).toEqual({ status: 404, code: 'not_found' })
    expect(refusal(await metadata('__proto__'))).toEqual({ status: 400, code: 'validation_error' })
    expect(refusal(await metadata('a%20b'))).toEqual({ status: 400, code: 'validation_error' })
  })
})
