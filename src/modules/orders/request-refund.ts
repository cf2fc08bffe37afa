import { z } from 'zod'
import { conflict } from '../../kernel/errors.ts'
import { iso, textField, timestamp } from '../../kernel/fields.ts'
import { partnerWrite, type WriteContext } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { lockOrder, type Order, REFUND_REASONS, type RefundReason } from './order.ts'
import { moveOrder } from './status.ts'

/** Takes back a sale whose domain has not been delivered; the partner returns the buyer's money. */
export const requestRefund = partnerWrite({
  name: 'request_refund',
  summary: 'Refund all of an order before its delivery; there is no refund of a part',
  method: 'POST',
  path: '/refunds',
  scope: 'buy',
  input: z.object({
    public_id: z.string().min(1),
    reason: z.enum(REFUND_REASONS).nullish(),
    note: textField(1000).nullish(),
  }),
  output: z.object({
    refund_id: z.string(),
    public_id: z.string(),
    status: z.literal('succeeded'),
    amount_cents: z.int(),
    currency: z.string(),
    created_at: timestamp,
  }),
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { public_id, reason, note }) {
    const order = await lockOrder(context.tx, public_id, context.partner)
    if (order.payment_model !== 'partner_collected') {
      throw conflict('The house collected this payment, so the house refunds it.')
    }
    return takeBack(context, order, 'refund', 'partner', reason ?? 'other', note ?? null)
  },
})

/** Ends an order with its full amount returned: the move, and the refund that records it. */
export async function takeBack(
  { tx, now }: Pick<WriteContext, 'tx' | 'now'>,
  order: Order,
  move: 'refund' | 'cancel',
  requested_by: 'partner' | 'operator',
  reason: RefundReason,
  note: string | null,
) {
  const id = newId('rf', now)
  await moveOrder(tx, now, order, move, note ?? reason)
  await tx
    .insertInto('refunds')
    .values({
      id,
      public_id: order.public_id,
      amount_cents: order.sale_price_cents,
      currency: order.currency,
      reason,
      note,
      requested_by,
      created_at: now,
    })
    .execute()
  return {
    refund_id: id,
    public_id: order.public_id,
    status: 'succeeded' as const,
    amount_cents: order.sale_price_cents,
    currency: order.currency,
    created_at: iso(now),
  }
}
