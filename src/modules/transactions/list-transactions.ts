import { sql } from 'kysely'
import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { iso, momentField, paging, timestamp } from '../../kernel/fields.ts'
import { type Partner, partnerRead } from '../../kernel/operation.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import { EARNED } from '../ledger/sale-days.ts'
import { readTotals, type Span } from './totals.ts'

export const PAYMENT_MODELS = ['partner_collected', 'hosted_checkout', 'brokerage'] as const
export const STATUSES = [...ORDER_STATUSES, 'completed'] as const

const TransactionView = z.object({
  public_id: z.string(),
  domain: z.string(),
  payment_model: z.enum(PAYMENT_MODELS),
  status: z.enum(STATUSES),
  amount_cents: z.int(),
  /** What you keep of it, or earn by it: 0 once it was taken back, or while its payment is disputed. */
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

interface Kinds {
  status?: (typeof STATUSES)[number] | undefined
  payment_model?: (typeof PAYMENT_MODELS)[number] | undefined
}

/**
 * What a partner has sold in a span of time, one row a sale, by where it is kept. Where a filter leaves none
 * of a kind, it is not asked for: finding that out would take reading all of it.
 */
function salesOf(
  { partnerId, environment }: Partner,
  { from, to }: Span,
  { status, payment_model }: Kinds,
) {
  const within = (moment: string) =>
    sql.join(
      [
        sql`partner_id = ${partnerId} and environment = ${environment}`,
        ...(from ? [sql`${sql.ref(moment)} >= ${from}`] : []),
        ...(to ? [sql`${sql.ref(moment)} < ${to}`] : []),
      ],
      sql` and `,
    )
  // As a literal: for a parameter the database would not consider the index of one model.
  const ofModel = payment_model ? sql`payment_model = ${sql.lit(payment_model)}` : sql`true`
  const orders = sql`
    select public_id, domain, payment_model, status, sale_price_cents as amount_cents,
      ${EARNED} as commission_cents, currency, created_at
    from orders where ${within('created_at')} and ${ofModel}`
  const deals = sql`
    select case_id as public_id, domain, 'brokerage' as payment_model, status,
      price_cents as amount_cents, commission_cents, currency, ended_at as created_at
    from brokerage_cases where ${within('ended_at')} and status = 'completed'`
  const isDeal = payment_model === 'brokerage' || status === 'completed'
  const isOrder =
    (payment_model && payment_model !== 'brokerage') || (status && status !== 'completed')
  if (isDeal && isOrder) return [sql`${deals} and false`]
  return isDeal ? [deals] : isOrder ? [orders] : [orders, deals]
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
    ...paging,
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
    const bound = { list: 'transactions', ...partner, from, to, status, payment_model }
    const before = readCursor(cursor, bound)
    const span = { from, to }
    const filter = sql.join(
      [
        sql`true`,
        ...(status ? [sql`status = ${status}`] : []),
        ...(payment_model ? [sql`payment_model = ${payment_model}`] : []),
      ],
      sql` and `,
    )
    const kinds = { status, payment_model }
    const all = (within: Span) => sql.join(salesOf(partner, within, kinds), sql` union all `)
    const older = before
      ? sql`and (created_at, public_id) <
          ((select created_at from (${all({})}) as s where public_id = ${before}), ${before})`
      : sql``
    // Each kind gives its newest, by its index.
    const newest = salesOf(partner, span, kinds).map(
      (kind) => sql`
        (select * from (${kind}) as s where ${filter} ${older}
        order by created_at desc, public_id desc limit ${limit + 1})`,
    )
    const [{ rows }, totals] = await Promise.all([
      sql<Row>`select * from (${sql.join(newest, sql` union all `)}) as s
        order by created_at desc, public_id desc limit ${limit + 1}`.execute(db),
      readTotals(db, partner, span, filter, all),
    ])
    const { items, next_cursor } = page(
      rows,
      limit,
      bound,
      (row) => row.public_id,
      (row) => ({ ...row, created_at: iso(row.created_at) }),
    )
    return { transactions: items, totals, next_cursor }
  },
})
