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

const price = (domain: string, client = partner) => client.get(`/pricing${queryOf({ domain })}`)

describe('GET /pricing', () => {
  test('returns buy-now and floor price', async () => {
    await service.list('sandbox', 'priced.test,10000,8000,USD')
    const response = await price('priced.test')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      domain: 'priced.test',
      price_cents: 10_000,
      floor_price_cents: 8_000,
      currency: 'USD',
    })
  })

  test('of a reserved domain is still there', async () => {
    const domain = await freshName(service)
    await quote(partner, domain)
    expect((await price(domain)).status).toBe(200)
  })

  test('of what is not listed, sold, or of the other environment is not found', async () => {
    const taken = await freshName(service)
    await sold(partner, taken)
    const live = await freshName(service, 'live')
    for (const domain of ['never-listed.test', taken, live]) {
      expect(refusal(await price(domain))).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('takes any case and U-labels, and returns the A-label', async () => {
    await offer(service, 'sandbox', ['xn--bcher-kva.test'])
    for (const domain of ['bücher.TEST', 'xn--BCHER-kva.test']) {
      expect((await price(domain)).body.domain).toBe('xn--bcher-kva.test')
    }
  })

  test.each(BAD_DOMAINS.map((domain) => [JSON.stringify(domain), domain]))(
    'refuses %s',
    async (_shown, domain) => {
      const response = await price(domain)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('domain')
    },
  )

  test('needs the scope search', async () => {
    const buyer = await service.partner({ scopes: ['buy'] })
    expect(refusal(await price('petpantry.test', buyer)).code).toBe('forbidden')
  })
})
