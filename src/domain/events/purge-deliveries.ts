import { sql } from 'kysely'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'

/** How long a partner can look at what was tried, and have it sent again. The events themselves stay. */
const RETENTION_MS = 30 * DAY

/** Removes deliveries that ended long ago, and their attempts with them. */
export async function purgeDeliveries(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  const before = after(now, -RETENTION_MS)
  await purge(db, 'webhook_deliveries', sql`status <> 'pending' and created_at < ${before}`, signal)
}
