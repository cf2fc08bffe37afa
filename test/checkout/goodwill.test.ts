import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import { sendGoodwill } from '../../src/domain/checkout/send-goodwill.ts'
import { Buyer, CARDS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, ledgerOf, mailsTo, must, operate } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService({ settings: { fourEyesCents: 5_000 } })
  partner = await service.partner({ environment: 'live' })
  await holdJobs(service, sendGoodwill)
})
afterAll(() => service.stop())

async function bought() {
  const domain = await freshName(service, 'live')
  const made = must(await partner.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.pay(made.checkout_url, CARDS.succeeds)
  const { public_id } = must(await partner.get(`/checkout-session/${made.id}`), 200).body
  const { payments } = must(
    await service.admin('GET', `/payments?public_id=${public_id}`),
    200,
  ).body
  return { domain, public_id, payment: payments[0] as { id: string; amount_cents: number } }
}

const give = (id: string, amount_cents: number, reason = 'The transfer took long') =>
  service.admin('POST', `/payments/${id}/goodwill-refunds`, { amount_cents, reason })
const send = () => sendGoodwill.run(service.app, AbortSignal.any([]))
const listed = async (paymentId: string) =>
  must(await service.admin('GET', `/goodwill-refunds?payment_id=${paymentId}`), 200).body
    .goodwill_refunds

async function balance(account: string, paymentId: string): Promise<number> {
  const ledger = await ledgerOf(service, { partnerId: partner.partner_id, environment: 'live' })
  return ledger
    .filter((entry) => entry.account === account && entry.source.includes(paymentId))
    .reduce((sum, entry) => sum + entry.amount_cents, 0)
}

async function alertsOf(paymentId: string) {
  const rows = await service.app.db
    .selectFrom('alerts')
    .select('data')
    .where('type', '=', 'alert.refund_failed')
    .orderBy('created_at')
    .execute()
  return rows.map(({ data }) => data).filter(({ payment_id }) => payment_id === paymentId)
}

const waiting = async (): Promise<number> =>
  must(await service.admin('GET', '/overview'), 200).body.waiting.refunds_failed
const failed = async () =>
  must(await service.admin('GET', '/payments?refund_failed=true'), 200).body.payments

describe('a goodwill refund', () => {
  test('goes to the card once, while the sale stands, and is mailed', async () => {
    const { public_id, payment } = await bought()
    const made = must(await give(payment.id, 1_500), 201).body
    expect(made).toMatchObject({
      status: 'pending',
      amount_cents: 1_500,
      requested_by: 'admin token',
    })
    // One at a time: whoever presses twice gives once.
    expect(must(await give(payment.id, 1_500), 409).body.error.details.reason).toBe(
      'not_allowed_now',
    )
    await Promise.all([send(), send()])
    await send()
    expect(await listed(payment.id)).toMatchObject([
      { status: 'sent', provider_ref: `test_${made.goodwill_id}` },
    ])
    expect(await balance('goodwill_refunds', payment.id)).toBe(1_500)
    const order = must(await service.admin('GET', `/orders/${public_id}`), 200).body
    expect(order.status).toBe('PAID')
    const subjects = await mailsTo(service, 'buyer@example.com')
    expect(subjects.filter((subject) => subject.includes('comes back'))).toHaveLength(1)
    must(await give(payment.id, 500), 201)
  })

  test('and a refund of the order send no more together than was paid', async () => {
    const { public_id, payment } = await bought()
    must(await give(payment.id, 1_000), 201)
    await send()
    await service.app.db
      .insertInto('refund_requests')
      .values({ public_id, requested_by: 'olga@example.com', requested_at: service.clock.now() })
      .execute()
    await operate(service, public_id, 'refund')
    await expect
      .poll(async () => {
        await advancePaymentsJob.run(service.app, AbortSignal.any([]))
        const { payments } = (await service.admin('GET', `/payments?public_id=${public_id}`)).body
        return payments[0].status
      })
      .toBe('refunded')
    const ledger = await ledgerOf(service, { partnerId: partner.partner_id, environment: 'live' })
    const out = ledger
      .filter(({ account, source }) => account === 'card_funds' && source.includes(payment.id))
      .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    // The sale itself is booked under the order: of the payment there is what went back.
    expect(out).toBe(-payment.amount_cents)
  })

  test('above FOUR_EYES_CENTS waits for somebody else', async () => {
    const { payment } = await bought()
    const made = must(await give(payment.id, 5_001), 201).body
    expect(made.status).toBe('needs_approval')
    const approve = `/goodwill-refunds/${made.goodwill_id}/approve`
    const { error } = must(await service.admin('POST', approve, {}), 403).body
    expect(error.code).toBe('forbidden')
    await send()
    expect(await listed(payment.id)).toMatchObject([{ status: 'needs_approval' }])
    const olga = must(
      await service.admin('POST', '/admin-tokens', { name: 'olga', role: 'finance' }),
      201,
    )
    const approved = await service.send({
      method: 'POST',
      target: `/api/admin/v1${approve}`,
      headers: {
        authorization: `Bearer ${olga.body.token}`,
        'content-type': 'application/json',
      },
      body: '{}',
    })
    expect(must(approved, 200).body).toMatchObject({ status: 'pending', approved_by: 'token olga' })
    await send()
    expect(await listed(payment.id)).toMatchObject([{ status: 'sent' }])
    must(await service.admin('POST', '/goodwill-refunds/gw_none/approve', {}), 404)
  })

  test('is rejected where it is none', async () => {
    const { payment } = await bought()
    must(await give('pay_none', 100), 404)
    must(await give(payment.id, 0), 400)
    must(await give(payment.id, 100, ''), 400)
    const over = must(await give(payment.id, payment.amount_cents + 1), 400).body.error
    expect(over.details[0]).toMatchObject({
      field: 'amount_cents',
      issue: `must be at most ${payment.amount_cents}, which is left of the payment`,
    })
    const all = must(await give(payment.id, payment.amount_cents), 409).body.error
    expect(all.message).toContain('refund the order instead')
  })

  test('that the provider rejects says why, and one that it does not respond to is tried again', async () => {
    const { payment } = await bought()
    const provider = service.app.payments.byId('test')
    const real = provider.giveBack.bind(provider)
    provider.giveBack = async () => Promise.reject(new Error('down'))
    must(await give(payment.id, 700), 201)
    await send()
    expect(await listed(payment.id)).toMatchObject([{ status: 'pending' }])
    provider.giveBack = async () => ({ kind: 'rejected', reason: 'The card is closed.' })
    service.clock.advance(3_600_000)
    await send()
    expect(await listed(payment.id)).toMatchObject([
      { status: 'failed', error: 'The card is closed.' },
    ])
    expect(await balance('goodwill_refunds', payment.id)).toBe(0)
    provider.giveBack = real
    must(await give(payment.id, 700), 201)
  })

  test('that failed alerts, and waits for an operator until another is made or it is closed', async () => {
    const { public_id, payment } = await bought()
    const provider = service.app.payments.byId('test')
    const real = provider.giveBack.bind(provider)
    // Of other tests.
    await send()
    const before = await waiting()
    provider.giveBack = async () => ({ kind: 'rejected', reason: 'The card is closed.' })
    const first = must(await give(payment.id, 700), 201).body
    await send()
    const about = { payment_id: payment.id, public_id, amount_cents: 700, currency: 'USD' }
    expect(await alertsOf(payment.id)).toMatchObject([
      { ...about, goodwill_id: first.goodwill_id, reason: 'The card is closed.' },
    ])
    expect(await waiting()).toBe(before + 1)
    expect(await failed()).toContainEqual(
      expect.objectContaining({
        id: payment.id,
        failed_goodwill: [
          { goodwill_id: first.goodwill_id, amount_cents: 700, error: 'The card is closed.' },
        ],
      }),
    )

    const second = must(await give(payment.id, 600), 201).body
    expect(await waiting()).toBe(before)
    await send()
    expect(await waiting()).toBe(before + 1)
    expect(await alertsOf(payment.id)).toHaveLength(2)
    const close = `/goodwill-refunds/${second.goodwill_id}/close`
    must(await service.admin('POST', close, {}), 400)
    must(await service.admin('POST', close, { note: 'Paid by bank transfer.' }), 200)
    must(await service.admin('POST', close, { note: 'Paid by bank transfer.' }), 200)
    expect(await waiting()).toBe(before)
    expect(await listed(payment.id)).toMatchObject([{ status: 'closed' }, { status: 'closed' }])
    must(await service.admin('POST', '/goodwill-refunds/gw_none/close', { note: 'None' }), 404)

    // What is closed leaves all of the payment to be given back.
    provider.giveBack = real
    const third = must(await give(payment.id, payment.amount_cents - 1), 201).body
    const open = `/goodwill-refunds/${third.goodwill_id}/close`
    must(await service.admin('POST', open, { note: 'Too early.' }), 409)
  })
})
