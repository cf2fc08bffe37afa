import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { orderBody, quote, sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
})
afterAll(() => service.stop())

describe('POST /orders', () => {
  test('records the sale and takes the domain off the market', async () => {
    const answer = await sell(partner, 'petpantry.test')
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      domain: 'petpantry.test',
      status: 'EXTERNALLY_PAID',
      held: false,
    })
    const detail = await partner.get('/domains/petpantry.test')
    expect(detail.body).toMatchObject({ status: 'sold', available: false })
  })

  test('without an Idempotency-Key is refused', async () => {
    const body = orderBody(await quote(partner, 'getdogstore.test'))
    const answer = await partner.post('/orders', body, { key: null })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('missing_idempotency_key')
  })
})
