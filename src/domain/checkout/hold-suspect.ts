import { iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { holdOrder } from '../orders/hold-order.ts'
import { lockOrder } from '../orders/order.ts'
import { findPayment } from '../payments/payment.ts'

const SUSPECT = 'payment.suspect'
const NOTES = {
  fraud_warning: 'The bank of the buyer takes the payment for fraud.',
  payment_review: 'The payment provider looks into the payment.',
}

/** A domain whose payment may be taken back waits for an operator, once for each reason; one that has left cannot. */
export async function holdSuspect(
  tx: Tx,
  now: Date,
  paymentId: string,
  reason: keyof typeof NOTES,
): Promise<void> {
  const payment = await findPayment(tx, paymentId)
  if (!payment?.public_id) return
  const order = await lockOrder(tx, payment.public_id)
  const note = NOTES[reason]
  // Webhooks are repeated: an operator may have looked at this one, and cleared the order.
  if (order.timeline.some((step) => step.type === SUSPECT && step.note === note)) return
  await holdOrder(tx, now, order, reason, {
    at: iso(now),
    type: SUSPECT,
    status: order.status,
    note,
  })
}
