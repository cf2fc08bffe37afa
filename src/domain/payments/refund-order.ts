import { partnerOf } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { issueCreditNote } from '../invoices/invoice.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { settleByBank } from './dispute.ts'
import { updatePayment } from './payment.ts'

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
    await issueCreditNote(tx, now, payment.id)
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
