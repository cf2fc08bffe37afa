import type { AppContext } from '../../core/context.ts'
import { marketOf, readSession, type Session } from '../../domain/checkout/session.ts'
import { type Unavailable, whyUnavailable } from '../../domain/checkout/why-unavailable.ts'
import { type Invoice, invoicesOf } from '../../domain/invoices/invoice.ts'
import { findListing } from '../../domain/listings/listing.ts'
import type { Order } from '../../domain/orders/order.ts'
import { standardDelivery } from '../../domain/partners/delivery.ts'
import { findPayment, lastPayment, type Payment } from '../../domain/payments/payment.ts'

export type Readers = ReturnType<typeof createReaders>

/** What the pages of a checkout look up. */
export function createReaders({ db, payments }: AppContext) {
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
    async invoices({ public_id }: Pick<Session, 'public_id'>): Promise<Invoice[]> {
      return public_id === null ? [] : await invoicesOf(db, public_id)
    },
    standardDelivery: ({ partner_id }: Session) => standardDelivery(db, partner_id),
    lastPayment: ({ id }: Session) => lastPayment(db, id),
    /** Whether it was this payment of the session that bought the domain. */
    async isBoughtBy({ public_id }: Session, paymentId: string | null): Promise<boolean> {
      if (public_id === null || paymentId === null) return false
      return (await findPayment(db, paymentId))?.public_id === public_id
    },
    /** Why the domain cannot be bought by this session, now; null when it can. */
    async unavailable(session: Session, now: Date): Promise<Unavailable | null> {
      const listing = await findListing(db, await marketOf(db, session), session.domain)
      const why = await whyUnavailable(db, listing, session, now)
      // Told before the buyer fills in anything that nobody could be paid.
      return why ?? (payments.of(session.environment) ? null : 'closed')
    },
  }
}
