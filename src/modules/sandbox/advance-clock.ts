import { sql } from 'kysely'
import { z } from 'zod'
import { conflict } from '../../kernel/errors.ts'
import { partnerWrite, type Tx } from '../../kernel/operation.ts'
import { after, DAY, SECOND } from '../../lib/clock.ts'
import { recountSandboxSales } from '../ledger/sale-days.ts'
import { closeEndedPeriods } from '../settlements/run-settlement.ts'
import { holdSandbox } from './hold-sandbox.ts'

const LONGEST_ADVANCE_SECONDS = (366 * DAY) / SECOND
/** So old may a sandbox become: its dates must stay dates that anyone can read. */
const OLDEST_MS = 20 * 366 * DAY

/**
 * What has an owner, with the times that move. Events, attempts, stored answers and ids stay as they are:
 * they were told, and what was told does not change. Referral statistics stay with their days.
 */
const TIMES = {
  quotes: ['created_at', 'expires_at'],
  checkout_sessions: ['clicked_at', 'created_at', 'updated_at', 'expires_at'],
  payments: ['due_at', 'created_at', 'updated_at'],
  orders: ['transfer_started_at', 'transfer_completed_at', 'created_at', 'updated_at'],
  brokerage_cases: ['created_at', 'updated_at', 'ended_at'],
  referral_links: ['created_at'],
  settlements: ['period_start', 'period_end'],
  ledger_transactions: ['at'],
  commission_entries: ['payable_at', 'created_at'],
  payouts: ['created_at', 'updated_at', 'paid_at'],
  webhook_endpoints: ['failing_since'],
} as const

/**
 * Lets time pass in the caller's sandbox: whatever is there becomes older by that much (decision 27). What
 * that makes due happens: quotes and checkout links lapse, deliveries are tried again, periods from before
 * this month close. A request's timestamp is still checked against real time.
 */
export const advanceClock = partnerWrite({
  name: 'sandbox_advance_clock',
  summary: 'Sandbox: let time pass',
  method: 'POST',
  path: '/sandbox/clock',
  scope: 'buy',
  sandboxOnly: true,
  alone: true,
  input: z.object({
    advance_seconds: z
      .int()
      .min(1)
      .max(LONGEST_ADVANCE_SECONDS)
      .describe('How much time passes, in seconds; a year at most.'),
  }),
  output: z.object({
    advanced_seconds: z.int(),
    /** Quotes that lapsed, and whose domains can be had again. */
    quotes_expired: z.int(),
    checkout_sessions_expired: z.int(),
    /** Attempts to deliver an event that are due now. */
    deliveries_due: z.int(),
    /** The statements that stand from now on. */
    settlements_closed: z.array(z.string()),
  }),
  status: 200,
  errors: ['validation_error', 'conflict'],
  async handler({ tx, now, house, partner: { partnerId } }, { advance_seconds }) {
    const by = sql`make_interval(secs => ${advance_seconds})`
    const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
    const until = after(now, advance_seconds * SECOND)
    await holdSandbox(tx, partnerId)
    await refuseOldSandbox(tx, partnerId, after(until, -OLDEST_MS))
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

    await sql`
      update listings set reserved_until = reserved_until - ${by}
      where environment = 'sandbox' and reserved_until > ${now}
        and reserved_by in (select id from quotes where ${own})`.execute(tx)
    for (const [table, columns] of Object.entries(TIMES)) {
      const moved = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${by}`)
      await sql`update ${sql.table(table)} set ${sql.join(moved)} where ${own}`.execute(tx)
    }
    for (const table of ['orders', 'brokerage_cases']) {
      await sql`
        update ${sql.table(table)} set timeline = (
          select coalesce(jsonb_agg(jsonb_set(step, '{at}', to_jsonb(to_char(
            (step ->> 'at')::timestamptz at time zone 'UTC' - ${by}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
            order by place), '[]')
          from jsonb_array_elements(timeline) with ordinality as steps (step, place))
        where ${own}`.execute(tx)
    }
    await recountSandboxSales(tx, partnerId)
    await sql`
      update refunds set created_at = created_at - ${by}
      where public_id in (select public_id from orders where ${own})`.execute(tx)
    const cases = sql`(select case_id from brokerage_cases where ${own})`
    await sql`
      update brokerage_offers set created_at = created_at - ${by}, answered_at = answered_at - ${by}
      where case_id in ${cases}`.execute(tx)
    await sql`
      update brokerage_notes set created_at = created_at - ${by} where case_id in ${cases}`.execute(
      tx,
    )
    await sql`
      update disputes set due_at = due_at - ${by}, created_at = created_at - ${by},
        updated_at = updated_at - ${by}
      where payment_id in (select id from payments where ${own})`.execute(tx)
    await sql`
      update webhook_deliveries set due_at = due_at - ${by}
      where status = 'pending'
        and endpoint_id in (select id from webhook_endpoints where ${own})`.execute(tx)
    // An answer may be repeated for as long as its key is kept; this request's own has no status yet.
    await sql`
      update idempotency_keys set expires_at = expires_at - ${by}
      where subject = ${`${partnerId}:sandbox`} and status is not null`.execute(tx)

    const { settlements } = await closeEndedPeriods(tx, house, {
      environment: 'sandbox',
      partnerId,
    })
    return {
      advanced_seconds: advance_seconds,
      quotes_expired: due.quotes,
      checkout_sessions_expired: due.sessions,
      deliveries_due: due.deliveries,
      settlements_closed: settlements.map(({ id }) => id),
    }
  },
})

async function refuseOldSandbox(tx: Tx, partnerId: string, oldest: Date): Promise<void> {
  const old = await tx
    .selectFrom('settlements')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('environment', '=', 'sandbox')
    .where('period_start', '<', oldest)
    .executeTakeFirst()
  if (old) {
    throw conflict('Twenty years have passed in this sandbox. POST /sandbox/reset starts it over.')
  }
}
