import { group, rollup, sum } from 'd3-array'
import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import { currencyField, dateOf } from '../../core/fields.ts'
import { isMailFailing, isMailUndeliverable } from '../../core/mail.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import type { Database } from '../../db/dialect.ts'
import { isRefundFailed } from '../../domain/checkout/failed-refunds.ts'
import { isUncaptured } from '../../domain/domains/uncaptured-charges.ts'
import { isUnpaid } from '../../domain/ledger/unpaid-statements.ts'
import { disputeEnvironment } from '../../domain/payments/dispute.ts'
import { isByHand, WITHDRAWN } from '../../domain/registrars/operation.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { JOB_NAMES } from '../jobs.ts'

/** Counts go so far; as many or more is what this stands for. */
const COUNTED = 1_000
/** How long something that failed and is over counts. */
const RECENT_MS = DAY
/** No job takes as long. */
const OVERDUE_MS = HOUR

const count = z.int()

const Counts = z.object({
  /** Orders that are held. */
  review: count,
  to_start: count,
  in_progress: count,
  /** Transfers that wait for their buyers. */
  action_required: count,
  /** Transfers that are past the time by which they were expected. */
  transfers_stalled: count,
  cases_running: count,
  cases_unassigned: count,
  /** Offers that operators have to respond to. */
  offers_waiting: count,
  /** Payments with a refund that failed, or goodwill that did. */
  refunds_failed: count,
  /** Charges for renewals that were performed, which could not be captured. */
  captures_failed: count,
  /** Disputes that can be responded to. */
  disputes: count,
  /** Payouts that are neither paid nor ended. */
  payouts_open: count,
  payouts_pending: count,
  payouts_processing: count,
  /** Payouts that failed within a day. */
  payouts_failed: count,
  /** Partners that the marketplace owes commissions. */
  owed: count,
  /** Statements of partners that are past their due date. */
  statements_overdue: count,
  endpoints_off: count,
  endpoints_failing: count,
  live_requests: count,
  /** Users who claim, or prove, domains that others have verified, within a day. */
  claim_conflicts: count,
  jobs_failed: count,
  /** Jobs that were due an hour ago, and have not ended since. */
  jobs_overdue: count,
  /** Alerts that their webhook did not take, and that are tried again. */
  alerts_undelivered: count,
  /** Mails that the mail server did not take, and that are tried again. */
  mails_stuck: count,
  /** Mails that were not taken for their recipient, or were given up. */
  mails_undeliverable: count,
  imports_running: count,
  /** Imports that failed within a day. */
  imports_failed: count,
  /** Registrar operations under way that did not go through at first. */
  operations_open: count,
  /** Those of them of which nobody can say whether the registrar performed them. */
  operations_unknown: count,
  /** Operations that operators are to do by hand. */
  operations_by_hand: count,
  /** Operations that were wanted within a day, and failed; records for sale are asked for again by themselves. */
  operations_failed: count,
})

type Kind = keyof z.output<typeof Counts>

/** What belongs to neither environment, and is in the counts of both. */
const OF_BOTH: readonly Kind[] = [
  'live_requests',
  'jobs_failed',
  'jobs_overdue',
  'mails_stuck',
  'mails_undeliverable',
]

/** The kinds of one environment: a sum over both has each thing once. */
export function kindsOf(environment: Environment): Kind[] {
  const kinds = Counts.keyof().options
  return environment === 'live' ? kinds : kinds.filter((kind) => !OF_BOTH.includes(kind))
}

/** What waits for an operator, counted as far as anyone reads, and what was sold by day. */
export const showOverview = adminRead({
  name: 'show_overview',
  roles: READERS,
  summary: 'Show what waits for an operator, and sales by day',
  method: 'GET',
  path: '/overview',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).default('live'),
    days: z.int().min(1).max(366).default(30),
    currency: currencyField.optional().describe('Of the amounts; absent: the one of most sales.'),
  }),
  output: z.object({
    /** 1,000 stands for as many or more. */
    waiting: Counts,
    /** Of the amounts. */
    currency: z.string(),
    /** What was sold in, most sales first. */
    currencies: z.array(z.string()),
    /** Oldest first, a day without sales too; sales of all currencies, amounts of one. */
    sales: z.array(z.object({ date: z.string(), order_count: z.int(), gross_cents: z.int() })),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now }, { environment, days, currency: asked }) {
    const first = after(now, -(days - 1) * DAY)
    const [waiting, { rows }] = await Promise.all([
      readCounts(db, environment, now),
      // Of the span's days alone, whoever has sold before.
      sql<{ date: string; currency: string; order_count: number; gross_cents: number }>`
        select to_char(date, 'YYYY-MM-DD') as date, currency, sum(count)::bigint as order_count,
          sum(gmv_cents)::bigint as gross_cents
        from sale_days where environment = ${environment} and date >= ${dateOf(first)}
        group by date, currency`.execute(db),
    ])
    const currencies = [
      ...rollup(
        rows,
        (days) => sum(days, ({ order_count }) => order_count),
        (row) => row.currency,
      ),
    ]
      .toSorted(([a, most], [b, least]) => least - most || (a < b ? -1 : 1))
      .map(([code]) => code)
    const currency = asked ?? currencies[0] ?? HOME_CURRENCY
    const byDate = group(rows, ({ date }) => date)
    return {
      waiting,
      currency,
      currencies,
      sales: Array.from({ length: days }, (_, index) => {
        const date = dateOf(after(first, index * DAY))
        const sold = byDate.get(date) ?? []
        return {
          date,
          order_count: sum(sold, (row) => row.order_count),
          gross_cents: sold.find((row) => row.currency === currency)?.gross_cents ?? 0,
        }
      }),
    }
  },
})

/**
 * All in one statement, each count by an index and no further than anyone reads. A dispute's payment is looked
 * up, however the planner would rather read all payments.
 */
export async function readCounts(
  db: Database,
  environment: Environment,
  now: Date,
): Promise<z.output<typeof Counts>> {
  const recent = after(now, -RECENT_MS)
  const some = (what: ReturnType<typeof sql>) =>
    sql`(select count(*)::int from (select 1 from ${what} limit ${COUNTED}) as counted)`
  const orders = (what: ReturnType<typeof sql>) =>
    some(sql`orders where environment = ${environment} and ${what}`)
  const { rows } = await sql<z.output<typeof Counts>>`select
  ${orders(sql`held`)} as review,
  ${orders(sql`status in ('EXTERNALLY_PAID', 'PAID') and not held`)} as to_start,
  ${orders(sql`status = 'TRANSFER_IN_PROGRESS'`)} as in_progress,
  ${orders(sql`status = 'TRANSFER_IN_PROGRESS' and transfer_status = 'action_required'`)}
    as action_required,
  ${orders(sql`status = 'TRANSFER_IN_PROGRESS' and stalled_at is not null`)} as transfers_stalled,
  ${some(sql`brokerage_cases where environment = ${environment} and ended_at is null`)}
    as cases_running,
  ${some(sql`brokerage_cases where environment = ${environment} and ended_at is null
    and assignee is null`)} as cases_unassigned,
  ${some(sql`offers where environment = ${environment} and ended_at is null and turn = 'seller'
    and seller_id is null`)} as offers_waiting,
  ${some(sql`payments where environment = ${environment} and ${isRefundFailed}`)}
    as refunds_failed,
  ${some(sql`charges where ${environment}::text = 'live' and ${isUncaptured}`)} as captures_failed,
  ${some(sql`disputes d
    left join lateral (select environment from payments where id = d.payment_id offset 0) p on true
    where ${disputeEnvironment} = ${environment} and d.status = 'needs_response'`)} as disputes,
  ${some(sql`payouts where environment = ${environment}
    and status in ('pending', 'processing')`)} as payouts_open,
  ${some(sql`payouts where environment = ${environment} and status = 'pending'`)}
    as payouts_pending,
  ${some(sql`payouts where environment = ${environment} and status = 'processing'`)}
    as payouts_processing,
  ${some(sql`payouts where environment = ${environment} and status = 'failed'
    and updated_at > ${recent}`)} as payouts_failed,
  ${some(sql`commission_balances where environment = ${environment} and balance_cents > 0`)}
    as owed,
  ${some(sql`settlements where environment = ${environment} and ${isUnpaid}
    and due_at <= ${now}`)} as statements_overdue,
  ${some(sql`webhook_endpoints where environment = ${environment} and not active`)}
    as endpoints_off,
  ${some(sql`webhook_endpoints where environment = ${environment} and active
    and failing_since is not null`)} as endpoints_failing,
  ${some(sql`live_requests where status = 'pending'`)} as live_requests,
  ${some(sql`alerts where type = 'alert.claim_conflict' and environment = ${environment}
    and created_at > ${recent}`)} as claim_conflicts,
  ${some(sql`scheduled_jobs where error is not null`)} as jobs_failed,
  ${some(sql`scheduled_jobs where name = any(${JOB_NAMES}::text[])
    and due_at < ${after(now, -OVERDUE_MS)}`)} as jobs_overdue,
  ${some(sql`alerts where environment = ${environment} and due_at is not null
    and error is not null`)} as alerts_undelivered,
  ${some(sql`mails where ${isMailFailing}`)} as mails_stuck,
  ${some(sql`mails where ${isMailUndeliverable}`)} as mails_undeliverable,
  ${some(sql`listing_imports where environment = ${environment}
    and status in ('uploading', 'waiting', 'running')`)} as imports_running,
  ${some(sql`listing_imports where environment = ${environment} and status = 'failed'
    and finished_at > ${recent}`)} as imports_failed,
  ${some(sql`registrar_operations where finished_at is null and environment = ${environment}
    and attempts > 0 and (error is not null or status = 'unknown')`)} as operations_open,
  ${some(sql`registrar_operations where finished_at is null and environment = ${environment}
    and status = 'unknown'`)} as operations_unknown,
  ${some(sql`registrar_operations where environment = ${environment} and ${isByHand}`)}
    as operations_by_hand,
  ${some(sql`registrar_operations where operation_id >= ${firstIdAt('rop', recent)}
    and environment = ${environment} and status = 'failed' and op <> 'set_for_sale'
    and error ->> 'code' is distinct from ${WITHDRAWN}`)} as operations_failed`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('a statement without conditions has a row')
  return counts
}

export function shownCount(count: number): string {
  return count >= COUNTED ? '1,000+' : String(count)
}
