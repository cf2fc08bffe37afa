import type { Database } from '../../kernel/database/dialect.ts'
import { isDisabled } from '../../modules/accounts/user.ts'
import { readSession, type Session } from '../../modules/checkout/session.ts'
import { findListing, listingStatus } from '../../modules/inventory/listing.ts'
import type { Order } from '../../modules/orders/order.ts'
import { isSuspended } from '../../modules/partners/partner.ts'
import { lastPayment, type Payment } from '../../modules/payments/payment.ts'
import { isHeldByOther } from '../../modules/quotes/reservation.ts'

export type Readers = ReturnType<typeof createReaders>

/** What the pages of a checkout look up. */
export function createReaders(db: Database) {
  return {
    session: ({ id }: Session) => readSession(db, id),
    async order({ public_id }: Session): Promise<Order | undefined> {
      if (public_id === null) return undefined
      return await db
        .selectFrom('orders')
        .selectAll()
        .where('public_id', '=', public_id)
        .executeTakeFirst()
    },
    async paymentOf({ public_id }: Pick<Order, 'public_id'>): Promise<Payment> {
      return await db
        .selectFrom('payments')
        .selectAll()
        .where('public_id', '=', public_id)
        .executeTakeFirstOrThrow()
    },
    lastPayment: ({ id }: Session) => lastPayment(db, id),
    /** Why the domain cannot be bought by this session, now; null when it can. */
    async taken(
      { environment, domain, partner_id, seller_id }: Session,
      now: Date,
    ): Promise<'sold' | 'withdrawn' | 'closed' | 'reserved' | null> {
      const listing = await findListing(db, environment, domain)
      if (!listing) return 'withdrawn'
      if (listingStatus(listing, now) === 'sold' || listing.seller_id !== seller_id) return 'sold'
      if (await isSuspended(db, partner_id)) return 'closed'
      if (seller_id !== null && (await isDisabled(db, seller_id))) return 'closed'
      return (await isHeldByOther(db, listing, partner_id, now)) ? 'reserved' : null
    },
  }
}
