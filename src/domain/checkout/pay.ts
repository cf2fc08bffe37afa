import { isDeepStrictEqual } from 'node:util'
import { claimDue } from '../../core/claim-due.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { lockListing } from '../listings/listing.ts'
import {
  findPayment,
  insertPayment,
  isUnderWay,
  LONGEST_HOLD_MS,
  lastPayment,
  lockPayment,
  type Payment,
  SETTLED,
  STARTED_FOR_MS,
  updatePayment,
} from '../payments/payment.ts'
import {
  type Card,
  type LateUpdate,
  type Outcome,
  type PaymentProvider,
  PaymentRejected,
} from '../payments/provider.ts'
import { retryDelay } from '../payments/retry.ts'
import { holdForPayment } from '../quotes/reservation.ts'
import { learnRegistrar } from '../registrars/find-registrar.ts'
import { holdSuspect } from './hold-suspect.ts'
import { recordRefundUpdate, refundPayment } from './refund-payment.ts'
import { lookUpPayment } from './saved-payment.ts'
import { lockSession, marketOf, payerOf, type Session, sessionStatus } from './session.ts'
import { settleDispute } from './settle-dispute.ts'
import { settlePayment } from './settle-payment.ts'
import { taxOf } from './tax-of.ts'
import { whyUnavailable } from './why-unavailable.ts'

/** Longer than a provider's call may take: until then nobody else is at it. */
const LEASE = { leaseMs: MINUTE, atOnce: 50 }
const NO_RESPONSE = 'payments: the provider did not respond'
/** Why a payment failed that may succeed by being tried again with the same card, in words for the buyer. */
export const PROVIDER_AWAY = 'The payment provider did not respond.'
/** Why a payment failed that cannot succeed by being tried again, in words for the buyer. */
export const NOT_PAYABLE = 'This payment cannot be made here. Please write to us.'

/**
 * Starts a payment: the row first, so that whatever the provider says of it is known to be ours; then the
 * provider, outside any transaction; then what became of it. Null when no payment is taken, and no card charged: the
 * session has ended, its registrant was changed, the name cannot be had, or another payment for it is under way, as
 * after a double click.
 */
export async function startPayment(
  app: AppContext,
  provider: PaymentProvider,
  session: Session,
  card: Card | null,
  pages: { returnUrl(paymentId: string): string; cancelUrl: string },
): Promise<Outcome | null> {
  const now = app.clock.now()
  const tax = taxOf(app, session)
  const payment: Payment = {
    id: newId('pay', now),
    session_id: session.id,
    partner_id: session.partner_id,
    environment: session.environment,
    provider: provider.id,
    provider_ref: null,
    amount_cents: session.price_cents + tax.cents,
    tax_cents: tax.cents,
    tax,
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
    payment_method_id: null,
    card: null,
    created_at: now,
    updated_at: now,
  }
  await learnRegistrar(app, session.environment, session.domain)
  const starts = await inTransaction(app, async (tx) => {
    const held = await lockSession(tx, session.id)
    const last = await lastPayment(tx, session.id)
    if (sessionStatus(held, now) !== 'open' || (last && isUnderWay(last, now))) return false
    if (!isDeepStrictEqual(held.registrant, session.registrant)) return false
    const listing = await lockListing(tx, await marketOf(tx, held), session.domain)
    if (!listing || (await whyUnavailable(tx, listing, session, now))) return false
    await insertPayment(tx, payment)
    // Nothing can be charged yet while the buyer is sent to a page of the provider's.
    if (provider.asksForCard) {
      const started = after(now, STARTED_FOR_MS)
      // What an accepted offer promised is kept even if nobody hears what became of the payment.
      const isPromised = held.offer_id !== null && held.expires_at > started
      const until = isPromised ? held.expires_at : started
      await holdForPayment(tx, listing, payment, now, until)
    }
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
    if (error instanceof PaymentRejected) {
      app.log.error(
        { err: error, payment_id: payment.id },
        'payments: the provider rejected the payment',
      )
      return { kind: 'failed', ref: null, reason: NOT_PAYABLE }
    }
    app.log.warn({ err: error, payment_id: payment.id }, NO_RESPONSE)
    return { kind: 'failed', ref: null, reason: PROVIDER_AWAY }
  })
  await applyOutcome(app, payment.id, outcome)
  return outcome
}

/** Takes in an outcome, in a transaction of its own; and if money is to go back, sends it. */
export async function applyOutcome(
  app: AppContext,
  paymentId: string,
  outcome: Outcome,
): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, (tx) => settlePayment({ tx, now, app }, paymentId, outcome))
  await advancePayments(app, { only: paymentId })
}

/** A buyer is back from the provider's page, whose word may not have come yet: it is asked. */
export async function catchUp(app: AppContext, payment: Payment): Promise<void> {
  const provider = app.payments.byId(payment.provider)
  const outcome = await provider.lookUp(payment).catch((error: unknown): Outcome => {
    app.log.warn({ err: error, payment_id: payment.id }, NO_RESPONSE)
    const now = app.clock.now()
    const dueAt = after(now, retryDelay(0))
    // How long it may take is not known yet.
    const until = after(now, LONGEST_HOLD_MS)
    return { kind: 'processing', ref: payment.provider_ref ?? payment.id, dueAt, until }
  })
  await applyOutcome(app, payment.id, outcome)
}

/** Takes in what is heard of a payment after it came in. */
export async function applyLateUpdate(app: AppContext, update: LateUpdate): Promise<void> {
  const { paymentId } = update
  const payment = await findPayment(app.db, paymentId)
  if (!payment) return
  // It may be heard of before the payment itself.
  if (!SETTLED.includes(payment.status)) {
    const outcome = await lookUpPayment(app, payment)
    await applyOutcome(app, paymentId, outcome)
  }
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    switch (update.kind) {
      case 'refund':
        return await recordRefundUpdate({ tx, now, app }, paymentId, update.refund)
      case 'dispute':
        return await settleDispute({ tx, now }, paymentId, update.dispute)
      case 'suspect':
        return await holdSuspect(tx, now, paymentId, update.reason)
    }
  })
  await advancePayments(app, { only: paymentId })
}

/** Asks about payments that take their time, and sends refunds; what fails is tried again, ever later. */
async function advancePayments(
  app: AppContext,
  { only, signal }: { only?: string; signal?: AbortSignal },
): Promise<void> {
  for (const payment of await claimDue(app.db, 'payments', app.clock.now(), {
    ...LEASE,
    only,
  })) {
    if (signal?.aborted) return
    try {
      await advance(app, payment)
    } catch (error) {
      app.log.warn({ err: error, payment_id: payment.id }, NO_RESPONSE)
      const wait = retryDelay(payment.attempts)
      const now = app.clock.now()
      await inTransaction(app, async (tx) => {
        // Unless a webhook has brought the response by now.
        const held = await lockPayment(tx, payment.id)
        if (held?.due_at) await updatePayment(tx, payment.id, now, { due_at: after(now, wait) })
      })
    }
  }
}

async function advance(app: AppContext, payment: Payment): Promise<void> {
  if (payment.status === 'refund_due') return await refundPayment(app, payment)
  const outcome = await lookUpPayment(app, payment)
  const now = app.clock.now()
  await inTransaction(app, (tx) => settlePayment({ tx, now, app }, payment.id, outcome))
  if (outcome.kind === 'succeeded') await advancePayments(app, { only: payment.id })
}

export const advancePaymentsJob: Job = {
  name: 'advance_payments',
  everyMs: SECOND,
  queriesUpstream: true,
  run: (app, signal) => advancePayments(app, { signal }),
}
