import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advancePaymentsJob } from '../../src/domain/checkout/pay.ts'
import { sendGoodwill } from '../../src/domain/checkout/send-goodwill.ts'
import { HOUR, MINUTE } from '../../src/lib/clock.ts'
import { Buyer, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, ledgerOf, must, operate, refusal } from '../support/market.ts'
import { sell } from '../support/sale.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'
import { type StripeSession, sendWebhook, startStripe } from '../support/stripe.ts'

let stripe: Awaited<ReturnType<typeof startStripe>>
let service: TestService
let client: PartnerClient
beforeAll(async () => {
  stripe = await startStripe()
  service = await startService({
    settings: { paymentProvider: 'stripe', stripe: stripe.settings },
  })
})
afterAll(async () => {
  await service.stop()
  stripe.stop()
})

/** A buyer who stands before Stripe's page, of a partner that nothing else was sold for. */
async function atStripe() {
  client = await service.partner({ environment: 'live', affiliate: true })
  const domain = await freshName(service, 'live')
  const made = must(await client.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.visit(made.checkout_url)
  await buyer.submit(DETAILS)
  await buyer.submit()
  const page = stripe.sessionAt(buyer.page.headers.location)
  Object.assign(page, { payment_status: 'paid', status: 'complete' })
  return { domain, made, buyer, page, price: made.price_cents as number }
}

async function paid() {
  const visit = await atStripe()
  must(await sendWebhook(service, 'checkout.session.completed', visit.page), 200)
  const session = must(await client.get(`/checkout-session/${visit.made.id}`), 200).body
  expect(session.status).toBe('paid')
  return { ...visit, publicId: session.public_id as string }
}

async function tell(type: string, object: { id: string }) {
  return must(await sendWebhook(service, type, object), 200)
}

async function order(publicId: string) {
  return must(await client.get(`/orders/${publicId}`), 200).body
}

async function payment(sessionId: string) {
  const { payments } = must(await service.admin('GET', '/payments?limit=100'), 200).body
  return payments.find(({ session_id }: { session_id: string }) => session_id === sessionId)
}

/** What the buyer reads: the page of the checkout, and the mails about the domain, newest first. */
async function told(
  buyer: Buyer,
  { checkout_url, domain }: { checkout_url: string; domain: string },
) {
  const { mails } = must(
    await service.admin('GET', `/mails?to=${DETAILS.email}&limit=100`),
    200,
  ).body
  const about = mails.filter(({ subject }: { subject: string }) => subject.includes(domain))
  return [
    (await buyer.visit(checkout_url)).text,
    ...about.map(({ text }: { text: string }) => text),
  ]
}

async function until(status: string, sessionId: string) {
  for (let tries = 0; tries < 100; tries++) {
    const found = await payment(sessionId)
    if (found.status === status) return found
    // The service does so by itself, every now and then.
    await advancePaymentsJob.run(service.app, new AbortController().signal)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`never ${status}: ${JSON.stringify(await payment(sessionId))}`)
}

/** Takes a sale back while Stripe is down: its refund is sent once the clock goes on, and not before. */
async function refundLater(publicId: string, sessionId: string): Promise<void> {
  stripe.failNext(99)
  await operate(service, publicId, 'refund')
  await putOff(sessionId)
  stripe.failNext(0)
}

/** Until an attempt to send a refund has ended without a response. */
async function putOff(sessionId: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    await advancePaymentsJob.run(service.app, new AbortController().signal)
    const { due_at } = await service.app.db
      .selectFrom('payments')
      .select('due_at')
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow()
    const waits = (due_at?.getTime() ?? 0) - service.clock.now().getTime()
    // Some seconds, rather than the minute of an attempt that is under way.
    if (waits > 0 && waits < MINUTE / 2) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the attempt did not end')
}

/** The accounts that are not empty. */
async function balances() {
  const sums: Record<string, number> = {}
  const partner = { partnerId: client.partner_id, environment: 'live' } as const
  for (const { account, amount_cents } of await ledgerOf(service, partner)) {
    sums[account] = (sums[account] ?? 0) + amount_cents
  }
  return Object.fromEntries(Object.entries(sums).filter(([, cents]) => cents !== 0))
}

/** What the partner's readings say that it earned; they agree to the cent. */
async function earned(): Promise<number> {
  const { balance_cents } = must(await client.get('/me/commissions'), 200).body
  const { totals } = must(await client.get('/transactions'), 200).body
  expect(totals.commission_cents).toBe(balance_cents)
  return balance_cents
}

/** A dispute over a part of the payment, which the bank has taken and told of. */
async function opened(page: Parameters<typeof stripe.dispute>[0], cents: number) {
  const dispute = stripe.dispute(page, 'needs_response', [-cents])
  await tell('charge.dispute.created', Object.assign(dispute, { amount: cents }))
  return dispute
}

/** A refund that an operator made in Stripe's dashboard. */
function byHand(id: string, { payment_intent }: { payment_intent: string }, amount: number) {
  const refund = { id, status: 'succeeded', payment_intent, amount }
  stripe.refunds.push(refund)
  return refund
}

/** A figure of the metrics, by its name and labels. */
async function metric(line: string): Promise<number> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { text } = await service.send({ method: 'GET', target: '/metrics', headers })
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return Number(found?.split(' ').at(-1))
}

/** A refund that Stripe has made, and has not responded to yet. */
async function refundUnderWay(publicId: string, move: 'refund' | 'cancel' = 'refund') {
  const before = stripe.refunds.length
  const release = stripe.holdRefunds()
  await operate(service, publicId, move)
  await expect.poll(() => stripe.refunds.length, { timeout: 10_000 }).toBe(before + 1)
  return { release, refund: lastRefund() }
}

function lastRefund() {
  const refund = stripe.refunds.at(-1)
  if (!refund) throw new Error('no refund')
  return refund
}

describe('a dispute', () => {
  test('holds an order on, that was held for another reason and is cleared', async () => {
    const { page, price, publicId } = await paid()
    await service.app.db
      .updateTable('orders')
      .set({ held: true, hold_reason: 'high_price' })
      .where('public_id', '=', publicId)
      .execute()
    const dispute = stripe.dispute(page, 'needs_response', [-price])
    await tell('charge.dispute.funds_withdrawn', dispute)
    expect(await order(publicId)).toMatchObject({ held: true, hold_reason: 'high_price' })
    const move = (name: string) => service.admin('POST', `/orders/${publicId}/${name}`, {})
    const held = { held: true, hold_reason: 'payment_disputed', status: 'PAID' }
    expect(must(await move('clear'), 200).body).toMatchObject(held)
    stripe.dispute(page, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.funds_reinstated', dispute)
    expect(await order(publicId)).toMatchObject({ held: false, hold_reason: null })
  })

  test('takes the sale’s earnings, holds its domain, and gives both back when it is won', async () => {
    const { page, price, publicId, made } = await paid()
    const before = await balances()
    const dispute = stripe.dispute(page, 'needs_response', [-price])
    dispute.amount = price + 1
    await tell('charge.dispute.created', dispute)
    await tell('charge.dispute.funds_withdrawn', dispute)
    expect(await order(publicId)).toMatchObject({
      status: 'PAID',
      held: true,
      hold_reason: 'payment_disputed',
    })
    expect(await earned()).toBe(0)
    expect(await balances()).toEqual({ disputed_funds: price, undelivered_sales: -price })
    expect((await payment(made.id)).status).toBe('disputed')
    const { disputes } = must(
      await service.admin('GET', '/disputes?status=needs_response'),
      200,
    ).body
    expect(disputes[0]).toMatchObject({
      public_id: publicId,
      provider_ref: dispute.id,
      amount_cents: price,
      reason: 'fraudulent',
      due_at: '2030-03-17T17:46:40.000Z',
    })
    const waiting = 'payment_disputes{environment="live",status="needs_response"}'
    expect(await metric(waiting)).toBe(1)
    const rejected = await service.admin('POST', `/orders/${publicId}/refund`, {})
    expect(refusal(rejected)).toEqual({ status: 409, code: 'conflict' })

    stripe.dispute(page, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.closed', dispute)
    await tell('charge.dispute.funds_reinstated', dispute)
    expect(await order(publicId)).toMatchObject({ held: false, hold_reason: null })
    expect(await earned()).toBe(1_000)
    expect(await balances()).toEqual(before)
    expect((await payment(made.id)).status).toBe('succeeded')
    expect(await metric(waiting)).toBe(0)
    const { timeline } = await order(publicId)
    expect(timeline.map(({ type }: { type: string }) => type)).toEqual([
      'order.paid',
      'payment.disputed',
      'payment.dispute_won',
    ])
    const { entries } = must(await client.get('/me/commissions'), 200).body
    expect(entries.map(({ type }: { type: string }) => type)).toEqual([
      'accrued',
      'reversed',
      'accrued',
    ])
    // What was said before comes late, and changes nothing.
    stripe.dispute(page, 'needs_response', [-price], dispute.id)
    await tell('charge.dispute.created', dispute)
    expect((await payment(made.id)).status).toBe('succeeded')
    expect(await balances()).toEqual(before)
  })

  test('that is lost is a loss; an order taken back then pays nobody twice', async () => {
    const { page, price, publicId, made, domain, buyer } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-price])
    await tell('charge.dispute.closed', dispute)
    expect(await balances()).toEqual({ dispute_losses: price, undelivered_sales: -price })
    expect((await payment(made.id)).status).toBe('charged_back')
    const before = stripe.refunds.length
    await operate(service, publicId, 'cancel')
    expect(await balances()).toEqual({})
    expect(await earned()).toBe(0)
    expect((await payment(made.id)).status).toBe('charged_back')
    const [receipt, mail] = await told(buyer, made)
    expect(receipt).toContain('Your bank has given the payment')
    expect(mail).toContain('You have already received the whole amount')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(stripe.refunds.length).toBe(before)
    expect(must(await client.get(`/domains/${domain}`), 200).body.status).toBe('listed')
    // A decision that is turned round: the money is the buyer's, and goes back to the card.
    stripe.dispute(page, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.funds_reinstated', dispute)
    await until('refunded', made.id)
    expect(stripe.refunds.length).toBe(before + 1)
    expect(await balances()).toEqual({})
  })

  test('over a part that is lost leaves the rest to be refunded, and the part when it turns round', async () => {
    const { page, price, publicId, made, buyer } = await paid()
    const won = stripe.dispute(page, 'won', [-1_000, 1_000])
    await tell('charge.dispute.closed', Object.assign(won, { amount: 1_000 }))
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    dispute.amount = 3_000
    await tell('charge.dispute.closed', dispute)
    expect((await payment(made.id)).status).toBe('charged_back')
    await operate(service, publicId, 'cancel')
    const [receipt, mail] = await told(buyer, made)
    expect(receipt).toMatch(
      /refund(?:ed|ing) \$70\.00 of your payment of \$100\.00\..* You have had the rest\./,
    )
    expect(mail).toContain('the rest returns to your card')
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - 3_000 })
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: price - 3_000 })
    expect(await balances()).toEqual({})

    Object.assign(dispute, {
      status: 'won',
      balance_transactions: [{ amount: -3_000 }, { amount: 3_000 }],
    })
    await tell('charge.dispute.closed', dispute)
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: 3_000 })
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: 3_000 })
    expect(await balances()).toEqual({})
  })

  test('over a part that is lost before our refund is sent leaves the rest of it', async () => {
    const { page, price, publicId, made } = await paid()
    await refundLater(publicId, made.id)
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    dispute.amount = 3_000
    await tell('charge.dispute.closed', dispute)
    await tell('charge.dispute.closed', dispute)
    service.clock.advance(7_200_000)
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - 3_000 })
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: price - 3_000 })
    expect(await balances()).toEqual({})
  })

  describe('over what goodwill left', () => {
    /** A sale of which a part was given as goodwill, and the rest is with the buyer by the bank. */
    async function withGoodwill(cents: number) {
      const sale = await paid()
      const { id } = await payment(sale.made.id)
      const reason = 'The transfer took long'
      const gift = { amount_cents: cents, reason }
      must(await service.admin('POST', `/payments/${id}/goodwill-refunds`, gift), 201)
      await expect
        .poll(async () => {
          await sendGoodwill.run(service.app, new AbortController().signal)
          return (await balances()).goodwill_refunds
        })
        .toBe(cents)
      return { ...sale, id, goodwill: lastRefund() }
    }

    async function lose(page: StripeSession, cents: number) {
      const dispute = stripe.dispute(page, 'lost', [-cents])
      await tell('charge.dispute.closed', Object.assign(dispute, { amount: cents }))
      return dispute
    }

    test('that is lost: an order taken back then sends nothing more', async () => {
      const { page, price, publicId, made, buyer, goodwill } = await withGoodwill(2_000)
      const dispute = await lose(page, price - 2_000)
      await operate(service, publicId, 'cancel')
      expect(await balances()).toEqual({})
      expect((await payment(made.id)).status).toBe('charged_back')
      expect((await told(buyer, made))[1]).toContain('You have already received the whole amount')
      await advancePaymentsJob.run(service.app, new AbortController().signal)
      expect(lastRefund()).toBe(goodwill)
      // A bank that takes more than was left: the loss is the marketplace's, and nothing is sent.
      await lose(page, 500)
      expect((await payment(made.id)).status).toBe('charged_back')
      expect(await balances()).toEqual({ card_funds: -500, dispute_losses: 500 })

      const back = [{ amount: 2_000 - price }, { amount: price - 2_000 }]
      await tell(
        'charge.dispute.closed',
        Object.assign(dispute, { status: 'won', balance_transactions: back }),
      )
      expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - 2_000 })
      expect(lastRefund()).toMatchObject({ amount: price - 2_000 })
    })

    test('in a part: what both left of a refund is sent', async () => {
      const { page, price, publicId, made } = await withGoodwill(2_000)
      await lose(page, 3_000)
      await operate(service, publicId, 'cancel')
      expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - 5_000 })
      expect(lastRefund()).toMatchObject({ amount: price - 5_000 })
      expect(await balances()).toEqual({})
    })

    test.each([
      { what: 'is owed where the bank left it', cents: 8_000, owed: 2_000 },
      { what: 'is not owed where the bank gave it too', cents: 10_000, owed: 0 },
    ])('and that does not arrive after all: goodwill $what', async ({ cents, owed }) => {
      const { page, publicId, made, goodwill } = await withGoodwill(2_000)
      await lose(page, cents)
      await operate(service, publicId, 'cancel')
      await tell('refund.failed', Object.assign(goodwill, { status: 'failed' }))
      const { id, status, refund_cents } = await payment(made.id)
      if (owed === 0) {
        expect(status).toBe('charged_back')
        return expect(await balances()).toEqual({})
      }
      expect({ status, refund_cents }).toEqual({ status: 'refund_failed', refund_cents: owed })
      expect(await balances()).toEqual({ buyer_refunds: -owed, card_funds: owed })
      must(await service.admin('POST', `/payments/${id}/refund/retry`), 200)
      await until('refunded', made.id)
      expect(lastRefund()).toMatchObject({ amount: owed })
      expect(await balances()).toEqual({})
    })
  })

  test('and another over one payment: the sale earns again once both are won', async () => {
    const { page, price, publicId, made } = await paid()
    // What waits for an operator for another reason goes on to do so.
    await operate(service, publicId, 'start', 'fail')
    const before = await balances()
    const first = await opened(page, 3_000)
    const disputes = [first, await opened(page, 2_000)]
    expect(await balances()).toMatchObject({ disputed_funds: 5_000 })
    // That the money went is known, whatever is read later.
    await tell('charge.dispute.updated', Object.assign(first, { balance_transactions: [] }))
    for (const dispute of disputes.toReversed()) {
      expect((await payment(made.id)).status).toBe('disputed')
      expect(await earned()).toBe(0)
      const back = { amount: dispute.amount }
      await tell(
        'charge.dispute.closed',
        Object.assign(dispute, { status: 'won', balance_transactions: [back] }),
      )
    }
    expect((await payment(made.id)).status).toBe('succeeded')
    expect(await order(publicId)).toMatchObject({ held: true, hold_reason: 'transfer_failed' })
    expect(await earned()).toBe(price / 10)
    expect(await balances()).toEqual(before)
  })

  test.each([
    { second: 'lost', left: 5_000 },
    { second: 'won', left: 3_000 },
  ] as const)(
    'and another that is $second: what is owed waits for both',
    async ({ second, left }) => {
      const { page, price, publicId, made } = await paid()
      await refundLater(publicId, made.id)
      const first = await opened(page, 3_000)
      const last = await opened(page, 2_000)
      await tell('charge.dispute.closed', Object.assign(first, { status: 'lost' }))
      expect((await payment(made.id)).status).toBe('disputed')
      service.clock.advance(7_200_000)
      const moved = [{ amount: -2_000 }, ...(second === 'won' ? [{ amount: 2_000 }] : [])]
      await tell(
        'charge.dispute.closed',
        Object.assign(last, { status: second, balance_transactions: moved }),
      )
      expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - left })
      expect(stripe.refunds.at(-1)).toMatchObject({ amount: price - left })
      expect(await balances()).toEqual({})
    },
  )

  test('and another that is lost: the domain is not taken back before both are decided', async () => {
    const { page, price, publicId, made } = await paid()
    const first = await opened(page, 3_000)
    const last = await opened(page, price - 3_000)
    await tell('charge.dispute.closed', Object.assign(first, { status: 'lost' }))
    const cancel = () => service.admin('POST', `/orders/${publicId}/cancel`)
    expect(refusal(await cancel())).toEqual({ status: 409, code: 'conflict' })
    await tell('charge.dispute.closed', Object.assign(last, { status: 'lost' }))
    expect((await payment(made.id)).status).toBe('charged_back')
    must(await cancel(), 200)
    expect((await payment(made.id)).status).toBe('charged_back')
    expect(await balances()).toEqual({})
  })

  test.each([
    ['while the other is open', 'needs_response'],
    ['before the other is opened', 'lost'],
  ])('that is lost %s leaves the rest to be refunded once both are over', async (_when, early) => {
    const { page, price, publicId, made } = await paid()
    const dispute = async (cents: number, status: string) => {
      const moved = stripe.dispute(page, status, [-cents])
      await tell('charge.dispute.updated', Object.assign(moved, { amount: cents }))
      return moved
    }
    const first = await dispute(3_000, early)
    const other = await dispute(2_000, 'needs_response')
    await tell('charge.dispute.closed', Object.assign(first, { status: 'lost' }))
    expect((await payment(made.id)).status).toBe('disputed')
    const rejected = await service.admin('POST', `/orders/${publicId}/cancel`, {})
    expect(refusal(rejected)).toEqual({ status: 409, code: 'conflict' })
    const back = [{ amount: -2_000 }, { amount: 2_000 }]
    Object.assign(other, { status: 'won', balance_transactions: back })
    await tell('charge.dispute.closed', other)
    expect((await payment(made.id)).status).toBe('charged_back')
    expect(await earned()).toBe(0)
    await operate(service, publicId, 'cancel')
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - 3_000 })
    expect(await balances()).toEqual({})
  })

  test.each([
    { second: 'won', left: null },
    { second: 'lost', left: 3_000 },
  ] as const)(
    'over a part that turns round under another, which is $second: all of it is owed',
    async ({ second, left }) => {
      const { page, price, publicId, made } = await paid()
      const part = stripe.dispute(page, 'lost', [-3_000])
      await tell('charge.dispute.closed', Object.assign(part, { amount: 3_000 }))
      stripe.refuseRefunds({ code: 'charge_disputed', message: 'Disputed.' })
      await operate(service, publicId, 'cancel')
      await until('refund_failed', made.id)
      stripe.refuseRefunds()
      const rest = await opened(page, price - 3_000)
      const back = [{ amount: -3_000 }, { amount: 3_000 }]
      await tell(
        'charge.dispute.closed',
        Object.assign(part, { status: 'won', balance_transactions: back }),
      )
      expect((await payment(made.id)).status).toBe('disputed')
      const moved = [
        { amount: 3_000 - price },
        ...(second === 'won' ? [{ amount: price - 3_000 }] : []),
      ]
      await tell(
        'charge.dispute.closed',
        Object.assign(rest, { status: second, balance_transactions: moved }),
      )
      expect(await until('refunded', made.id)).toMatchObject({ refund_cents: left })
      expect(await balances()).toEqual({})
    },
  )

  test('over a part that turns round while the rest cannot be refunded owes all of it', async () => {
    const { page, price, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    dispute.amount = 3_000
    await tell('charge.dispute.closed', dispute)
    stripe.refuseRefunds({ code: 'charge_not_refundable', message: 'Not refundable.' })
    await operate(service, publicId, 'cancel')
    const failed = await until('refund_failed', made.id)
    expect(failed).toMatchObject({ refund_cents: price - 3_000 })
    stripe.refuseRefunds()
    const won = { status: 'won', balance_transactions: [{ amount: -3_000 }, { amount: 3_000 }] }
    await tell('charge.dispute.closed', Object.assign(dispute, won))
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: null })
    expect(stripe.refunds.at(-1)?.payment_intent).toBe(page.payment_intent)
    expect(await balances()).toEqual({})
  })

  test('that is lost is over, though its money was not told to move and older news come later', async () => {
    const { page, price, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [])
    await tell('charge.dispute.closed', dispute)
    const lost = { dispute_losses: price, undelivered_sales: -price }
    expect(await balances()).toEqual(lost)
    Object.assign(dispute, { status: 'under_review', amount: 1 })
    await tell('charge.dispute.updated', dispute)
    expect((await payment(made.id)).status).toBe('charged_back')
    expect(await balances()).toEqual(lost)
    const { disputes } = must(await service.admin('GET', '/disputes?status=lost'), 200).body
    expect(disputes[0]).toMatchObject({ provider_ref: dispute.id, amount_cents: price })
    // The bank thinks better of all that it took.
    Object.assign(dispute, { status: 'won', balance_transactions: [{ amount: 1 }] })
    await tell('charge.dispute.closed', dispute)
    expect(await balances()).toMatchObject({ card_funds: price })
  })

  test('is taken in though the payment itself has not been told yet', async () => {
    const { page, price, made } = await atStripe()
    await tell('charge.dispute.created', stripe.dispute(page, 'needs_response', [-price]))
    expect((await payment(made.id)).status).toBe('disputed')
    await tell('checkout.session.completed', page)
    expect((await payment(made.id)).status).toBe('disputed')
    expect(await earned()).toBe(0)
  })

  test('that only asks takes nothing', async () => {
    const { page, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'warning_needs_response', [])
    await tell('charge.dispute.created', dispute)
    expect((await payment(made.id)).status).toBe('succeeded')
    expect(await order(publicId)).toMatchObject({ held: false })
    stripe.dispute(page, 'warning_closed', [], dispute.id)
    await tell('charge.dispute.closed', dispute)
    const { disputes } = must(
      await service.admin('GET', '/disputes?status=inquiry_closed'),
      200,
    ).body
    expect(disputes.map(({ public_id }: { public_id: string }) => public_id)).toEqual([publicId])
    expect(refusal(await service.admin('GET', '/disputes?cursor=x')).code).toBe('invalid_cursor')
  })

  test('of a payment that is no business of ours is nothing', async () => {
    const foreign = stripe.dispute(
      { ...(await atStripe()).page, payment_intent: 'pi_other' },
      'lost',
      [-1],
    )
    await tell('charge.dispute.closed', foreign)
  })

  test('is asked for again while Stripe is down', async () => {
    const { page, price, made } = await paid()
    const dispute = stripe.dispute(page, 'needs_response', [-price])
    stripe.failNext(3)
    const response = await sendWebhook(service, 'charge.dispute.created', dispute)
    expect(refusal(response)).toEqual({ status: 503, code: 'unavailable' })
    await tell('charge.dispute.created', dispute)
    expect((await payment(made.id)).status).toBe('disputed')
  })
})

describe('a refund', () => {
  test('that is rejected stops, waits for an operator, and is sent again with a key of its own', async () => {
    const { made, publicId, price } = await paid()
    stripe.refuseRefunds({ code: 'charge_not_refundable', message: 'Not refundable.' })
    await operate(service, publicId, 'refund')
    const failed = await until('refund_failed', made.id)
    expect(failed).toMatchObject({ refund_note: 'Not refundable.', public_id: publicId })
    expect(await metric('payment_refunds_failed{environment="live"}')).toBe(1)
    const tries = () => stripe.keys.filter((key) => key.startsWith(`refund-${failed.id}`))
    service.clock.advance(7_200_000)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(tries()).toHaveLength(1)
    expect(await balances()).toEqual({ buyer_refunds: -price, card_funds: price })
    expect(service.logs.join('')).toContain('a refund was rejected and waits for an operator')
    stripe.refuseRefunds()
    must(await service.admin('POST', `/payments/${failed.id}/refund/retry`), 200)
    await until('refunded', made.id)
    expect(new Set(tries()).size).toBe(2)
    expect(await balances()).toEqual({})
    const again = await service.admin('POST', `/payments/${failed.id}/refund/retry`)
    expect(refusal(again)).toEqual({ status: 409, code: 'conflict' })
    expect(refusal(await service.admin('POST', '/payments/pay_none/refund/retry'))).toEqual({
      status: 404,
      code: 'not_found',
    })
  })

  test('that does not arrive is owed again, and paid by other means', async () => {
    const { domain, made, page, price, buyer } = await atStripe()
    must(await sell(client, domain), 201)
    await tell('checkout.session.completed', page)
    await until('refunded', made.id)
    const refund = stripe.refunds.at(-1)
    if (!refund) throw new Error('no refund')
    // Whatever else Stripe says of it changes nothing.
    await tell('refund.updated', refund)
    expect((await payment(made.id)).status).toBe('refunded')
    Object.assign(refund, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
    await tell('refund.failed', refund)
    await tell('charge.refund.updated', refund)
    const failed = await payment(made.id)
    expect(failed).toMatchObject({
      status: 'refund_failed',
      refund_note: 'expired_or_canceled_card',
    })
    expect(await balances()).toMatchObject({ buyer_refunds: -price, card_funds: price })
    await buyer.visit(made.checkout_url)
    expect(buyer.page.text).toContain('was sold to someone else')
    expect(buyer.page.text).toContain('did not take the refund')
    const note = { note: 'Bank transfer of 2 May' }
    must(await service.admin('POST', `/payments/${failed.id}/refund/paid`, note), 200)
    expect(await balances()).toMatchObject({ bank_refunds: -price, card_funds: price })
    expect(await payment(made.id)).toMatchObject({ status: 'refunded', refund_note: note.note })
  })

  test('of what a bank left does not arrive, and no more than that is owed and paid otherwise', async () => {
    const { page, price, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    await tell('charge.dispute.closed', Object.assign(dispute, { amount: 3_000 }))
    await operate(service, publicId, 'cancel')
    await until('refunded', made.id)
    const refund = stripe.refunds.at(-1)
    if (!refund) throw new Error('no refund')
    await tell('refund.updated', Object.assign(refund, { status: 'canceled' }))
    const rest = price - 3_000
    expect(await balances()).toEqual({ buyer_refunds: -rest, card_funds: rest })
    const { id } = await payment(made.id)
    must(await service.admin('POST', `/payments/${id}/refund/paid`, {}), 200)
    expect(await balances()).toEqual({ bank_refunds: -rest, card_funds: rest })
    // The bank thinks better, and the card does not take that part either.
    stripe.answerRefunds('canceled')
    const back = [{ amount: -3_000 }, { amount: 3_000 }]
    await tell(
      'charge.dispute.closed',
      Object.assign(dispute, { status: 'won', balance_transactions: back }),
    )
    await until('refund_failed', made.id)
    stripe.answerRefunds('succeeded')
    must(await service.admin('POST', `/payments/${id}/refund/paid`, {}), 200)
    expect(await balances()).toEqual({ bank_refunds: -price, card_funds: price })
  })

  test('that fails before its response and is sent again: its late response is not the new one’s', async () => {
    const { made, publicId } = await paid()
    const { release, refund } = await refundUnderWay(publicId)
    await tell('refund.failed', Object.assign(refund, { status: 'failed' }))
    const { id } = await until('refund_failed', made.id)
    must(await service.admin('POST', `/payments/${id}/refund/retry`), 200)
    release()
    const { refund_ref } = await until('refunded', made.id)
    expect(refund_ref).toBe(stripe.refunds.at(-1)?.id)
    expect(refund_ref).not.toBe(refund.id)
    expect(await balances()).toEqual({})
  })

  test('whose response comes after a dispute has come between has been made all the same', async () => {
    const { page, price, made, publicId } = await paid()
    const { release, refund } = await refundUnderWay(publicId)
    const dispute = stripe.dispute(page, 'needs_response', [-price])
    await tell('charge.dispute.created', dispute)
    expect((await payment(made.id)).status).toBe('disputed')
    release()
    expect(await until('refunded', made.id)).toMatchObject({ refund_ref: refund.id })
    stripe.dispute(page, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.closed', dispute)
    expect((await payment(made.id)).status).toBe('refunded')
    expect(await balances()).toEqual({})
  })

  test('that was rejected, and disputed meanwhile, is owed again once the dispute is won', async () => {
    const { page, price, made, publicId } = await paid()
    stripe.refuseRefunds({ code: 'charge_not_refundable', message: 'Not refundable.' })
    await operate(service, publicId, 'refund')
    const { id } = await until('refund_failed', made.id)
    const dispute = stripe.dispute(page, 'needs_response', [-price])
    await tell('charge.dispute.created', dispute)
    expect((await payment(made.id)).status).toBe('disputed')
    const retried = await service.admin('POST', `/payments/${id}/refund/retry`)
    expect(refusal(retried)).toEqual({ status: 409, code: 'conflict' })
    stripe.dispute(page, 'won', [-price, price], dispute.id)
    await tell('charge.dispute.closed', dispute)
    // Stripe keeps its error under the same key.
    await until('refund_failed', made.id)
    stripe.refuseRefunds()
    must(await service.admin('POST', `/payments/${id}/refund/retry`), 200)
    await until('refunded', made.id)
    expect(await balances()).toEqual({})
  })

  test('of what a bank left is on its way: a bank that thinks better is to tell it again', async () => {
    const { page, price, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    await tell('charge.dispute.closed', Object.assign(dispute, { amount: 3_000 }))
    const { release } = await refundUnderWay(publicId, 'cancel')
    const back = [{ amount: -3_000 }, { amount: 3_000 }]
    Object.assign(dispute, { status: 'won', balance_transactions: back })
    const early = await sendWebhook(service, 'charge.dispute.closed', dispute)
    expect(refusal(early)).toEqual({ status: 409, code: 'conflict' })
    release()
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: price - 3_000 })
    await tell('charge.dispute.closed', dispute)
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: 3_000 })
    expect(await balances()).toEqual({})
  })

  test('that Stripe cancels at once waits for an operator', async () => {
    const { made, publicId, price } = await paid()
    stripe.answerRefunds('canceled')
    await operate(service, publicId, 'refund')
    const failed = await until('refund_failed', made.id)
    stripe.answerRefunds('succeeded')
    expect(failed).toMatchObject({ refund_note: 'canceled' })
    expect(await balances()).toEqual({ buyer_refunds: -price, card_funds: price })
  })

  test('that somebody made at Stripe itself counts', async () => {
    const { made, publicId, page, price } = await paid()
    const own = byHand('re_by_hand', page, price)
    await operate(service, publicId, 'refund')
    expect(await until('refunded', made.id)).toMatchObject({ refund_ref: own.id })
    expect(await balances()).toEqual({})
    await tell('refund.created', own)
    expect(await balances()).toEqual({})
  })

  test('of ours that Stripe knows and we never heard of is the one', async () => {
    const { made, publicId, page, price } = await paid()
    const ours = Object.assign(byHand('re_unheard', page, price), { metadata: { round: '1' } })
    await operate(service, publicId, 'refund')
    expect(await until('refunded', made.id)).toMatchObject({ refund_ref: ours.id })
    expect(await balances()).toEqual({})
  })

  test('that somebody made at Stripe itself takes back an order that can be', async () => {
    const { made, publicId, page, price } = await paid()
    const own = byHand('re_of_all', page, price)
    await tell('refund.created', own)
    await tell('refund.updated', own)
    expect(await until('refunded', made.id)).toMatchObject({ refund_ref: own.id })
    const back = await order(publicId)
    expect(back.status).toBe('REFUNDED')
    expect(back.timeline.at(-1)).toMatchObject({
      type: 'order.refunded',
      note: 'The payment was refunded at the payment provider.',
    })
    expect(await balances()).toEqual({})
    expect(await earned()).toBe(0)
  })

  test('that somebody made at Stripe itself is booked while the domain is being pushed', async () => {
    const { made, publicId, page, price } = await paid()
    const { db } = service.app
    const registrar = new ScriptedRegistrar([])
    await connectScripted(service, registrar, ['example'], 'pushing')
    const { id: registrar_id } = await db
      .selectFrom('registrars')
      .select('id')
      .where('name', '=', 'pushing')
      .executeTakeFirstOrThrow()
    const delivery = { method: 'push', account: 'acct-9', registrar_iana_id: null }
    await sql`update orders set status = 'TRANSFER_IN_PROGRESS', transfer_number = 1,
      delivery = ${JSON.stringify(delivery)} where public_id = ${publicId}`.execute(db)
    await sql`insert into registrar_operations (operation_id, environment, domain, op, params, status, registrar_id,
        registrar, source, public_id, attempts, created_at, updated_at)
      select 'op_pushing', 'live', domain, 'push', '{"op":"push","account":"acct-9"}', 'unknown', ${registrar_id},
        'pushing', ${`order:${publicId}:1`}, public_id, 1, created_at, created_at
      from orders where public_id = ${publicId}`.execute(db)
    const own = byHand('re_while_pushed', page, price)
    await tell('refund.created', own)
    expect((await order(publicId)).status).toBe('TRANSFER_IN_PROGRESS')
    expect(await balances()).toMatchObject({ goodwill_refunds: price })
    expect(service.logs.join()).toContain('while the domain is being pushed')

    await sql`update registrar_operations set status = 'failed', finished_at = updated_at
      where operation_id = 'op_pushing'`.execute(db)
    await operate(service, publicId, 'fail', 'refund')
    expect(await until('refunded', made.id)).toMatchObject({ status: 'refunded' })
    expect(await balances()).toEqual({})
    expect(
      stripe.refunds.filter(({ payment_intent }) => payment_intent === page.payment_intent),
    ).toHaveLength(1)
  })

  test('that somebody made at Stripe itself in parts takes the order back with the last of them', async () => {
    const { made, publicId, page, price } = await paid()
    for (const cents of [1_000, price - 1_000]) {
      expect((await order(publicId)).status).toBe('PAID')
      await tell('refund.created', byHand(`re_part_${cents}`, page, cents))
    }
    await until('refunded', made.id)
    expect((await order(publicId)).status).toBe('REFUNDED')
    expect(await balances()).toEqual({})
  })

  test('that failed is the one that somebody makes at Stripe itself then', async () => {
    const { made, publicId, page, price } = await paid()
    stripe.refuseRefunds({ code: 'insufficient_funds', message: 'Not enough money.' })
    await operate(service, publicId, 'refund')
    await until('refund_failed', made.id)
    stripe.refuseRefunds()
    const own = byHand('re_instead', page, price)
    await tell('refund.created', own)
    await tell('refund.updated', own)
    expect(await payment(made.id)).toMatchObject({ status: 'refunded', refund_ref: own.id })
    expect(await balances()).toEqual({})
  })

  test('that failed is what somebody makes at Stripe itself then, in parts', async () => {
    const { made, publicId, page, price } = await paid()
    await tell('refund.created', byHand('re_gift_before', page, 500))
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    const ours = Object.assign(lastRefund(), { status: 'failed' })
    await tell('refund.failed', ours)
    await tell('refund.created', byHand('re_part_instead', page, 1_000))
    expect((await payment(made.id)).status).toBe('refund_failed')
    const rest = byHand('re_rest_instead', page, price - 1_500)
    await tell('refund.created', rest)
    expect(await payment(made.id)).toMatchObject({ status: 'refunded', refund_ref: rest.id })
    expect(await balances()).toEqual({})
  })

  test('of ours stands though another, made at Stripe itself, fails beside it', async () => {
    const { made, publicId, page, price } = await paid()
    const other = Object.assign(byHand('re_of_others', page, 1_000), { status: 'failed' })
    const release = stripe.holdRefunds()
    const operated = operate(service, publicId, 'refund')
    await expect.poll(() => stripe.refunds.at(-1), { timeout: 5_000 }).not.toBe(other)
    await tell('refund.failed', other)
    expect((await payment(made.id)).status).toBe('refund_due')
    expect(service.logs.join('')).toContain(`"refund_ref":"${other.id}"`)
    release()
    await operated
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: null })
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: price })
    expect(await balances()).toEqual({})
  })

  test('of a part, or of what is delivered, that somebody made at Stripe itself is goodwill', async () => {
    const { publicId, page, price, made } = await paid()
    const part = byHand('re_of_a_part', page, 1_000)
    await tell('refund.created', part)
    await tell('refund.updated', part)
    expect((await order(publicId)).status).toBe('PAID')
    expect(service.logs.join('')).toContain(`"refund_ref":"${part.id}","amount_cents":1000`)
    const { goodwill_refunds, card_funds } = await balances()
    expect({ goodwill_refunds, card_funds }).toEqual({
      goodwill_refunds: 1_000,
      card_funds: price - 1_000,
    })
    await operate(service, publicId, 'start', 'complete')
    const rest = byHand('re_too_late', page, price - 1_000)
    await tell('refund.created', rest)
    expect((await order(publicId)).status).toBe('TRANSFER_COMPLETED')
    expect((await payment(made.id)).status).toBe('succeeded')
    expect(await balances()).toMatchObject({ goodwill_refunds: price })
    expect(await balances()).not.toHaveProperty('card_funds')
  })

  test('of a part that somebody made at Stripe itself, and that fails, is as if it never was', async () => {
    const { page, made } = await paid()
    const before = await balances()
    const part = byHand('re_of_a_part_that_fails', page, 1_000)
    await tell('refund.created', part)
    Object.assign(part, { status: 'failed', failure_reason: 'lost_or_stolen_card' })
    for (const _ of 'ab') await tell('refund.failed', part)
    expect(await balances()).toEqual(before)
    expect((await payment(made.id)).status).toBe('succeeded')
  })

  test('as goodwill that does not arrive alerts, and waits for an operator', async () => {
    const { made } = await paid()
    const { id } = await payment(made.id)
    const before = await metric('payment_refunds_failed{environment="live"}')
    const body = { amount_cents: 1_000, reason: 'The transfer took long' }
    const given = must(
      await service.admin('POST', `/payments/${id}/goodwill-refunds`, body),
      201,
    ).body
    const goodwill = async () =>
      must(await service.admin('GET', `/goodwill-refunds?payment_id=${id}`), 200).body
        .goodwill_refunds[0]
    await expect.poll(async () => (await goodwill()).status, { timeout: 10_000 }).toBe('sent')
    const { provider_ref } = await goodwill()
    const refund = stripe.refunds.find((each) => each.id === provider_ref)
    const failed = Object.assign(refund ?? { id: '' }, { status: 'failed' })
    await tell('refund.failed', failed)
    const { error } = await goodwill()
    const alerts = async () =>
      await service.app.db
        .selectFrom('alerts')
        .select('data')
        .where('cause', '=', given.goodwill_id)
        .execute()
    expect(await alerts()).toMatchObject([{ data: { payment_id: id, reason: error } }])
    expect(await metric('payment_refunds_failed{environment="live"}')).toBe(before + 1)
    const close = `/goodwill-refunds/${given.goodwill_id}/close`
    must(await service.admin('POST', close, { note: 'Given up.' }), 200)
    await tell('refund.failed', failed)
    expect(await goodwill()).toMatchObject({ status: 'closed' })
    expect(await metric('payment_refunds_failed{environment="live"}')).toBe(before)
  })

  test('sends what goodwill left of it', async () => {
    const { publicId, page, price, made } = await paid()
    await tell('refund.created', byHand('re_before', page, 1_000))
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: price - 1_000 })
    expect(await balances()).toEqual({})
  })

  test('sends what goodwill left of it, of which we hear afterwards', async () => {
    const { publicId, page, price, made } = await paid()
    const part = byHand('re_unheard_part', page, 1_000)
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    expect(await balances()).toEqual({})
    await tell('refund.created', part)
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: price - 1_000 })
    expect(await balances()).toEqual({})
  })

  test.each([
    ['goodwill', 'it is owed then'],
    ['ours', 'goodwill stands'],
  ])('that was sent in two parts fails in one, %s: %s', async (which) => {
    const { publicId, page, price, made } = await paid()
    const part = byHand(`re_one_of_two_${which}`, page, 1_000)
    await tell('refund.created', part)
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    const [failed, cents] =
      which === 'ours' ? [lastRefund(), price - 1_000] : ([part, 1_000] as const)
    Object.assign(failed, { status: 'failed' })
    for (const _ of 'ab') await tell('refund.failed', failed)
    const waiting = await payment(made.id)
    expect(waiting).toMatchObject({ status: 'refund_failed', refund_cents: cents })
    expect(await balances()).toEqual({ buyer_refunds: -cents, card_funds: cents })
    must(await service.admin('POST', `/payments/${waiting.id}/refund/retry`), 200)
    await until('refunded', made.id)
    expect(stripe.refunds.at(-1)).toMatchObject({ amount: cents, status: 'succeeded' })
    expect(await balances()).toEqual({})
  })

  test.each(['heard of before', 'never heard of before'])(
    'that was sent in two parts: goodwill, %s, fails before ours is answered, and is owed',
    async (heard) => {
      const { publicId, page, made } = await paid()
      const part = byHand(`re_fails_early_${heard.length}`, page, 1_000)
      if (heard === 'heard of before') await tell('refund.created', part)
      const { release } = await refundUnderWay(publicId)
      await tell('refund.failed', Object.assign(part, { status: 'failed' }))
      release()
      expect(await until('refund_failed', made.id)).toMatchObject({ refund_cents: 1_000 })
      expect(await balances()).toEqual({ buyer_refunds: -1_000, card_funds: 1_000 })
    },
  )

  test('that was sent in two parts: goodwill that we hear of as it fails is owed', async () => {
    const { publicId, page, made } = await paid()
    const part = byHand('re_heard_as_it_fails', page, 1_000)
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    for (const _ of 'ab') {
      await tell('refund.created', Object.assign(part, { status: 'failed' }))
    }
    expect(await payment(made.id)).toMatchObject({ status: 'refund_failed', refund_cents: 1_000 })
    expect(await balances()).toEqual({ buyer_refunds: -1_000, card_funds: 1_000 })
  })

  test('that was sent in two parts, ours once more: goodwill that fails then is owed', async () => {
    const { publicId, page, made } = await paid()
    const part = byHand('re_fails_after_a_retry', page, 1_000)
    await tell('refund.created', part)
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    await tell('refund.failed', Object.assign(lastRefund(), { status: 'failed' }))
    const { id } = await payment(made.id)
    must(await service.admin('POST', `/payments/${id}/refund/retry`), 200)
    await until('refunded', made.id)
    await tell('refund.failed', Object.assign(part, { status: 'failed' }))
    expect(await payment(made.id)).toMatchObject({ status: 'refund_failed', refund_cents: 1_000 })
    expect(await balances()).toEqual({ buyer_refunds: -1_000, card_funds: 1_000 })
  })

  test('that was sent in two parts, which fail one after the other, is paid otherwise twice', async () => {
    const { publicId, page, price, made } = await paid()
    const part = byHand('re_paid_otherwise', page, 1_000)
    await tell('refund.created', part)
    await operate(service, publicId, 'refund')
    const { id } = await until('refunded', made.id)
    for (const failed of [part, lastRefund()]) {
      await tell('refund.failed', Object.assign(failed, { status: 'failed' }))
      must(await service.admin('POST', `/payments/${id}/refund/paid`, {}), 200)
    }
    expect(await balances()).toEqual({ bank_refunds: -price, card_funds: price })
  })

  test.each([
    { failing: 'ours', outcome: 'won' },
    { failing: 'ours', outcome: 'lost' },
    { failing: 'goodwill', outcome: 'won' },
    { failing: 'goodwill', outcome: 'lost' },
  ] as const)(
    'that was sent in two parts, of which $failing fails, under a dispute that is $outcome',
    async ({ failing, outcome }) => {
      const { publicId, page, price, made } = await paid()
      const part = byHand(`re_disputed_${failing}_${outcome}`, page, 1_000)
      await tell('refund.created', part)
      await operate(service, publicId, 'refund')
      await until('refunded', made.id)
      const [failed, cents] =
        failing === 'ours' ? [lastRefund(), price - 1_000] : ([part, 1_000] as const)
      await tell('refund.failed', Object.assign(failed, { status: 'failed' }))
      expect(await payment(made.id)).toMatchObject({ refund_cents: cents })
      const dispute = await opened(page, price)
      const moved = [{ amount: -price }, ...(outcome === 'won' ? [{ amount: price }] : [])]
      const over = Object.assign(dispute, { status: outcome, balance_transactions: moved })
      await tell('charge.dispute.closed', over)
      await until(outcome === 'won' ? 'refunded' : 'charged_back', made.id)
      // What the bank gives though we had given it is lost.
      const lost = { card_funds: cents - price, dispute_losses: price - cents }
      expect(await balances()).toEqual(outcome === 'won' ? {} : lost)
    },
  )

  test('of a part whose response and key are lost is looked for, and not made again', async () => {
    const { page, price, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    await tell('charge.dispute.closed', Object.assign(dispute, { amount: 3_000 }))
    stripe.loseNext(99)
    await operate(service, publicId, 'cancel')
    await putOff(made.id)
    stripe.loseNext(0)
    stripe.forget()
    service.clock.advance(48 * HOUR)
    await until('refunded', made.id)
    const sent = stripe.refunds.filter((one) => one.payment_intent === page.payment_intent)
    expect(sent).toMatchObject([{ amount: price - 3_000 }])
    expect(await balances()).toEqual({})
  })

  test('that was made, with a response after a dispute had come and gone, is not taken for goodwill', async () => {
    const { page, price, made, publicId } = await paid()
    const { release, refund } = await refundUnderWay(publicId)
    const dispute = stripe.dispute(page, 'needs_response', [-price])
    await tell('charge.dispute.created', dispute)
    stripe.dispute(page, 'won', [-price, price], dispute.id)
    const told = tell('charge.dispute.closed', dispute)
    await expect
      .poll(async () => (await payment(made.id)).status, { timeout: 5_000 })
      .toBe('refund_due')
    release()
    await told
    expect(await until('refunded', made.id)).toMatchObject({ refund_ref: refund.id })
    expect(await balances()).toEqual({})
  })

  test('that somebody made at Stripe itself, and that was ours, is not goodwill too', async () => {
    const { page, price, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    await tell('charge.dispute.closed', Object.assign(dispute, { amount: 3_000 }))
    stripe.refuseRefunds({ code: 'insufficient_funds', message: 'Not enough money.' })
    await operate(service, publicId, 'cancel')
    await until('refund_failed', made.id)
    stripe.refuseRefunds()
    await tell('refund.created', byHand('re_ours_by_hand', page, price - 3_000))
    expect((await payment(made.id)).status).toBe('refunded')
    byHand('re_faster_than_us', page, 3_000)
    const back = [{ amount: -3_000 }, { amount: 3_000 }]
    Object.assign(dispute, { status: 'won', balance_transactions: back })
    await tell('charge.dispute.closed', dispute)
    expect(await until('refunded', made.id)).toMatchObject({ refund_cents: 3_000 })
    expect(await balances()).toEqual({})
  })

  test('of an earlier round that fails while the next is on its way is to be told again', async () => {
    const { page, price, publicId, made } = await paid()
    const dispute = stripe.dispute(page, 'lost', [-3_000])
    await tell('charge.dispute.closed', Object.assign(dispute, { amount: 3_000 }))
    await operate(service, publicId, 'cancel')
    await until('refunded', made.id)
    const first = lastRefund()
    const release = stripe.holdRefunds()
    const back = [{ amount: -3_000 }, { amount: 3_000 }]
    Object.assign(dispute, { status: 'won', balance_transactions: back })
    const told = tell('charge.dispute.closed', dispute)
    await expect.poll(() => lastRefund(), { timeout: 5_000 }).not.toBe(first)
    Object.assign(first, { status: 'failed' })
    const early = await sendWebhook(service, 'refund.failed', first)
    expect(refusal(early)).toEqual({ status: 409, code: 'conflict' })
    release()
    await told
    await until('refunded', made.id)
    await tell('refund.failed', first)
    const rest = price - 3_000
    expect(await payment(made.id)).toMatchObject({ status: 'refund_failed', refund_cents: rest })
    expect(await balances()).toEqual({ buyer_refunds: -rest, card_funds: rest })
  })

  test('that was sent in two parts fails in both: all of it is owed', async () => {
    const { publicId, page, price, made } = await paid()
    const part = byHand('re_first_of_both', page, 1_000)
    await tell('refund.created', part)
    await operate(service, publicId, 'refund')
    await until('refunded', made.id)
    for (const failed of [lastRefund(), part]) {
      await tell('refund.failed', Object.assign(failed, { status: 'failed' }))
    }
    expect(await payment(made.id)).toMatchObject({ status: 'refund_failed', refund_cents: null })
    expect(await balances()).toEqual({ buyer_refunds: -price, card_funds: price })
  })
})

test('a provider that does not respond is a page to try again from, and takes nothing', async () => {
  client = await service.partner({ environment: 'live', affiliate: true })
  const domain = await freshName(service, 'live')
  const made = must(await client.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.visit(made.checkout_url)
  await buyer.submit(DETAILS)
  stripe.failNext(3)
  await buyer.submit()
  expect(buyer.page.text).toContain('did not respond')
  await buyer.submit()
  const page = stripe.sessionAt(buyer.page.headers.location)
  // Back from Stripe's page, which says nothing just now.
  Object.assign(page, { payment_status: 'paid', status: 'complete' })
  stripe.failNext(3)
  await buyer.visit(page.success_url)
  expect(buyer.page.text).toContain('on its way')
  service.clock.advance(10_000)
  await until('succeeded', made.id)
})

test('only payments of the test provider have a bank to be played', async () => {
  const { made } = await paid()
  const { id } = await payment(made.id)
  const rejected = await service.admin('POST', `/payments/${id}/play/dispute`)
  expect(refusal(rejected)).toEqual({ status: 409, code: 'conflict' })
  expect(refusal(await service.admin('POST', '/payments/pay_none/play/dispute')).status).toBe(404)
  expect(refusal(await service.admin('POST', `/payments/${id}/play/nothing`)).code).toBe(
    'validation_error',
  )
})
