import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx, WriteContext } from '../../kernel/operation.ts'
import { lockOrder } from '../orders/order.ts'
import { takeBack } from '../orders/request-refund.ts'
import { isRefundable } from '../orders/status.ts'
import { moveFunds } from '../payments/dispute.ts'
import { lockPayment, type Payment, refundCents, updatePayment } from '../payments/payment.ts'
import type { RefundNews, RefundOutcome } from '../payments/provider.ts'
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
  await updatePayment(tx, id, now, {
    status: 'refunded',
    refund_ref: outcome.ref,
    refund_note: null,
    due_at: null,
  })
  await moveFunds(tx, now, payment, 'card_refund', outcome.ref, refundCents(payment), [
    'buyer_refunds',
    'card_funds',
  ])
}

type Context = Pick<WriteContext, 'tx' | 'now' | 'house'>

/** Takes in how a refund stands, whoever made it, any number of times. */
export async function noteRefundNews(
  context: Context,
  paymentId: string,
  { ref, amountCents, failure }: RefundNews,
): Promise<void> {
  return failure === null
    ? await noteRefundElsewhere(context, paymentId, ref, amountCents)
    : await noteFailedRefund(context, paymentId, ref, failure)
}

/**
 * Of a sale that stands nobody here gave the money back: an operator did, at the provider itself. Where all of it
 * went and the order can be refunded still, that is what was meant: our own refund finds theirs.
 */
async function noteRefundElsewhere(
  { tx, now, house }: Context,
  paymentId: string,
  ref: string,
  amountCents: number,
): Promise<void> {
  await lockOrderOf(tx, paymentId)
  const payment = await lockPayment(tx, paymentId)
  if (payment?.status !== 'succeeded' || payment.public_id === null) return
  const order = await lockOrder(tx, payment.public_id)
  if (amountCents >= payment.amount_cents && isRefundable(order)) {
    await takeBack({ tx, now }, order, 'refund', 'operator', 'other', NOTE)
    return
  }
  house.log.error(
    {
      payment_id: paymentId,
      public_id: order.public_id,
      refund_ref: ref,
      amount_cents: amountCents,
    },
    'payments: a refund at the provider itself is in no book and waits for an operator',
  )
}

/** A refund that the provider had taken did not arrive: the money is back, and still the buyer's. */
export async function noteFailedRefund(
  { tx, now, house }: Context,
  paymentId: string,
  ref: string,
  reason: string,
): Promise<void> {
  const payment = await lockPayment(tx, paymentId)
  if (!payment) return
  const isCurrent = payment.status === 'refunded' && payment.refund_ref === ref
  // Told before our own call had its answer.
  const isEarly = payment.status === 'refund_due' && payment.refund_ref !== ref
  if (!isCurrent && !isEarly) return
  await updatePayment(tx, paymentId, now, {
    status: 'refund_failed',
    refund_note: reason,
    refund_ref: ref,
    due_at: null,
  })
  house.log.error(
    { payment_id: paymentId, reason },
    'payments: a refund did not arrive and waits for an operator',
  )
  if (!isCurrent) return
  await moveFunds(tx, now, payment, 'card_refund_failed', ref, refundCents(payment), [
    'card_funds',
    'buyer_refunds',
  ])
}
