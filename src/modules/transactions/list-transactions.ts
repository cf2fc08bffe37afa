import { sql } from 'kysely'
import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { iso, limitField, momentField, timestamp } from '../../kernel/fields.ts'
import { type Partner, partnerRead } from '../../kernel/operation.ts'
import { ORDER_STATUSES } from '../orders/order.ts'

const PAYMENT_MODELS = ['partner_collected', 'hosted_checkout', 'brokerage'] as const
const STATUSES = [...ORDER_STATUSES, 'completed'] as const

const TransactionView = z.object({
  public_id: z.string(),
  domain: z.string(),
  payment_model: z.enum(PAYMENT_MODELS),
  status: z.enum(STATUSES),
  amount_cents: z.int(),
  /** What you keep of it, or earn by it: 0 once it was taken back. */
  commission_cents: z.int(),
  currency: z.string(),
  created_at: timestamp,
})

interface Row {
  public_id: string
  domain: string
  payment_model: (typeof PAYMENT_MODELS)[number]
  status: (typeof STATUSES)[number]
  amount_cents: number
  commission_cents: number
  currency: string
  created_at: Date
}

/** Everything that a partner has sold, one row a sale, wherever it is kept. */
function sales({ partnerId, environment }: Partner) {
  return sql`
    select public_id, domain, payment_model, status, sale_price_cents as amount_cents,
      case when status in ('REFUNDED', 'CANCELLED') then 0 else commission_cents end as commission_cents,
      currency, created_at
    from orders where partner_id = ${partnerId} and environment = ${environment}
    union all
    select case_id, domain, 'brokerage', status, price_cents, commission_cents, currency, ended_at
    from brokerage_cases where partner_id = ${partnerId} and environment = ${environment}
      and status = 'completed'`
}

export const listTransactions = partnerRead({
  name: 'list_transactions',
  summary: 'Your sales by every payment model, newest first, with totals',
  method: 'GET',
  path: '/transactions',
  scope: 'report',
  input: z.object({
    /** Created at or after. */
    from: momentField.optional(),
    /** Created before. */
    to: momentField.optional(),
    status: z.enum(STATUSES).optional(),
    payment_model: z.enum(PAYMENT_MODELS).optional(),
    limit: limitField,
    cursor: z.string().optional(),
  }),
  output: z.object({
    transactions: z.array(TransactionView),
    /** Of everything that the filter finds, not of this page. */
    totals: z.object({ gmv_cents: z.int(), commission_cents: z.int(), count: z.int() }),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { limit, cursor, from, to, status, payment_model }) {
    const bound = { list: 'transactions', from, to, status, payment_model }
    const before = readCursor(cursor, bound)
    const conditions = [
      ...(from ? [sql`created_at >= ${from}`] : []),
      ...(to ? [sql`created_at < ${to}`] : []),
      ...(status ? [sql`status = ${status}`] : []),
      ...(payment_model ? [sql`payment_model = ${payment_model}`] : []),
    ]
    const found = sql`(${sales(partner)}) as s where ${
      conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
    }`
    // Ids of all kinds sort by creation behind their prefix.
    const moment = sql`split_part(public_id, '_', 2)`
    const [{ rows }, totals] = await Promise.all([
      sql<Row>`select * from ${found}
        ${before ? sql`and ${moment} < ${before.split('_')[1]}` : sql``}
        order by ${moment} desc limit ${limit + 1}`.execute(db),
      sql<{ gmv_cents: number; commission_cents: number; count: number }>`
        select coalesce(sum(amount_cents), 0)::bigint as gmv_cents,
          coalesce(sum(commission_cents), 0)::bigint as commission_cents,
          count(*)::bigint as count from ${found}`.execute(db),
    ])
    const { items, next_cursor } = page(
      rows,
      limit,
      bound,
      (row) => row.public_id,
      (row) => ({ ...row, created_at: iso(row.created_at) }),
    )
    const [total = { gmv_cents: 0, commission_cents: 0, count: 0 }] = totals.rows
    return { transactions: items, totals: total, next_cursor }
  },
})
