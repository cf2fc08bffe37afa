import { z } from 'zod'
import { readPageByTime } from '../../core/cursor.ts'
import {
  centsView,
  createdAt,
  createdWithin,
  currencyView,
  domainView,
  idField,
  iso,
  nextCursor,
  paging,
} from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { maskEmail } from '../../lib/mask-email.ts'
import { isReversed } from '../ledger/sale-days.ts'
import { requireAffiliate } from './referral-link.ts'

const SaleView = z
  .object({
    id: idField('ord').describe('The id of the sale, which is that of its order.'),
    public_id: idField('ord').describe('The id of the order.'),
    link_id: idField('lnk').describe('The tracked link that brought it.'),
    buyer: z.string().meta({
      description: 'The e-mail address of the buyer, masked.',
      example: 'b***@example.com',
    }),
    domain: domainView,
    amount_cents: centsView(129_500).describe('The price, in cents.'),
    commission_cents: centsView(12_950).describe(
      'Your commission, in cents: 0 once the sale is refunded, or while its payment is disputed.',
    ),
    currency: currencyView,
    status: z.string().meta({ description: 'The status of the order.', example: 'PAID' }),
    created_at: createdAt,
  })
  .meta({ id: 'ReferralSale' })

export const listSales = partnerRead({
  name: 'list_sales',
  tag: 'Referral',
  summary: 'List referred sales',
  description:
    'Returns the sales that your tracked links brought, newest first. Available to affiliates; other partners get ' +
    '`forbidden`.',
  method: 'GET',
  path: '/me/sales',
  scope: 'report',
  input: z.object({
    ...createdWithin,
    ...paging,
  }),
  output: z.object({
    sales: z.array(SaleView).describe('The sales, newest first.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  assertCaller: requireAffiliate,
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
        commission_cents: order.disputed || isReversed(order) ? 0 : order.commission_cents,
        currency: order.currency,
        status: order.status,
        created_at: iso(order.created_at),
      })),
      next_cursor,
    }
  },
})
