import { type Partner, partnerOf } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { after } from '../../lib/clock.ts'
import { isDisabled } from '../accounts/user.ts'
import {
  type HeldListing,
  isHeldBack,
  isReserved,
  type Listing,
  listingStatus,
  updateListing,
} from '../listings/listing.ts'
import { findPayment, LONGEST_HOLD_MS, type Payment } from '../payments/payment.ts'
import type { Quote } from './quote.ts'

/**
 * What keeps the domain from a buyer: another partner's quote, another buyer's accepted offer, or a payment under way. A
 * running quote holds it for its partner alone, an offer or a payment for its checkout session alone.
 *
 * @param sessionId the checkout session whose payment would buy it
 */
export async function heldBy(
  tx: Pick<Tx, 'selectFrom'>,
  listing: Listing,
  partnerId: string,
  now: Date,
  sessionId?: string,
): Promise<'quote' | 'offer' | 'payment' | null> {
  const { reserved_by } = listing
  if (!isReserved(listing, now) || reserved_by === null) return null
  if (reserved_by.startsWith('cs_')) return reserved_by === sessionId ? null : 'offer'
  if (reserved_by.startsWith('pay_')) {
    if (sessionId === undefined) return 'payment'
    const payment = await findPayment(tx, reserved_by)
    return payment?.session_id === sessionId ? null : 'payment'
  }
  const quote = await tx
    .selectFrom('quotes')
    .select('partner_id')
    .where('id', '=', reserved_by)
    .executeTakeFirst()
  return quote?.partner_id === partnerId ? null : 'quote'
}

/** Whether an accepted offer or a payment holds the domain; a quote holds it for orders alone. */
export function isKeptForCheckout(listing: Listing, now: Date): boolean {
  return isReserved(listing, now) && !listing.reserved_by?.startsWith('qt_')
}

/** Whether a payment under way holds the domain. */
export function isHeldByPayment(listing: Listing, now: Date): boolean {
  return isReserved(listing, now) && listing.reserved_by?.startsWith('pay_') === true
}

/** Holds the domain for a payment. The caller has the listing locked, and nobody else holds the domain. */
export async function holdForPayment(
  tx: Tx,
  listing: HeldListing,
  { id }: Pick<Payment, 'id'>,
  now: Date,
  until: Date,
): Promise<void> {
  const hold = { reserved_by: id, reserved_until: until }
  await tx.executeQuery(updateListing(tx, listing, now, hold))
}

/**
 * Ends what a payment holds. Another payment of its checkout that takes its time holds the domain then, or else the
 * offer or quote whose place it took, for the rest of its time.
 */
export async function endPaymentHold(
  tx: Tx,
  listing: HeldListing,
  payment: Payment,
  now: Date,
): Promise<void> {
  if (listing.reserved_by !== payment.id) return
  const before =
    (await findOtherPayment(tx, payment, now)) ??
    (await findPromise(tx, payment.session_id, now)) ??
    (await findRunningQuote(tx, partnerOf(payment), listing.domain, now))
  const hold = { reserved_by: before?.id ?? null, reserved_until: before?.expires_at ?? null }
  await tx.executeQuery(updateListing(tx, listing, now, hold))
}

/** Another payment of the same checkout that is under way, and how long it may hold the domain at most. */
async function findOtherPayment(
  tx: Pick<Tx, 'selectFrom'>,
  { id, session_id }: Payment,
  now: Date,
): Promise<{ id: string; expires_at: Date } | undefined> {
  const other = await tx
    .selectFrom('payments as p')
    .innerJoin('checkout_sessions as s', 's.id', 'p.session_id')
    .select(['p.id', 'p.created_at'])
    .where('p.session_id', '=', session_id)
    .where('p.id', '<>', id)
    .where('p.status', '=', 'processing')
    .where('p.created_at', '>', after(now, -LONGEST_HOLD_MS))
    .where('s.status', '=', 'open')
    .orderBy('p.id')
    .executeTakeFirst()
  return other && { id: other.id, expires_at: after(other.created_at, LONGEST_HOLD_MS) }
}

/** The checkout of an accepted offer, while it keeps the domain for its buyer. */
async function findPromise(
  tx: Pick<Tx, 'selectFrom'>,
  sessionId: string,
  now: Date,
): Promise<{ id: string; expires_at: Date } | undefined> {
  return await tx
    .selectFrom('checkout_sessions')
    .select(['id', 'expires_at'])
    .where('id', '=', sessionId)
    .where('offer_id', 'is not', null)
    .where('status', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** The partner's quote for a domain that runs, whether it holds the domain or a payment has taken its place. */
export async function findRunningQuote(
  tx: Pick<Tx, 'selectFrom'>,
  { partnerId, environment }: Partner,
  domain: string,
  now: Date,
): Promise<Pick<Quote, 'id' | 'expires_at'> | undefined> {
  return await tx
    .selectFrom('quotes')
    .select(['id', 'expires_at'])
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .where('status', '=', 'active')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/**
 * Rejects a domain that is sold, reserved by another, or offered by a user whose account is disabled: what
 * a quote or a payment has promised is kept, and nothing more is.
 *
 * @param own a quote of the partner's: who holds the domain need not be asked when it does
 */
export async function assertNotTaken(
  tx: Tx,
  listing: Listing,
  partnerId: string,
  now: Date,
  own?: Quote,
): Promise<void> {
  if (listingStatus(listing, now) === 'sold') {
    throw conflict('domain_sold', `${listing.domain} is sold.`)
  }
  if (own && listing.reserved_by === own.id) return
  switch (await heldBy(tx, listing, partnerId, now)) {
    case 'quote':
      throw conflict(
        'domain_reserved',
        `${listing.domain} is reserved by another partner for the moment.`,
      )
    case 'offer':
      throw conflict(
        'domain_reserved',
        `${listing.domain} is reserved for a buyer whose offer was accepted.`,
      )
    case 'payment':
      throw conflict(
        'domain_reserved',
        `${listing.domain} is being bought: a payment for it is under way.`,
      )
  }
  if (isHeldBack(listing, now)) {
    throw conflict(
      'domain_reserved',
      `${listing.domain} was listed a short while ago, and can be bought from ${iso(listing.sells_from)}.`,
    )
  }
  if (listing.seller_id !== null && (await isDisabled(tx, listing.seller_id))) {
    throw conflict('domain_not_for_sale', `${listing.domain} is not for sale for the moment.`)
  }
}
