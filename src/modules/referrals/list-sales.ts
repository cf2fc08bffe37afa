import { z } from 'zod'
import { readPageByTime } from '../../kernel/cursor.ts'
import { iso, momentField, paging, timestamp } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { maskEmail } from '../../lib/mask-email.ts'
import { isTakenBack } from '../ledger/sale-days.ts'
import { requireAffiliate } from './referral-link.ts'

const SaleView = z.object({
  /** A sale is known by its order. */
  id: z.string(),
  public_id: z.string(),
  link_id: z.string(),
  /** The buyer's address, masked. */
  buyer: z.string(),
  domain: z.string(),
  amount_cents: z.int(),
  /** What you earn by it: 0 once the sale was taken back, or while its payment is disputed. */
  commission_cents: z.int(),
  currency: z.string(),
  /** The order's. */
  status: z.string(),
  created_at: timestamp,
})

export const listSales = partnerRead({
  name: 'list_sales',
  summary: 'Sales that your tracked links brought, newest first',
  method: 'GET',
  path: '/me/sales',
  scope: 'report',
  input: z.object({
    from: momentField.optional(),
    to: momentField.optional(),
    ...paging,
  }),
  output: z.object({ sales: z.array(SaleView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  refuseCaller: requireAffiliate,
  async handler({ db, partner }, { limit, cursor, from, to }) {
    const bound = { list: 'sales', ...partner, from, to }
    let query = db
      .selectFrom('orders')
      .selectAll()
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .where('link_id', 'is not', null)
    if (from) query = query.where('created_at', '>=', from)
    if (to) query = query.where('created_at', '<', to)
    const { rows, next_cursor } = await readPageByTime(query, 'orders', 'public_id', {
      cursor,
      limit,
      bound,
    })
    return {
      sales: rows.map((order) => ({
        id: order.public_id,
        public_id: order.public_id,
        link_id: order.link_id ?? '',
        buyer: maskEmail(order.buyer.email),
        domain: order.domain,
        amount_cents: order.sale_price_cents,
        commission_cents: order.disputed || isTakenBack(order) ? 0 : order.commission_cents,
        currency: order.currency,
        status: order.status,
        created_at: iso(order.created_at),
      })),
      next_cursor,
    }
  },
})
