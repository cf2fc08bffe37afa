import type { Database } from '../../kernel/database/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'

/** How long a partner can look at what was tried, and have it sent again. The events themselves stay. */
const KEPT_MS = 30 * DAY

/** Removes deliveries that ended long ago, and their attempts with them. */
export async function purgeDeliveries(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('webhook_deliveries')
    .where('status', '<>', 'pending')
    .where('created_at', '<', after(now, -KEPT_MS))
    .execute()
}
