import { sql } from 'kysely'
import { z } from 'zod'
import { partnerWrite } from '../../kernel/operation.ts'
import { startPeriod } from '../ledger/settlement-period.ts'
import { placeSeed } from './seed.ts'

/**
 * Takes the caller's sandbox back to its first day: its quotes, orders, refunds, cases, checkouts, links, payouts,
 * events, statements and ledger are gone, what it bought is for sale again, and the seed inventory has its prices back.
 * Credentials and the webhook endpoint stay, as does everything of other partners.
 */
export const resetSandbox = partnerWrite({
  name: 'sandbox_reset',
  summary: 'Sandbox: start over',
  method: 'POST',
  path: '/sandbox/reset',
  scope: 'buy',
  sandboxOnly: true,
  input: z.object({}),
  output: z.object({ reset: z.literal(true), seed_listings: z.int() }),
  status: 200,
  errors: [],
  async handler({ tx, now, partner: { partnerId } }) {
    const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
    await sql`
      update listings set status = 'listed', reserved_by = null, reserved_until = null, updated_at = ${now}
      where environment = 'sandbox' and (
        domain in (select domain from orders where ${own} and status not in ('REFUNDED', 'CANCELLED'))
        or domain in (select domain from quotes where ${own} and status = 'active'
          and id = listings.reserved_by))`.execute(tx)
    await sql`delete from refunds where public_id in (select public_id from orders where ${own})`.execute(
      tx,
    )
    await sql`delete from payout_lines where payout_id in (select id from payouts where ${own})`.execute(
      tx,
    )
    // What a link of the partner's brought to the house's own pages stays the house's.
    await sql`
      update checkout_sessions set link_id = null, clicked_at = null
      where link_id in (select id from referral_links where ${own})`.execute(tx)
    // Each before what it refers to.
    for (const table of [
      'brokerage_cases',
      'orders',
      'payments',
      'checkout_sessions',
      'referral_days',
      'referral_visitors',
      'referral_links',
      'payouts',
      'quotes',
      'ledger_transactions',
      'commission_balances',
      'settlements',
      'events',
    ] as const) {
      await tx
        .deleteFrom(table)
        .where('partner_id', '=', partnerId)
        .where('environment', '=', 'sandbox')
        .execute()
    }
    // A repeat of an earlier key would answer with what is gone; this request's own record has no status yet.
    await tx
      .deleteFrom('idempotency_keys')
      .where('subject', '=', `${partnerId}:sandbox`)
      .where('status', 'is not', null)
      .execute()
    await startPeriod(tx, { partner_id: partnerId, environment: 'sandbox' }, 'USD', now)
    return { reset: true as const, seed_listings: await placeSeed(tx, 'sandbox', now) }
  },
})
