import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx, WriteContext } from '../../kernel/operation.ts'
import { moveFunds } from '../payments/dispute.ts'
import { lockPayment, type Payment, refundCents, updatePayment } from '../payments/payment.ts'
import type { RefundOutcome } from '../payments/provider.ts'

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

/** A refund that the provider had taken did not arrive: the money is back, and still the buyer's. */
export async function noteFailedRefund(
  { tx, now, house }: Pick<WriteContext, 'tx' | 'now' | 'house'>,
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
