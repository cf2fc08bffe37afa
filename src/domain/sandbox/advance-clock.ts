import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { keysetBatches } from '../../core/keyset-batches.ts'
import { partnerWrite, type Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY, SECOND } from '../../lib/clock.ts'
import { recountSandboxSales } from '../ledger/sale-days.ts'
import { endOffersOfSandbox } from '../offers/end-offers.ts'
import { closeEndedPeriods } from '../settlements/run-settlement.ts'
import { lockSandboxRows } from './lock-sandbox-rows.ts'

const LONGEST_ADVANCE_SECONDS = (366 * DAY) / SECOND
/** So old may a sandbox become: its dates must stay dates that anyone can read. */
const OLDEST_MS = 20 * 366 * DAY

/** A table's rows that grow older: whose they are, by which key they are told apart, and the times that move. */
interface Aging {
  table: keyof Schema
  key?: string
  whose: RawBuilder<unknown>
  times: readonly string[]
  /** Whether their timeline moves with them. */
  timeline?: 'timeline' | 'history'
}

/**
 * All of a partner's sandbox that grows older. Events, attempts, stored responses and ids stay as they are: they
 * were told, and what was told does not change. Referral statistics stay with their days.
 */
function whatAges(partnerId: string, now: Date): Aging[] {
  const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
  const ofCases = sql`case_id in (select case_id from brokerage_cases where ${own})`
  return [
    {
      table: 'sandbox_listings',
      key: 'domain',
      whose: sql`${own} and reserved_until > ${now}`,
      times: ['reserved_until'],
    },
    { table: 'quotes', whose: own, times: ['created_at', 'expires_at'] },
    {
      table: 'offers',
      key: 'offer_id',
      whose: own,
      times: ['created_at', 'updated_at', 'expires_at', 'ended_at'],
      timeline: 'history',
    },
    {
      table: 'checkout_sessions',
      whose: own,
      times: ['clicked_at', 'created_at', 'updated_at', 'expires_at'],
    },
    {
      table: 'disputes',
      whose: sql`payment_id in (select id from payments where ${own})`,
      times: ['due_at', 'created_at', 'updated_at'],
    },
    { table: 'payments', whose: own, times: ['due_at', 'created_at', 'updated_at'] },
    {
      table: 'refunds',
      whose: sql`public_id in (select public_id from orders where ${own})`,
      times: ['created_at'],
    },
    {
      table: 'orders',
      key: 'public_id',
      whose: own,
      times: [
        'transfer_started_at',
        'transfer_completed_at',
        'code_available_at',
        'code_reminded_at',
        'expected_by',
        'transfer_checked_at',
        'submitted_at',
        'stalled_at',
        'created_at',
        'updated_at',
      ],
      timeline: 'timeline',
    },
    {
      table: 'brokerage_offers',
      key: 'offer_id',
      whose: ofCases,
      times: ['created_at', 'answered_at'],
    },
    { table: 'brokerage_notes', key: 'note_id', whose: ofCases, times: ['created_at'] },
    {
      table: 'brokerage_cases',
      key: 'case_id',
      whose: own,
      times: ['created_at', 'updated_at', 'ended_at'],
      timeline: 'timeline',
    },
    { table: 'referral_links', whose: own, times: ['created_at'] },
    {
      table: 'settlements',
      whose: own,
      times: ['period_start', 'period_end', 'due_at', 'reminded_at'],
    },
    {
      table: 'settlement_receipts',
      key: 'receipt_id',
      whose: own,
      times: ['received_at', 'created_at'],
    },
    { table: 'ledger_transactions', whose: own, times: ['at'] },
    { table: 'commission_entries', whose: own, times: ['payable_at', 'created_at'] },
    { table: 'payouts', whose: own, times: ['created_at', 'updated_at', 'paid_at', 'approved_at'] },
    { table: 'webhook_endpoints', whose: own, times: ['failing_since'] },
    {
      table: 'webhook_deliveries',
      whose: sql`status = 'pending'
        and endpoint_id in (select id from webhook_endpoints where ${own})`,
      times: ['due_at'],
    },
    {
      // A response may be repeated for as long as its key is kept; this request's own has no status yet.
      table: 'idempotency_keys',
      key: 'key',
      whose: sql`subject = ${`${partnerId}:sandbox`} and status is not null`,
      times: ['expires_at'],
    },
  ]
}

/**
 * Lets time pass in the caller's sandbox: whatever is there becomes older by that much (decision 27). What
 * that makes due happens: quotes and checkout links lapse, deliveries are tried again, periods from before
 * this month close. A request's timestamp is still checked against real time.
 */
export const advanceClock = partnerWrite({
  name: 'sandbox_advance_clock',
  tag: 'Sandbox',
  summary: 'Let time pass',
  description:
    'Makes everything in your sandbox older by the given time, and does what becomes due: quotes, offers and checkout ' +
    'sessions expire, failed deliveries are tried again, settlement periods from before this month close, and commissions become ' +
    'payable. Use it to test what would take days. The timestamps of requests are still checked against real time. A ' +
    'sandbox that is twenty years old gives `conflict`: reset it.',
  method: 'POST',
  path: '/sandbox/clock',
  scope: 'buy',
  sandboxOnly: true,
  alone: true,
  input: z.object({
    advance_seconds: z.int().min(1).max(LONGEST_ADVANCE_SECONDS).meta({
      description: 'How much time passes, in seconds; 366 days at most.',
      example: 86_400,
    }),
  }),
  output: z.object({
    advanced_seconds: z
      .int()
      .meta({ description: 'How much time passed, in seconds.', example: 86_400 }),
    quotes_expired: z.int().meta({ description: 'The number of quotes that expired.', example: 1 }),
    offers_expired: z.int().meta({ description: 'The number of offers that expired.', example: 0 }),
    checkout_sessions_expired: z
      .int()
      .meta({ description: 'The number of checkout sessions that expired.', example: 0 }),
    deliveries_due: z
      .int()
      .meta({ description: 'The number of event deliveries that are due now.', example: 0 }),
    settlements_closed: z
      .array(z.string())
      .meta({ description: 'The ids of the settlements that were closed.', example: [] }),
  }),
  status: 200,
  errors: ['validation_error', 'conflict'],
  async handler({ tx, now, app, partner: { partnerId } }, { advance_seconds }) {
    const by = sql`make_interval(secs => ${advance_seconds})`
    const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
    const until = after(now, advance_seconds * SECOND)
    await lockSandboxRows(tx, partnerId)
    await assertRecentSandbox(tx, partnerId, after(until, -OLDEST_MS))
    const { rows } = await sql<{ quotes: number; sessions: number; deliveries: number }>`select
      (select count(*)::int from quotes where ${own} and status = 'active'
        and expires_at > ${now} and expires_at <= ${until}) as quotes,
      (select count(*)::int from checkout_sessions where ${own} and status = 'open'
        and expires_at > ${now} and expires_at <= ${until}) as sessions,
      (select count(*)::int from webhook_deliveries where status = 'pending' and due_at <= ${until}
        and endpoint_id in (select id from webhook_endpoints where ${own} and active)) as deliveries`.execute(
      tx,
    )
    const [due = { quotes: 0, sessions: 0, deliveries: 0 }] = rows

    for (const aging of whatAges(partnerId, now)) await shiftTimes(tx, aging, by)
    await recountSandboxSales(tx, partnerId)
    const offers_expired = await endOffersOfSandbox({ tx, now, app }, partnerId)

    const { settlements } = await closeEndedPeriods(tx, app, {
      environment: 'sandbox',
      partnerId,
    })
    return {
      advanced_seconds: advance_seconds,
      quotes_expired: due.quotes,
      offers_expired,
      checkout_sessions_expired: due.sessions,
      deliveries_due: due.deliveries,
      settlements_closed: settlements.map(({ id }) => id),
    }
  },
})

async function shiftTimes(
  tx: Tx,
  { table, key = 'id', whose, times, timeline }: Aging,
  by: RawBuilder<unknown>,
): Promise<void> {
  // Without a time zone, since Citus takes no STABLE function of a column in an update.
  const moved = times.map(
    (time) =>
      sql`${sql.ref(time)} = (${sql.ref(time)} at time zone 'UTC' - ${by}) at time zone 'UTC'`,
  )
  if (timeline) moved.push(sql`${sql.ref(timeline)} = ${shiftTimeline(timeline, by)}`)
  for (const slice of await keysetBatches(tx, table, key, whose)) {
    await sql`update ${sql.table(table)} set ${sql.join(moved)} where ${slice}`.execute(tx)
  }
}

const shiftTimeline = (column: string, by: RawBuilder<unknown>) => sql`(
  select coalesce(jsonb_agg(jsonb_set(step, '{at}', to_jsonb(to_char(
    (step ->> 'at')::timestamptz at time zone 'UTC' - ${by}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    order by place), '[]')
  from jsonb_array_elements(${sql.ref(column)}) with ordinality as steps (step, place))`

async function assertRecentSandbox(tx: Tx, partnerId: string, oldest: Date): Promise<void> {
  const old = await tx
    .selectFrom('settlements')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('environment', '=', 'sandbox')
    .where('period_start', '<', oldest)
    .executeTakeFirst()
  if (old) {
    throw conflict(
      'limit_reached',
      'Twenty years have passed in this sandbox. POST /sandbox/reset starts it over.',
    )
  }
}
