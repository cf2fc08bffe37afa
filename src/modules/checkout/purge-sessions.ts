import { sql } from 'kysely'
import type { Database } from '../../kernel/database/dialect.ts'
import { purge } from '../../kernel/purge.ts'
import { after, DAY } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { HOUSE_PARTNER } from '../partners/partner.ts'

const KEPT_MS = 30 * DAY

/**
 * Removes checkout sessions of the house that nobody ever paid by: any visitor of the market makes one, and
 * nobody has a list of them. Those of partners stay, who do.
 */
export async function purgeHouseSessions(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const untouched = sql`
    partner_id = ${HOUSE_PARTNER} and environment in ('live', 'sandbox') and status = 'open'
    and id < ${firstIdAt('cs', after(now, -KEPT_MS))}
    and not exists (select from payments where session_id = checkout_sessions.id)`
  await purge(db, 'checkout_sessions', untouched, signal)
}
