import { conflict } from '../../kernel/errors.ts'
import type { Tx } from '../../kernel/operation.ts'
import { isDisabled } from '../accounts/user.ts'
import { isReserved, type Listing, listingStatus } from '../inventory/listing.ts'
import type { Quote } from './quote.ts'

/** A running quote holds the domain for its own partner alone. */
export async function isHeldByOther(
  tx: Pick<Tx, 'selectFrom'>,
  listing: Listing,
  partnerId: string,
  now: Date,
): Promise<boolean> {
  if (!isReserved(listing, now)) return false
  const holder = await tx
    .selectFrom('quotes')
    .select('partner_id')
    .where('id', '=', listing.reserved_by)
    .executeTakeFirst()
  return holder?.partner_id !== partnerId
}

/**
 * Refuses a domain that is sold, reserved by another, or offered by a user whose account is disabled: what
 * a quote or a payment has promised is kept, and nothing more is.
 *
 * @param own a quote of the partner's: who holds the domain need not be asked when it does
 */
export async function refuseTaken(
  tx: Tx,
  listing: Listing,
  partnerId: string,
  now: Date,
  own?: Quote,
): Promise<void> {
  if (listingStatus(listing, now) === 'sold') throw conflict(`${listing.domain} is sold.`)
  if (own && listing.reserved_by === own.id) return
  if (await isHeldByOther(tx, listing, partnerId, now)) {
    throw conflict(`${listing.domain} is reserved by another partner for the moment.`)
  }
  if (listing.seller_id !== null && (await isDisabled(tx, listing.seller_id))) {
    throw conflict(`${listing.domain} is not for sale for the moment.`)
  }
}
