import { z } from 'zod'
import { readPageByTime } from '../../core/cursor.ts'
import { createdWithin, domainField, nextCursor, paging } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import { OrderView, viewOrder } from './order.ts'

export const listOrders = partnerRead({
  name: 'list_orders',
  tag: 'Orders',
  summary: 'List orders',
  description:
    'Returns your orders, newest first, a page at a time. Filters combine: an order is listed when all of them ' +
    'match. To keep an own copy up to date, read the event history instead.',
  method: 'GET',
  path: '/orders',
  scope: ['search', 'buy'],
  input: z.object({
    status: z.enum(ORDER_STATUSES).optional().describe('Only orders in this status.'),
    domain: domainField.optional().describe('Only orders for this domain.'),
    ...createdWithin,
    ...paging,
  }),
  output: z.object({
    orders: z.array(OrderView).describe('The orders, newest first.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { limit, cursor, ...filters }) {
    const bound = { list: 'orders', ...partner, ...filters }
    let query = db
      .selectFrom('orders')
      .selectAll()
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
    if (filters.status) query = query.where('status', '=', filters.status)
    if (filters.domain) query = query.where('domain', '=', filters.domain)
    if (filters.from) query = query.where('created_at', '>=', filters.from)
    if (filters.to) query = query.where('created_at', '<', filters.to)
    const { rows, next_cursor } = await readPageByTime(query, 'orders', 'public_id', {
      cursor,
      limit,
      bound,
    })
    return { orders: rows.map(viewOrder), next_cursor }
  },
})
