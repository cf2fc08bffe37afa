import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { BAD_CENTS, queryOf } from '../support/inputs.ts'
import { must, offer, refusal } from '../support/market.ts'
import { quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  await offer(service, 'sandbox', ['quokkagarden.test', 'quokkagarden.shop', 'garden-quokka.dev'])
  await offer(service, 'sandbox', ['quokkagardenclub.test', 'quokkazoo.test', 'quokka.io'], 50_000)
  await offer(service, 'live', ['quokkalive.com'])
})
afterAll(() => service.stop())

const search = async (parameters: Record<string, string | number>, client = partner) =>
  must(await client.get(`/domains/search${queryOf(parameters)}`), 200).body
const names = async (parameters: Record<string, string | number>, client = partner) =>
  (await search(parameters, client)).results.map(({ domain }: { domain: string }) => domain)

describe('GET /domains/search', () => {
  test('returns the query and at most five results, each with its reason', async () => {
    const body = await search({ q: 'quokka garden' })
    expect(body.query).toBe('quokka garden')
    expect(body.results).toHaveLength(5)
    expect(body.count).toBe(5)
    for (const result of body.results) {
      expect(result).toEqual({
        domain: expect.stringContaining('quokka'),
        tld: result.domain.slice(result.domain.indexOf('.') + 1),
        price_cents: expect.any(Number),
        currency: 'USD',
        available: true,
        score: expect.any(Number),
        why: expect.stringContaining('quokka'),
      })
    }
    const scores = body.results.map(({ score }: { score: number }) => score)
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true)
  })

  test('puts what has all the words before what has one', async () => {
    const found = await names({ q: 'garden quokka' })
    expect(found.slice(0, 3).toSorted()).toEqual([
      'garden-quokka.dev',
      'quokkagarden.shop',
      'quokkagarden.test',
    ])
  })

  test('returns fewer when fewer match, and none when none does', async () => {
    await offer(service, 'sandbox', ['numbatzoo.test'])
    expect(await names({ q: 'numbat' })).toEqual(['numbatzoo.test'])
    expect(await search({ q: 'zzzzqqqq' })).toEqual({ query: 'zzzzqqqq', count: 0, results: [] })
  })

  test('puts the name itself first, in any case', async () => {
    const { results } = await search({ q: 'QUOKKAZOO.test' })
    expect(results[0]).toMatchObject({ domain: 'quokkazoo.test', score: 1 })
  })

  test('finds a name by its U-label', async () => {
    await offer(service, 'sandbox', ['xn--bcher-kva.test'])
    expect((await names({ q: 'bücher.test' }))[0]).toBe('xn--bcher-kva.test')
  })

  test('finds a number beside a word of any language', async () => {
    await offer(service, 'sandbox', ['пицца24.test'])
    for (const q of ['пицца 24', 'пицца', 'ПИЦЦА24']) {
      expect((await names({ q }))[0]).toBe('xn--24-6kc5a8a5ba.test')
    }
  })

  test('by TLD and by price', async () => {
    expect(await names({ q: 'quokka', tld: 'shop' })).toEqual(['quokkagarden.shop'])
    expect(await names({ q: 'quokka', tld: '.SHOP' })).toEqual(['quokkagarden.shop'])
    expect(await names({ q: 'quokka', max_price_cents: 49_999 })).toHaveLength(3)
    expect(await names({ q: 'quokka', max_price_cents: 50_000 })).toHaveLength(5)
    expect(await names({ q: 'quokka', max_price_cents: 50_000, tld: 'nowhere' })).toEqual([])
  })

  test('shows a reserved name as not available, and no sold one', async () => {
    await offer(service, 'sandbox', ['wombatpath.test', 'wombatroad.test'])
    await quote(partner, 'wombatpath.test')
    await sold(partner, 'wombatroad.test')
    expect((await search({ q: 'wombat' })).results).toMatchObject([
      { domain: 'wombatpath.test', available: false },
    ])
  })

  test('shows each environment its own inventory', async () => {
    const live = await service.partner({ environment: 'live' })
    expect(await names({ q: 'quokka' }, live)).toEqual(['quokkalive.com'])
    expect(await names({ q: 'quokkalive' })).not.toContain('quokkalive.com')
  })

  test.each(['', ' ', '\t\n', '\u3000'])('rejects a blank q: %j', async (q) => {
    const response = await partner.get(`/domains/search${queryOf({ q })}`)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe('q')
  })

  test('rejects an absent q, one that is too long, and two', async () => {
    for (const query of ['', queryOf({ q: 'x'.repeat(501) }), '?q=a&q=b']) {
      const response = await partner.get(`/domains/search${query}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('q')
    }
  })

  test.each(BAD_CENTS.map(([shown]) => shown).concat(['null', '']))(
    'refuses a max_price_cents of %s',
    async (max_price_cents) => {
      const response = await partner.get(`/domains/search${queryOf({ q: 'pet', max_price_cents })}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('max_price_cents')
    },
  )

  test.each(['%', '_', '%%%', "'; drop table listings; --", '\\', '!!!', '☃', 'a\u0000b'])(
    'takes nothing in q for more than text: %j',
    async (q) => {
      const response = await partner.get(`/domains/search${queryOf({ q })}`)
      expect([200, 400]).toContain(response.status)
      if (/^[%_\\!☃]+$/.test(q)) expect(response.body).toMatchObject({ count: 0 })
    },
  )

  test('needs the scope search', async () => {
    const buyer = await service.partner({ scopes: ['buy'] })
    const response = await buyer.get('/domains/search?q=pet')
    expect(refusal(response)).toEqual({ status: 403, code: 'forbidden' })
  })
})
