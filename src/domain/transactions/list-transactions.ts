import { sql } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { page, readCursor } from '../../core/cursor.ts'
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
import { ORDER_STATUSES } from '../events/event-view.ts'
import { EARNED } from '../ledger/sale-days.ts'
import { readTotals, type Span } from './totals.ts'

export const PAYMENT_MODELS = ['partner_collected', 'hosted_checkout', 'brokerage'] as const
export const STATUSES = [...ORDER_STATUSES, 'completed'] as const

const TransactionView = z
  .object({
    public_id: idField('ord').describe('The id of the order, or of the brokerage case.'),
    domain: domainView,
    payment_model: z
      .enum(PAYMENT_MODELS)
      .describe('How it was paid: to you, at the hosted checkout, or as a brokered deal.'),
    status: z
      .enum(STATUSES)
      .describe('The status of the order, or `completed` for a brokered deal.'),
    amount_cents: centsView(129_500).describe('The price, in cents.'),
    commission_cents: centsView(12_950).describe(
      'Your commission, in cents: 0 once the sale is refunded, or while its payment is disputed.',
    ),
    currency: currencyView,
    created_at: createdAt,
  })
  .meta({ id: 'Transaction', description: 'A sale, whoever collected its payment.' })

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
  tag: 'Settlements',
  summary: 'List transactions',
  description:
    'Returns all your sales in one list, newest first: payments that you collected, hosted checkouts and brokered deals. ' +
    'Use it for reports. The totals are of everything that the filters match, not of the page ' +
    'alone.',
  method: 'GET',
  path: '/transactions',
  scope: 'report',
  input: z.object({
    ...createdWithin,
    status: z.enum(STATUSES).optional().describe('Only sales in this status.'),
    payment_model: z.enum(PAYMENT_MODELS).optional().describe('Only sales of this kind.'),
    ...paging,
  }),
  output: z.object({
    transactions: z.array(TransactionView).describe('The sales, newest first.'),
    totals: z
      .object({
        gmv_cents: centsView(129_500).describe('The prices together, in cents.'),
        commission_cents: centsView(12_950).describe('Your commission together, in cents.'),
        count: z.int().meta({ description: 'The number of sales.', example: 1 }),
      })
      .describe('Of everything that the filters match, not of this page alone.'),
    next_cursor: nextCursor,
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
