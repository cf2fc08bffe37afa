import { sql } from 'kysely'
import { z } from 'zod'
import { partnerWrite, type Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Schema } from '../../db/schema.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { isReversed } from '../ledger/sale-days.ts'
import { startPeriod } from '../ledger/settlement-period.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import { lockSandboxRows } from './lock-sandbox-rows.ts'
import { placeSeed } from './seed.ts'

/** Rows of a statement, which has twelve seconds: a sandbox may hold hundreds of thousands of orders. */
const AT_ONCE = 5_000

/**
 * Takes the caller's sandbox back to its first day: its quotes, offers, orders, refunds, cases, checkouts,
 * links, payouts, events, statements and ledger are gone, what it bought is for sale again, and the
 * seed inventory has its prices back. So is what testers bought on the marketplace's own pages.
 * Credentials and the webhook endpoint stay, as does everything of other partners.
 */
export const resetSandbox = partnerWrite({
  name: 'sandbox_reset',
  tag: 'Sandbox',
  summary: 'Reset the sandbox',
  description:
    'Takes your sandbox back to its first day: quotes, offers, orders, cases, checkout sessions, links, payouts, events and ' +
    'settlements are deleted, the domains that you bought are for sale again, and the seed inventory has its prices back. ' +
    'Credentials and the webhook endpoint stay. It cannot be undone, and does not touch other partners.',
  method: 'POST',
  path: '/sandbox/reset',
  scope: 'buy',
  sandboxOnly: true,
  alone: true,
  input: z.object({}),
  output: z.object({
    reset: z.literal(true).describe('Always true.'),
    seed_listings: z
      .int()
      .meta({ description: 'The number of domains of the seed inventory.', example: 400 }),
  }),
  status: 200,
  errors: [],
  async handler({ tx, now, partner: { partnerId } }) {
    const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
    await lockSandboxRows(tx, partnerId)
    // Clicks under way end first, too.
    await sql`select from referral_links where ${own} order by id for update`.execute(tx)
    // Names that testers bought from the marketplace itself are nobody's, and would never be for sale again.
    const sold = await tx
      .selectFrom('orders')
      .select(['public_id', 'partner_id', 'domain', 'checkout_session_id', 'status'])
      .where('partner_id', 'in', [partnerId, MARKETPLACE_PARTNER])
      .where('environment', '=', 'sandbox')
      .execute()
    for (let at = 0; at < sold.length; at += AT_ONCE) {
      await takeBack(tx, sold.slice(at, at + AT_ONCE))
    }
    await sql`delete from sale_days where environment = 'sandbox' and partner_id = ${MARKETPLACE_PARTNER}
      and payment_model <> 'brokerage'`.execute(tx)
    await sql`delete from payout_lines where payout_id in (select id from payouts where ${own})`.execute(
      tx,
    )
    // What a link of the partner's brought to the marketplace's own pages stays the marketplace's.
    await sql`
      update checkout_sessions set link_id = null, clicked_at = null
      where link_id in (select id from referral_links where ${own})`.execute(tx)
    // Each before what it refers to.
    for (const table of [
      'brokerage_cases',
      'payments',
      'checkout_sessions',
      // In the order in which a click counts.
      'referral_totals',
      'referral_days',
      'referral_visitors',
      'referral_links',
      'payouts',
      'offers',
      'quotes',
      'sandbox_listings',
      'ledger_transactions',
      'commission_balances',
      'settlement_receipts',
      'settlements',
      'sale_days',
      'events',
      // Once the events and their deliveries are gone.
      'webhook_replays',
    ] as const) {
      await purge(tx, table, own, undefined, AT_ONCE)
    }
    // A repeat of an earlier key would get what is gone; this request's own record has no status yet.
    await tx
      .deleteFrom('idempotency_keys')
      .where('subject', '=', `${partnerId}:sandbox`)
      .where('status', 'is not', null)
      .execute()
    await startPeriod(tx, { partner_id: partnerId, environment: 'sandbox' }, HOME_CURRENCY, now)
    return { reset: true as const, seed_listings: await placeSeed(tx, 'sandbox', now) }
  },
})

/** Has what was sold for sale again, and removes all that tells of it. */
async function takeBack(
  tx: Tx,
  sold: Pick<
    Schema['orders'],
    'public_id' | 'partner_id' | 'domain' | 'checkout_session_id' | 'status'
  >[],
): Promise<void> {
  const orderIds = sold.map(({ public_id }) => public_id)
  const sessionIds = sold.flatMap(({ checkout_session_id }) => checkout_session_id ?? [])
  const taken = sold
    .filter((order) => order.partner_id === MARKETPLACE_PARTNER && !isReversed(order))
    .map(({ domain }) => domain)
  await sql`delete from sandbox_listings where partner_id = ${MARKETPLACE_PARTNER} and status = 'sold'
    and domain = any(${taken}::text[])`.execute(tx)
  await sql`delete from refunds where public_id = any(${orderIds}::text[])`.execute(tx)
  await sql`delete from orders where public_id = any(${orderIds}::text[])`.execute(tx)
  // Whatever they were entered by: the order, a payment, each round of its refund, a dispute.
  const paid = sql`session_id = any(${sessionIds}::text[])`
  await sql`delete from ledger_transactions where environment = 'sandbox'
    and partner_id = ${MARKETPLACE_PARTNER} and (source = any(${orderIds}::text[])
      or source in (select id from payments where ${paid})
      or source in (
        select unnest(array[id || ':' || round, 'test_refund_' || id || '_' || round])
        from payments, generate_series(1, refund_round) as round where ${paid})
      or source in (select d.id from disputes d join payments p on p.id = d.payment_id where ${paid}))`.execute(
    tx,
  )
  await sql`delete from payments where ${paid}`.execute(tx)
  await sql`delete from checkout_sessions where id = any(${sessionIds}::text[])`.execute(tx)
}
