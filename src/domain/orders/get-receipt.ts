import { z } from 'zod'
import { notAllowedNow, notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'

export const getReceipt = partnerRead({
  name: 'get_receipt',
  tag: 'Orders',
  summary: 'Get the delivery receipt of an order',
  description:
    'Returns the signed receipt of an order whose domain has been delivered. Anyone can verify it against ' +
    '`/.well-known/jwks.json`, for as long as they keep it: it says what was sold for how much, what the registrar was ' +
    'asked and answered, and what the registry said before and after. It names no person. Before the delivery it is ' +
    '`conflict`; `order.transfer_completed` reports the delivery. `/receipts/{receipt_id}` shows it to anyone who has ' +
    'the address.',
  method: 'GET',
  path: '/orders/{public_id}/receipt',
  scope: 'buy',
  input: z.object({ public_id: idField('ord').describe('The order whose receipt you need.') }),
  output: z
    .object({
      receipt_id: idField('rct').describe('The id of the receipt.'),
      receipt: z.string().meta({
        description:
          'The receipt as a signed token (JWS) whose type is `delivery-receipt+jwt`. It never changes.',
        example: 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJyY3RfMDFrOCJ9.c2lnbmF0dXJl',
      }),
    })
    .meta({ id: 'DeliveryReceipt', description: 'A signed proof of what was delivered.' }),
  status: 200,
  errors: ['not_found', 'conflict'],
  async handler({ db, partner }, { public_id }) {
    const order = await db
      .selectFrom('orders as o')
      .leftJoin('delivery_receipts as r', 'r.public_id', 'o.public_id')
      .select(['o.status', 'r.receipt_id', 'r.token'])
      .where('o.public_id', '=', public_id)
      .where('o.partner_id', '=', partner.partnerId)
      .where('o.environment', '=', partner.environment)
      .executeTakeFirst()
    if (!order) throw notFound('order')
    const { receipt_id, token } = order
    if (receipt_id === null || token === null) {
      throw notAllowedNow('order', order.status, 'There is a receipt once the domain is delivered.')
    }
    return { receipt_id, receipt: token }
  },
})
