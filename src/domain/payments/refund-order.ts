import { partnerOf } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { moveFunds, refundedBy } from './dispute.ts'
import { applyExternalRefunds } from './external-refund.ts'
import { type Payment, refundCents, updatePayment } from './payment.ts'

/** What the buyer paid for an order goes back to the card, as soon as the provider takes the refund. */
export async function refundOrder(
  tx: Tx,
  now: Date,
  publicId: string,
  reason: string,
): Promise<void> {
  const payment = await tx
    .selectFrom('payments')
    .selectAll()
    .where('public_id', '=', publicId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (payment.status !== 'disputed') {
    await tx.executeQuery(
      post(now, {
        ...partnerOf(payment),
        code: 'tax_refund',
        source: payment.id,
        settlementId: null,
        currency: payment.currency,
        entries: transfer('tax_payable', 'buyer_refunds', payment.tax_cents),
      }),
    )
  }
  switch (payment.status) {
    case 'disputed':
      throw conflict(
        'not_allowed_now',
        'The bank of the buyer has the money and decides over it. To give in, accept the dispute first.',
        { status: payment.status },
      )
    case 'charged_back':
      return await settleByBank(tx, now, payment)
    default:
      await updatePayment(tx, payment.id, now, {
        status: 'refund_due',
        reason,
        due_at: now,
        attempts: 0,
      })
  }
}

/**
 * The buyer is owed a refund and has money already, from the bank and perhaps as goodwill: that is the refund, and
 * what both left of it is sent.
 */
export async function settleByBank(tx: Tx, now: Date, payment: Payment): Promise<void> {
  const lost = await tx
    .selectFrom('disputes')
    .select(['id', 'amount_cents'])
    .where('payment_id', '=', payment.id)
    .where('status', '=', 'lost')
    .execute()
  // Of what is owed no more the buyer may have had a part before, and what the bank gives beyond the rest is lost.
  let rest = refundCents(payment)
  for (const { id, amount_cents } of lost) {
    if ((await refundedBy(tx, id)) > 0) continue
    const cents = Math.min(amount_cents, rest)
    await moveFunds(tx, now, payment, 'chargeback', id, cents, ['buyer_refunds', 'dispute_losses'])
    rest -= cents
  }
  rest -= await applyExternalRefunds(tx, now, payment, `${payment.refund_round}:bank`, rest)
  if (rest === 0) return
  await updatePayment(tx, payment.id, now, {
    status: 'refund_due',
    refund_cents: rest,
    // The provider may have rejected all of it under the key of the last one.
    refund_round: payment.refund_round + 1,
    due_at: now,
    attempts: 0,
  })
}
