import type { Tx } from '../../core/operation.ts'
import { isDisabled } from '../accounts/user.ts'
import { isHeldBack, type Listing, listingStatus } from '../listings/listing.ts'
import { isSuspended } from '../partners/partner.ts'
import { heldBy, isKeptForCheckout } from '../quotes/reservation.ts'
import type { Session } from './session.ts'

export type Unavailable = 'withdrawn' | 'sold' | 'closed' | 'reserved' | 'being_bought'

/** Why the domain cannot be bought by this session, now; null when it can. */
export async function whyUnavailable(
  db: Pick<Tx, 'selectFrom'>,
  listing: Listing | undefined,
  { id, partner_id, seller_id }: Pick<Session, 'id' | 'partner_id' | 'seller_id'>,
  now: Date,
): Promise<Unavailable | null> {
  if (!listing) return 'withdrawn'
  // What another seller offers by now is not what the link was for.
  if (listingStatus(listing, now) === 'sold' || listing.seller_id !== seller_id) return 'sold'
  if (await isSuspended(db, partner_id)) return 'closed'
  if (seller_id !== null && (await isDisabled(db, seller_id))) return 'closed'
  const held = await heldBy(db, listing, partner_id, now, id)
  if (held !== null) return held === 'payment' ? 'being_bought' : 'reserved'
  return isHeldBack(listing, now) && !isKeptForCheckout(listing, now) ? 'reserved' : null
}
