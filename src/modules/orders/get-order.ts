import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { OrderView, viewOrder } from './order.ts'

export const getOrder = partnerRead({
  name: 'get_order',
  summary: 'One of your orders, with its transfer and timeline',
  method: 'GET',
  path: '/orders/{public_id}',
  scope: ['search', 'buy'],
  input: z.object({ public_id: z.string() }),
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
