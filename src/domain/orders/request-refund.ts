import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { centsView, createdAt, currencyView, idField, iso, textField } from '../../core/fields.ts'
import { partnerWrite, type WriteContext } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { lockOrder, type Order, REFUND_REASONS, type RefundReason } from './order.ts'
import { moveOrder } from './status.ts'

/** Takes back a sale whose domain has not been delivered; the partner returns the buyer's money. */
export const requestRefund = partnerWrite({
  name: 'request_refund',
  tag: 'Orders',
  summary: 'Refund an order',
  description:
    'Refunds an order whose payment you collected, in full; there are no partial refunds. It ends the order, and the ' +
    'domain is for sale again. You return the money to the buyer, and owe nothing for the sale. Only an order that has ' +
    'not been delivered can be refunded: afterwards, while its domain is being pushed, or when it has ended already, ' +
    'the call gives `conflict`, as it does for a sale at the hosted checkout, which the marketplace refunds. ' +
    '`order.refunded` is emitted.',
  method: 'POST',
  path: '/refunds',
  scope: 'buy',
  input: z.object({
    public_id: idField('ord').min(1).describe('The order to refund.'),
    reason: z.enum(REFUND_REASONS).nullish().meta({
      description: 'Why it is refunded. Default: `other`.',
      example: 'requested_by_customer',
    }),
    note: textField(1000).nullish().meta({
      description: 'The reason in your own words, for the timeline of the order.',
      example: 'The buyer chose another name.',
    }),
  }),
  output: z
    .object({
      refund_id: idField('rf').describe('The id of the refund.'),
      public_id: idField('ord').describe('The order that was refunded.'),
      status: z.literal('succeeded').describe('Always `succeeded`: a refund takes effect at once.'),
      amount_cents: centsView(129_500).describe(
        'The amount in cents: the whole price of the order.',
      ),
      currency: currencyView,
      created_at: createdAt,
    })
    .meta({ id: 'Refund' }),
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { public_id, reason, note }) {
    const order = await lockOrder(context.tx, public_id, context.partner)
    if (order.payment_model !== 'partner_collected') {
      throw conflict(
        'not_applicable',
        'The marketplace collected this payment, so only the marketplace can refund it.',
      )
    }
    return reverseOrder(context, order, 'refund', 'partner', reason ?? 'other', note ?? null)
  },
})

/** Ends an order with its full amount returned: the move, and the refund that records it. */
export async function reverseOrder(
  context: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  order: Order,
  move: 'refund' | 'cancel',
  requested_by: 'partner' | 'operator' | 'buyer',
  reason: RefundReason,
  note: string | null,
) {
  const { tx, now } = context
  const id = newId('rf', now)
  await moveOrder(context, order, move, note ?? reason)
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
