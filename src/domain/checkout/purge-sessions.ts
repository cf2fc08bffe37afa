import { sql } from 'kysely'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'

/** They lapse within an hour; a day later nobody looks at them any more. */
const RETENTION_MS = DAY

/**
 * Removes checkout sessions of the marketplace that nobody ever paid by: any visitor of the market makes one, and
 * nobody has a list of them. Those of partners stay, who do.
 */
export async function purgeMarketplaceSessions(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const untouched = sql`
    partner_id = ${MARKETPLACE_PARTNER} and environment in ('live', 'sandbox') and status = 'open'
    and offer_id is null and id < ${firstIdAt('cs', after(now, -RETENTION_MS))}
    and not exists (select from payments where session_id = checkout_sessions.id)`
  await purge(db, 'checkout_sessions', untouched, signal)
}
