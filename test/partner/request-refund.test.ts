import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, operate, refusal } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
})
afterAll(() => service.stop())

describe('POST /refunds', () => {
  test('returns the full amount', async () => {
    const domain = await freshName(service, 'sandbox', { priceCents: 4_321 })
    const { public_id } = await sold(partner, domain)
    const response = await partner.post('/refunds', { public_id })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      refund_id: expect.stringMatching(/^rf_[0-9a-z]{26}$/),
      public_id,
      status: 'succeeded',
      amount_cents: 4_321,
      currency: 'USD',
      created_at: expect.any(String),
    })
  })

  test.each(['duplicate', 'fraudulent', 'requested_by_customer', 'transfer_failed', 'other'])(
    'takes the reason %s, and keeps the note',
    async (reason) => {
      const { public_id } = await sold(partner, await freshName(service))
      must(
        await partner.post('/refunds', { public_id, reason, note: 'As they asked.\nTwice.' }),
        201,
      )
      const { body } = await partner.get(`/orders/${public_id}`)
      expect(body).toMatchObject({ status: 'REFUNDED', transfer: { status: 'cancelled' } })
      expect(body.timeline.at(-1)).toMatchObject({
        type: 'order.refunded',
        note: 'As they asked.\nTwice.',
      })
    },
  )

  test('is too late once the transfer is completed, and does nothing a second time', async () => {
    const delivered = await sold(partner, await freshName(service))
    await operate(service, delivered.public_id, 'start', 'complete')
    const refunded = await sold(partner, await freshName(service))
    must(await partner.post('/refunds', { public_id: refunded.public_id }), 201)
    for (const { public_id } of [delivered, refunded]) {
      const response = await partner.post('/refunds', { public_id })
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    }
  })

  test("another partner's order responds as an absent one", async () => {
    const { public_id } = await sold(partner, await freshName(service))
    const other = await service.partner()
    const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
    for (const client of [other, live]) {
      expect(refusal(await client.post('/refunds', { public_id }))).toEqual({
        status: 404,
        code: 'not_found',
      })
    }
    const absent = await partner.post('/refunds', { public_id: 'ord_00000000000000000000000000' })
    expect(refusal(absent)).toEqual({ status: 404, code: 'not_found' })
    expect((await partner.get(`/orders/${public_id}`)).body.status).toBe('EXTERNALLY_PAID')
  })

  test.each<[field: string, body: object]>([
    ['public_id', {}],
    ['public_id', { public_id: '' }],
    ['public_id', { public_id: 7 }],
    ['reason', { public_id: 'ord_1', reason: 'no reason' }],
    ['note', { public_id: 'ord_1', note: 'x'.repeat(1_001) }],
    ['note', { public_id: 'ord_1', note: 'a\u0000b' }],
    ['note', { public_id: 'ord_1', note: '\ud800' }],
  ])('refuses the %s of %j', async (field, body) => {
    const response = await partner.post('/refunds', body)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe(field)
  })

  test('needs the scope buy', async () => {
    const reader = await service.partner({ scopes: ['search', 'report'] })
    expect(refusal(await reader.post('/refunds', { public_id: 'ord_1' }))).toEqual({
      status: 403,
      code: 'forbidden',
    })
  })
})
