import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { BAD_DOMAINS } from '../support/inputs.ts'
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

const get = (name: string, client = partner) => client.get(`/domains/${encodeURIComponent(name)}`)

describe('GET /domains/{name}', () => {
  test('returns price, availability and metadata', async () => {
    await service.list('sandbox', 'detail.test,10000,8000,USD')
    const response = await get('detail.test')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      domain: 'detail.test',
      tld: 'test',
      available: true,
      status: 'listed',
      price_cents: 10_000,
      floor_price_cents: 8_000,
      currency: 'USD',
      offers: 'open',
      min_offer_cents: null,
      metadata: { test: true },
    })
  })

  test('follows the domain from listed to reserved to sold', async () => {
    const domain = await freshName(service)
    await quote(partner, domain)
    expect((await get(domain)).body).toMatchObject({ status: 'reserved', available: false })
    await sold(partner, domain)
    expect((await get(domain)).body).toMatchObject({ status: 'sold', available: false })
  })

  test('takes any case and U-labels, and returns the A-label', async () => {
    await offer(service, 'sandbox', ['xn--bcher-kva.test'])
    for (const name of ['bücher.test', 'BÜCHER.TEST', 'XN--BCHER-KVA.Test', 'bu\u0308cher.test']) {
      expect((await get(name)).body.domain).toBe('xn--bcher-kva.test')
    }
  })

  test('a domain that was never listed, or is of the other environment, is not found', async () => {
    const live = await freshName(service, 'live')
    for (const name of ['never-listed.test', live]) {
      expect(refusal(await get(name))).toEqual({ status: 404, code: 'not_found' })
    }
    const client = await service.partner({ environment: 'live' })
    expect((await get(live, client)).status).toBe(200)
    expect((await get('petpantry.test', client)).status).toBe(404)
  })

  test.each(BAD_DOMAINS.filter((name) => name !== '').map((name) => [JSON.stringify(name), name]))(
    'refuses %s',
    async (_shown, name) => {
      const response = await get(name)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    },
  )

  test('rejects a path that is no well-formed one', async () => {
    const response = await partner.get('/domains/%zz')
    expect(response.status).toBe(400)
  })

  test('needs the scope search', async () => {
    const buyer = await service.partner({ scopes: ['buy'] })
    expect(refusal(await get('petpantry.test', buyer)).code).toBe('forbidden')
  })
})
