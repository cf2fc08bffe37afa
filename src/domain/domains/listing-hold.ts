import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { mustFindUser } from '../accounts/user.ts'
import type { BulkOp } from './bulk-op.ts'

/**
 * From when on what is listed or priced now can be bought; null is at once. Whoever has just got into an account does
 * not sell its domains before the owner has read of it.
 */
export async function sellsFrom(
  tx: Tx,
  now: Date,
  userId: string,
  op: BulkOp,
  { listingHoldHours }: Pick<Settings, 'listingHoldHours'>,
): Promise<Date | null> {
  if (op !== 'list_for_sale' && op !== 'set_price') return null
  const { access_changed_at } = await mustFindUser(tx, userId)
  if (access_changed_at === null) return null
  const until = after(access_changed_at, listingHoldHours * HOUR)
  return until > now ? until : null
}
