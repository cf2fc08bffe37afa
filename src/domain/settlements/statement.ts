import { sql } from 'kysely'
import { z } from 'zod'
import { centsView, currencyView, domainView, idField, iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { stringify } from '../../lib/csv.ts'

const PAYMENT_STATUSES = ['nothing_due', 'due', 'part_paid', 'paid', 'overdue'] as const

export const StatementView = z
  .object({
    id: idField('stl').describe('The id of the settlement.'),
    period_start: timestamp.meta({
      description: 'When the period began, in UTC.',
      example: '2026-01-01T00:00:00.000Z',
    }),
    period_end: timestamp.nullable().meta({
      description: 'When the period was closed, in UTC; null while it is open.',
      example: '2026-02-01T00:00:00.000Z',
    }),
    status: z.enum(['open', 'closed']).meta({
      description: '`open` while sales are added to it; a `closed` statement does not change.',
      example: 'closed',
    }),
    currency: currencyView,
    order_count: z
      .int()
      .meta({ description: 'The number of orders delivered in the period.', example: 1 }),
    gross_sold_cents: centsView(129_500).describe(
      'The prices of the orders delivered in the period, in cents.',
    ),
    commission_retained_cents: centsView(12_950).describe(
      'Your commission on them, which you keep, in cents.',
    ),
    refunded_cents: centsView(0).describe(
      'What was refunded before its delivery, in cents. Nothing is owed for it.',
    ),
    amount_owed_cents: centsView(116_550).describe(
      'What you owe for the period, in cents: the prices less your commission.',
    ),
    received_cents: centsView(0).describe(
      'What you have paid of it, in cents. What you paid too much for earlier periods counts here.',
    ),
    due_at: timestamp.nullable().meta({
      description:
        'When it has to be paid, in UTC; null while it is open, or where nothing is owed.',
      example: '2026-02-15T00:00:00.000Z',
    }),
    payment_status: z.enum(PAYMENT_STATUSES).meta({
      description:
        '`nothing_due` while the period is open or where nothing is owed, `due`, `part_paid`, `paid`, or `overdue` past `due_at`.',
      example: 'due',
    }),
  })
  .meta({
    id: 'SettlementSummary',
    description:
      'The statement of a period: the sales whose payment you collected, and what you owe.',
  })

/** What the ledger's entries of a period come to. */
type Sums = Pick<
  z.output<typeof StatementView>,
  'order_count' | 'gross_sold_cents' | 'commission_retained_cents' | 'refunded_cents'
>

export const NOTHING: Sums = {
  order_count: 0,
  gross_sold_cents: 0,
  commission_retained_cents: 0,
  refunded_cents: 0,
}

/**
 * The sums of periods as the ledger has them now; one in which nothing happened has none. Each transaction's
 * entries are looked up, however the planner would rather read all that was ever posted.
 */
export async function readSums(db: Database | Tx, ids: string[]): Promise<Map<string, Sums>> {
  const { rows } = await sql<Sums & { settlement_id: string }>`
    select t.settlement_id,
      count(*) filter (where t.code = 'delivery' and e.account = 'sales')::bigint as order_count,
      coalesce(-sum(e.amount_cents) filter (where e.account = 'sales'), 0)::bigint as gross_sold_cents,
      coalesce(sum(e.amount_cents) filter (where e.account = 'partner_commission'), 0)::bigint
        as commission_retained_cents,
      coalesce(sum(e.amount_cents) filter (where t.code = 'refund' and e.account = 'undelivered_sales'), 0)
        ::bigint as refunded_cents
    from ledger_transactions t,
      lateral (select * from ledger_entries where transaction_id = t.id offset 0) as e
    where t.settlement_id = any (${ids}::text[])
    group by t.settlement_id`.execute(db)
  return new Map(rows.map(({ settlement_id, ...sums }) => [settlement_id, { ...NOTHING, ...sums }]))
}

/** Statements with their sums: of closed periods those that were kept when they closed. */
export async function viewStatements(
  db: Database | Tx,
  settlements: Schema['settlements'][],
  now: Date,
): Promise<z.output<typeof StatementView>[]> {
  const running = settlements.filter((settlement) => keptSums(settlement) === null)
  const sums = await readSums(
    db,
    running.map(({ id }) => id),
  )
  return settlements.map((settlement) =>
    viewStatement(settlement, keptSums(settlement) ?? sums.get(settlement.id) ?? NOTHING, now),
  )
}

/** The sums of a period that was closed; null while it is open. */
function keptSums(settlement: Schema['settlements']): Sums | null {
  const { order_count, gross_sold_cents, commission_retained_cents, refunded_cents } = settlement
  const isKept =
    order_count !== null &&
    gross_sold_cents !== null &&
    commission_retained_cents !== null &&
    refunded_cents !== null
  return isKept
    ? { order_count, gross_sold_cents, commission_retained_cents, refunded_cents }
    : null
}

export function viewStatement(
  settlement: Schema['settlements'],
  sums: Sums,
  now: Date,
): z.output<typeof StatementView> {
  const { id, period_start, period_end, status, currency, received_cents, due_at } = settlement
  const amount_owed_cents = sums.gross_sold_cents - sums.commission_retained_cents
  return {
    id,
    period_start: iso(period_start),
    period_end: iso(period_end),
    status,
    currency,
    ...sums,
    amount_owed_cents,
    received_cents,
    due_at: iso(due_at),
    payment_status: paymentStatus(settlement, amount_owed_cents, now),
  }
}

function paymentStatus(
  { status, received_cents, due_at }: Schema['settlements'],
  owedCents: number,
  now: Date,
): (typeof PAYMENT_STATUSES)[number] {
  if (status === 'open' || owedCents <= 0) return 'nothing_due'
  if (received_cents >= owedCents) return 'paid'
  if (due_at !== null && due_at <= now) return 'overdue'
  return received_cents > 0 ? 'part_paid' : 'due'
}

export const LineView = z
  .object({
    public_id: idField('ord').describe('The order.'),
    domain: domainView,
    type: z
      .enum(['sale', 'refund'])
      .describe('A delivered `sale`, or a `refund` before the delivery.'),
    gross_cents: centsView(129_500).describe('The price of the order, in cents.'),
    commission_cents: centsView(12_950).describe('Your commission on it, in cents.'),
    owed_cents: centsView(116_550).describe('What you owe for it, in cents; 0 for a refund.'),
    completed_at: timestamp
      .nullable()
      .describe('When the domain was delivered, in UTC; null for a refund.'),
  })
  .meta({ id: 'SettlementLine' })

/** A statement for a spreadsheet: its lines. */
export function statementCsv({
  lines,
  currency,
}: {
  lines: z.output<typeof LineView>[]
  currency: string
}): string {
  return stringify(
    [...LineView.keyof().options, 'currency'],
    lines.map((line) => ({ ...line, currency })),
  )
}

interface LineRow {
  public_id: string
  domain: string
  code: 'delivery' | 'refund'
  gross_cents: number
  commission_cents: number
  at: Date
}

/** The orders behind a statement's sums, in the order in which they came: as above, line by line. */
export async function statementLines(
  db: Database,
  settlementId: string,
): Promise<z.output<typeof LineView>[]> {
  const { rows } = await sql<LineRow>`
    select o.public_id, o.domain, t.code, t.at, e.gross_cents, e.commission_cents
    from ledger_transactions t,
      lateral (
        select sum(amount_cents) filter (where account = 'undelivered_sales')::bigint as gross_cents,
          coalesce(sum(amount_cents) filter (where account = 'partner_commission'), 0)::bigint
            as commission_cents
        from ledger_entries where transaction_id = t.id
      ) as e,
      lateral (select public_id, domain from orders where public_id = t.source offset 0) as o
    where t.settlement_id = ${settlementId} and t.code in ('delivery', 'refund')
    order by t.id`.execute(db)
  return rows.map(({ public_id, domain, code, gross_cents, commission_cents, at }) => ({
    public_id,
    domain,
    type: code === 'delivery' ? 'sale' : 'refund',
    gross_cents,
    commission_cents,
    owed_cents: code === 'delivery' ? gross_cents - commission_cents : 0,
    completed_at: code === 'delivery' ? iso(at) : null,
  }))
}
