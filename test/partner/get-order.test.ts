import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { freshName, operate, refusal } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
})
afterAll(() => service.stop())

test('returns what POST /orders returned', async () => {
  const order = await sold(partner, await freshName(service))
  const response = await partner.get(`/orders/${order.public_id}`)
  expect(response.status).toBe(200)
  expect(response.body).toEqual(order)
})

test('shows the transfer and a timeline, oldest first, in the order of the clock', async () => {
  const domain = await freshName(service, 'sandbox', { label: 'manual-review' })
  const { public_id } = await sold(partner, domain)
  service.clock.advance(1_000)
  await operate(service, public_id, 'clear')
  service.clock.advance(1_000)
  await operate(service, public_id, 'start')
  service.clock.advance(1_000)
  await operate(service, public_id, 'complete')
  service.clock.advance(1_000)
  await partner.post('/sandbox/settlement-runs')
  const { body } = await partner.get(`/orders/${public_id}`)
  expect(body.timeline).toMatchObject([
    { type: 'order.recorded', status: 'EXTERNALLY_PAID', note: expect.stringContaining('Held') },
    { type: 'order.manual_review_cleared', status: 'EXTERNALLY_PAID', note: null },
    { type: 'order.transfer_started', status: 'TRANSFER_IN_PROGRESS', note: null },
    { type: 'order.transfer_completed', status: 'TRANSFER_COMPLETED', note: null },
    { type: 'order.settled', status: 'SETTLED', note: null },
  ])
  const times = body.timeline.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted())
  expect(body.transfer).toEqual({
    status: 'completed',
    started_at: times[2],
    completed_at: times[3],
    reason: null,
    registrar: { iana_id: null, name: 'Simulated registrar' },
    code_available: false,
    expected_by: null,
    stalled: false,
    proof: { source: 'simulated', at: times[3], registrar_iana_id: null, note: null },
  })
  expect(body.updated_at).toBe(times[4])
})

test('either search or buy opens it', async () => {
  const { public_id } = await sold(partner, await freshName(service))
  for (const scope of ['search', 'buy'] as const) {
    const client = await service.partner({ partner_id: partner.partner_id, scopes: [scope] })
    expect((await client.get(`/orders/${public_id}`)).status).toBe(200)
  }
  const reporter = await service.partner({ partner_id: partner.partner_id, scopes: ['report'] })
  const response = await reporter.get(`/orders/${public_id}`)
  expect(refusal(response)).toEqual({ status: 403, code: 'forbidden' })
  expect(response.body.error.details.missing_scope).toEqual(['search', 'buy'])
})

test("another partner's order responds as an absent one", async () => {
  const { public_id } = await sold(partner, await freshName(service))
  const other = await service.partner()
  const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
  const absent = (await partner.get('/orders/ord_00000000000000000000000000')).body.error
  for (const client of [other, live]) {
    const response = await client.get(`/orders/${public_id}`)
    expect(response.status).toBe(404)
    expect({ ...response.body.error, request_id: '' }).toEqual({ ...absent, request_id: '' })
  }
})

test.each(['x', 'ord_', '%00', '%E2%98%83', '..%2Forders', "ord_'%20or%20true"])(
  'an order that cannot be is refused: %s',
  async (id) => {
    expect([400, 404]).toContain((await partner.get(`/orders/${id}`)).status)
  },
)
