import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { Database } from '../../db/dialect.ts'

/**
 * Payments of which a refund waits for an operator: one that is owed, or goodwill while the sale stands. What was owed
 * besides goes back with all of the payment.
 */
export const isRefundFailed = sql<boolean>`payments.id in (
  select id from payments where status = 'refund_failed'
  union all
  select g.payment_id from goodwill_refunds g join payments p on p.id = g.payment_id
  where g.status = 'failed' and p.status = 'succeeded')`

/** How many payments those are. */
export async function countFailedRefunds(
  db: Database,
): Promise<{ environment: Environment; count: number }[]> {
  return await db
    .selectFrom('payments')
    .select(['environment', (row) => row.fn.countAll<number>().as('count')])
    .where(isRefundFailed)
    .groupBy('environment')
    .execute()
}
