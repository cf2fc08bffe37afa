import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx, WriteContext } from '../../kernel/operation.ts'
import { lockOrder } from '../orders/order.ts'
import { takeBack } from '../orders/request-refund.ts'
import { isRefundable } from '../orders/status.ts'
import { moveFunds } from '../payments/dispute.ts'
import { lockPayment, type Payment, refundCents, updatePayment } from '../payments/payment.ts'
import type { PaymentRefundNews, RefundOutcome } from '../payments/provider.ts'
import { lockOrderOf } from './settle-dispute.ts'

const NOTE = 'The payment was refunded at the payment provider.'

/** Sends a refund that is due. What is refused waits for an operator; what may pass is thrown. */
export async function refundPayment(house: House, payment: Payment): Promise<void> {
  const outcome = await house.payments.byName(payment.provider).refund(payment)
  const now = house.clock.now()
  await inTransaction(house, (tx) => noteRefund(tx, now, payment, outcome))
  if (outcome.kind === 'refused') {
    house.log.error(
      { payment_id: payment.id, reason: outcome.reason },
      'payments: a refund was refused and waits for an operator',
    )
  }
}

async function noteRefund(
  tx: Tx,
  now: Date,
  { id, refund_round }: Payment,
  outcome: RefundOutcome,
): Promise<void> {
  const payment = await lockPayment(tx, id)
  // A dispute may have come between: the refund has been taken all the same.
  if (payment?.refund_round !== refund_round) return
  if (outcome.kind === 'refused') {
    if (payment.status !== 'refund_due') return
    return await updatePayment(tx, id, now, {
      status: 'refund_failed',
      refund_note: outcome.reason,
      refund_ref: outcome.ref,
      due_at: null,
    })
  }
  if (payment.status !== 'refund_due' && payment.status !== 'disputed') return
  await noteTaken(tx, now, payment, outcome.ref)
}

async function noteTaken(tx: Tx, now: Date, payment: Payment, ref: string): Promise<void> {
  await updatePayment(tx, payment.id, now, {
    status: 'refunded',
    refund_ref: ref,
    refund_note: null,
    due_at: null,
  })
  await moveFunds(tx, now, payment, 'card_refund', ref, refundCents(payment), [
    'buyer_refunds',
    'card_funds',
  ])
}

type Context = Pick<WriteContext, 'tx' | 'now' | 'house'>

/** Takes in how a refund stands, whoever made it, any number of times. */
export async function noteRefundNews(
  context: Context,
  paymentId: string,
  news: PaymentRefundNews,
): Promise<void> {
  const { ref, failure, round } = news
  if (failure !== null) return await noteFailedRefund(context, paymentId, ref, failure, round)
  // Of ours the answer to our own call tells.
  if (round === null) await noteRefundElsewhere(context, paymentId, news)
}

/**
 * An operator gave money back at the provider itself. Where it is what we owe, that is our refund. Of a sale that
 * stands, all of it undoes the sale, where that is still possible: our own refund finds theirs.
 */
async function noteRefundElsewhere(
  { tx, now, house }: Context,
  paymentId: string,
  { ref, amountCents, totalCents }: PaymentRefundNews,
): Promise<void> {
  await lockOrderOf(tx, paymentId)
  const payment = await lockPayment(tx, paymentId)
  if (!payment || payment.status === 'refund_due' || payment.status === 'refunded') return
  if (payment.status === 'refund_failed' && amountCents >= refundCents(payment)) {
    return await noteTaken(tx, now, payment, ref)
  }
  const order = payment.public_id === null ? null : await lockOrder(tx, payment.public_id)
  const isAll = payment.status === 'succeeded' && totalCents >= payment.amount_cents
  if (order && isAll && isRefundable(order)) {
    await takeBack({ tx, now }, order, 'refund', 'operator', 'other', NOTE)
    return
  }
  const { public_id } = payment
  house.log.error(
    { payment_id: paymentId, public_id, refund_ref: ref, amount_cents: amountCents },
    'payments: a refund at the provider itself is in no book and waits for an operator',
  )
}

/**
 * A refund that the provider had taken did not arrive: the money is back, and still the buyer's.
 *
 * @param round which of ours it is; null when somebody made it at the provider itself
 */
export async function noteFailedRefund(
  { tx, now, house }: Context,
  paymentId: string,
  ref: string,
  reason: string,
  round: number | null,
): Promise<void> {
  const payment = await lockPayment(tx, paymentId)
  if (!payment || (payment.status === 'refund_failed' && payment.refund_ref === ref)) return
  const isCurrent = payment.status === 'refunded' && payment.refund_ref === ref
  // Told before our own call had its answer.
  const isEarly = payment.status === 'refund_due' && payment.refund_round === round
  const notice = { payment_id: paymentId, refund_ref: ref, reason }
  if (!isCurrent && !isEarly) {
    const words = 'payments: a refund at the provider itself did not arrive'
    if (round === null) house.log.error(notice, words)
    return
  }
  await updatePayment(tx, paymentId, now, {
    status: 'refund_failed',
    refund_note: reason,
    refund_ref: ref,
    due_at: null,
  })
  house.log.error(notice, 'payments: a refund did not arrive and waits for an operator')
  if (!isCurrent) return
  await moveFunds(tx, now, payment, 'card_refund_failed', ref, refundCents(payment), [
    'card_funds',
    'buyer_refunds',
  ])
}
