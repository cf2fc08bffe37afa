import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'

/**
 * Holds all of a partner's sandbox that settlement runs, payouts, disputes and sales of the pages lock, in their
 * order, so that no two wait for each other: those under way end first, and later statements see what they wrote;
 * what comes after finds nothing to sell by. The partner's own writes and operators' moves wait before that, for
 * their turn.
 */
export async function lockSandboxRows(tx: Tx, partnerId: string): Promise<void> {
  const own = sql`partner_id = ${partnerId} and environment = 'sandbox'`
  const hold = async (table: string, key = 'id') => {
    await sql`select from ${sql.table(table)} where ${own} order by ${sql.ref(key)} for update`.execute(
      tx,
    )
  }
  await hold('settlements')
  await hold('payouts')
  // Those of the marketplace, too, that a link of the partner's brought: what they sell refers to it.
  await sql`
    select from checkout_sessions where id in (
      select id from checkout_sessions where ${own} union all
      select id from checkout_sessions
      where link_id in (select id from referral_links where ${own}))
    order by id for update`.execute(tx)
  await hold('orders', 'public_id')
  await hold('payments')
  await hold('sandbox_listings', 'domain')
  await hold('quotes')
  await hold('offers', 'offer_id')
}
