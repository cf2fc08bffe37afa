import { isRetryable } from '../../kernel/database/server.ts'
import type { House } from '../../kernel/house.ts'
import type { Job } from '../../kernel/jobs.ts'
import type { Tx } from '../../kernel/operation.ts'
import { after, type Clock, MINUTE, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { post } from '../ledger/ledger.ts'
import {
  claimDue,
  insertPayment,
  lockPayment,
  type Payment,
  updatePayment,
} from '../payments/payment.ts'
import type { Card, Outcome, PaymentProvider } from '../payments/provider.ts'
import type { Session } from './session.ts'
import { settlePayment } from './settle-payment.ts'

const MAX_TRIES = 5
const FIRST_RETRY_MS = 5 * SECOND
const LONGEST_RETRY_MS = 60 * MINUTE

/**
 * Starts a payment: the row first, so that whatever the provider says of it is known to be ours; then the
 * provider, outside any transaction; then what became of it.
 */
export async function startPayment(
  house: House,
  provider: PaymentProvider,
  session: Session,
  card: Card | null,
  pages: { returnUrl(paymentId: string): string; cancelUrl: string },
): Promise<{ payment: Payment; outcome: Outcome }> {
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
    refund_ref: null,
    public_id: null,
    due_at: null,
    attempts: 0,
    created_at: now,
    updated_at: now,
  }
  await inTransaction(house, (tx) => insertPayment(tx, payment))
  const outcome = await provider.pay({
    payment,
    domain: session.domain,
    buyerEmail: session.registrant?.email ?? session.buyer.email ?? '',
    returnUrl: pages.returnUrl(payment.id),
    cancelUrl: pages.cancelUrl,
    card,
  })
  await takeOutcome(house, payment.id, outcome)
  return { payment, outcome }
}

/** Takes in an outcome, in a transaction of its own; and if money is to go back, sends it. */
export async function takeOutcome(
  house: House,
  paymentId: string,
  outcome: Outcome,
): Promise<void> {
  const now = house.clock.now()
  await inTransaction(house, (tx) => settlePayment({ tx, now, house }, paymentId, outcome))
  await advancePayments(house, paymentId)
}

/** A transaction of the pages' and the jobs' own; one that lost to another is tried again. */
export async function inTransaction<T>(
  { db }: Pick<House, 'db'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isRetryable(error) || tries === MAX_TRIES) throw error
    }
  }
}

/** Asks about payments that take their time, and sends refunds; what fails is tried again, ever later. */
async function advancePayments(house: House, only?: string): Promise<void> {
  for (const payment of await claimDue(house.db, house.clock.now(), only)) {
    try {
      await advance(house, payment)
    } catch (error) {
      house.log.warn(
        { err: error, payment_id: payment.id },
        'payments: the provider did not answer',
      )
      const wait = Math.min(FIRST_RETRY_MS * 2 ** payment.attempts, LONGEST_RETRY_MS)
      const now = house.clock.now()
      await inTransaction(house, (tx) =>
        updatePayment(tx, payment.id, now, { due_at: after(now, wait) }),
      )
    }
  }
}

async function advance(house: House, payment: Payment): Promise<void> {
  const provider = house.payments.byName(payment.provider)
  if (payment.status === 'refund_due') {
    const refundRef = await provider.refund(payment)
    await inTransaction(house, (tx) => noteRefund(tx, house.clock, payment.id, refundRef))
    return
  }
  const outcome = await provider.lookUp(payment)
  const now = house.clock.now()
  await inTransaction(house, (tx) => settlePayment({ tx, now, house }, payment.id, outcome))
  if (outcome.kind === 'succeeded') await advancePayments(house, payment.id)
}

async function noteRefund(tx: Tx, clock: Clock, id: string, refundRef: string): Promise<void> {
  const now = clock.now()
  const payment = await lockPayment(tx, id)
  if (payment?.status !== 'refund_due') return
  await updatePayment(tx, id, now, { status: 'refunded', refund_ref: refundRef, due_at: null })
  // An order's refund was posted when the order was taken back.
  if (payment.public_id !== null) return
  await tx.executeQuery(
    post(tx, now, {
      partnerId: payment.partner_id,
      environment: payment.environment,
      code: 'unsold_refund',
      source: payment.id,
      settlementId: null,
      currency: payment.currency,
      entries: [
        { account: 'buyer_refunds', amount_cents: payment.amount_cents },
        { account: 'card_funds', amount_cents: -payment.amount_cents },
      ],
    }),
  )
}

export const advancePaymentsJob: Job = {
  name: 'advance_payments',
  everyMs: SECOND,
  run: (house) => advancePayments(house),
}
