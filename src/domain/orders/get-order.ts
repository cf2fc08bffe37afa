import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { OrderView, viewOrder } from './order.ts'

export const getOrder = partnerRead({
  name: 'get_order',
  tag: 'Orders',
  summary: 'Get an order',
  description:
    'Returns one of your orders with the state of its transfer and its timeline, whoever collected the payment. ' +
    'Prefer webhooks for following an order; use this call after one has arrived, or to check.',
  method: 'GET',
  path: '/orders/{public_id}',
  scope: ['search', 'buy'],
  input: z.object({ public_id: idField('ord').describe('The order to get.') }),
  output: OrderView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, partner }, { public_id }) {
    const order = await db
      .selectFrom('orders')
      .selectAll()
      .where('public_id', '=', public_id)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
    if (!order) throw notFound('order')
    return viewOrder(order)
  },
})
