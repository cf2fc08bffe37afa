import { z } from 'zod'
import { readPageByTime } from '../../kernel/cursor.ts'
import { domainField, momentField, paging } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import { OrderView, viewOrder } from './order.ts'

export const listOrders = partnerRead({
  name: 'list_orders',
  summary: 'Your orders, newest first',
  method: 'GET',
  path: '/orders',
  scope: ['search', 'buy'],
  input: z.object({
    status: z.enum(ORDER_STATUSES).optional(),
    domain: domainField.optional(),
    /** Created at or after. */
    from: momentField.optional(),
    /** Created before. */
    to: momentField.optional(),
    ...paging,
  }),
  output: z.object({ orders: z.array(OrderView), next_cursor: z.string().nullable() }),
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
