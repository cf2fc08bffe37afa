import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Job } from '../../kernel/jobs.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import {
  claimDue,
  findPayment,
  insertPayment,
  isUnderWay,
  lastPayment,
  lockPayment,
  type Payment,
  SETTLED,
  updatePayment,
} from '../payments/payment.ts'
import type { Card, LateNews, Outcome, PaymentProvider } from '../payments/provider.ts'
import { retryDelay } from '../payments/retry.ts'
import { noteRefundNews, refundPayment } from './refund-payment.ts'
import { lockSession, payerOf, type Session, sessionStatus } from './session.ts'
import { settleDispute } from './settle-dispute.ts'
import { settlePayment } from './settle-payment.ts'

const NO_ANSWER = 'payments: the provider did not answer'

/**
 * Starts a payment: the row first, so that whatever the provider says of it is known to be ours; then the
 * provider, outside any transaction; then what became of it. Null when the session takes none: it has ended,
 * or another payment is under way, as after a double click.
 */
export async function startPayment(
  house: House,
  provider: PaymentProvider,
  session: Session,
  card: Card | null,
  pages: { returnUrl(paymentId: string): string; cancelUrl: string },
): Promise<Outcome | null> {
  const now = house.clock.now()
  const payment: Payment = {
    id: newId('pay', now),
    session_id: session.id,
    partner_id: session.partner_id,
    environment: session.environment,
    provider: provider.name,
    provider_ref: null,
    amount_cents: session.price_cents,
    currency: session.currency,
    status: 'started',
    reason: null,
    registrant: session.registrant,
    refund_ref: null,
    public_id: null,
    due_at: null,
    attempts: 0,
    refund_round: 1,
    refund_cents: null,
    refund_note: null,
    created_at: now,
    updated_at: now,
  }
  const starts = await inTransaction(house, async (tx) => {
    const held = await lockSession(tx, session.id)
    const last = await lastPayment(tx, session.id)
    if (sessionStatus(held, now) !== 'open' || (last && isUnderWay(last, now))) return false
    await insertPayment(tx, payment)
    return true
  })
  if (!starts) return null
  const request = {
    payment,
    domain: session.domain,
    buyerEmail: payerOf(session, payment).email ?? '',
    returnUrl: pages.returnUrl(payment.id),
    cancelUrl: pages.cancelUrl,
    card,
  }
  const outcome = await provider.pay(request).catch((error: unknown): Outcome => {
    // The buyer has not seen the provider's page, so nothing can have been paid.
    house.log.warn({ err: error, payment_id: payment.id }, NO_ANSWER)
    return { kind: 'failed', ref: null, reason: 'The payment provider did not answer.' }
  })
  await takeOutcome(house, payment.id, outcome)
  return outcome
}

/** Takes in an outcome, in a transaction of its own; and if money is to go back, sends it. */
export async function takeOutcome(
  house: House,
  paymentId: string,
  outcome: Outcome,
): Promise<void> {
  const now = house.clock.now()
  await inTransaction(house, (tx) => settlePayment({ tx, now, house }, paymentId, outcome))
  await advancePayments(house, { only: paymentId })
}

/** A buyer is back from the provider's page, whose word may not have come yet: it is asked. */
export async function catchUp(house: House, payment: Payment): Promise<void> {
  const provider = house.payments.byName(payment.provider)
  const outcome = await provider.lookUp(payment).catch((error: unknown): Outcome => {
    house.log.warn({ err: error, payment_id: payment.id }, NO_ANSWER)
    const dueAt = after(house.clock.now(), retryDelay(0))
    return { kind: 'processing', ref: payment.provider_ref ?? payment.id, dueAt }
  })
  await takeOutcome(house, payment.id, outcome)
}

/** Takes in what is heard of a payment after it came in. */
export async function takeLateNews(house: House, news: LateNews): Promise<void> {
  const { paymentId } = news
  const payment = await findPayment(house.db, paymentId)
  if (!payment) return
  // It may be heard of before the payment itself.
  if (!SETTLED.includes(payment.status)) {
    const outcome = await house.payments.byName(payment.provider).lookUp(payment)
    await takeOutcome(house, paymentId, outcome)
  }
  const now = house.clock.now()
  await inTransaction(house, (tx) =>
    news.kind === 'refund'
      ? noteRefundNews({ tx, now, house }, paymentId, news.refund)
      : settleDispute({ tx, now }, paymentId, news.dispute),
  )
  await advancePayments(house, { only: paymentId })
}

/** Asks about payments that take their time, and sends refunds; what fails is tried again, ever later. */
async function advancePayments(
  house: House,
  { only, signal }: { only?: string; signal?: AbortSignal },
): Promise<void> {
  for (const payment of await claimDue(house.db, house.clock.now(), only)) {
    if (signal?.aborted) return
    try {
      await advance(house, payment)
    } catch (error) {
      house.log.warn({ err: error, payment_id: payment.id }, NO_ANSWER)
      const wait = retryDelay(payment.attempts)
      const now = house.clock.now()
      await inTransaction(house, async (tx) => {
        // Unless a webhook has brought the answer meanwhile.
        const held = await lockPayment(tx, payment.id)
        if (held?.due_at) await updatePayment(tx, payment.id, now, { due_at: after(now, wait) })
      })
    }
  }
}

async function advance(house: House, payment: Payment): Promise<void> {
  if (payment.status === 'refund_due') return await refundPayment(house, payment)
  const outcome = await house.payments.byName(payment.provider).lookUp(payment)
  const now = house.clock.now()
  await inTransaction(house, (tx) => settlePayment({ tx, now, house }, payment.id, outcome))
  if (outcome.kind === 'succeeded') await advancePayments(house, { only: payment.id })
}

export const advancePaymentsJob: Job = {
  name: 'advance_payments',
  everyMs: SECOND,
  asksOthers: true,
  run: (house, signal) => advancePayments(house, { signal }),
}
