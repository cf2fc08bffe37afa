import { partnerOf } from '../../core/caller.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { moneyText } from '../../lib/money.ts'
import { mustFindUser } from '../accounts/user.ts'
import { insertSession, newSession } from '../checkout/create-session.ts'
import { isReserved, type Listing, updateListing } from '../listings/listing.ts'
import { watchListing } from '../listings/watch.ts'
import { insertQuote, newQuote, OFFER_QUOTE_LIFETIME_MS } from '../quotes/quote.ts'
import { assertNotTaken } from '../quotes/reservation.ts'
import {
  type HeldOffer,
  isOfOurPages,
  type Offer,
  type OfferContext,
  type OfferSide,
} from './offer.ts'

/** Why the offer cannot be accepted now; null when it can. A name is promised to one buyer at a time. */
export async function acceptProblem(
  { tx, now }: Pick<OfferContext, 'tx' | 'now'>,
  { offer, listing }: HeldOffer,
  amountCents: number,
): Promise<ApiError | null> {
  const { domain, currency } = offer
  if (!listing || listing.seller_id !== offer.seller_id || listing.currency !== currency) {
    return conflict('domain_not_for_sale', `${domain} is not for sale as it was when this began.`)
  }
  const taken = await rejection(assertNotTaken(tx, listing, offer.partner_id, now))
  if (taken) return taken
  if (isReserved(listing, now)) {
    return conflict('domain_reserved', `${domain} is reserved for another purchase for the moment.`)
  }
  return amountCents > listing.price_cents ? priceBelow(listing) : null
}

/** Nobody pays more than the price. */
export function priceBelow({ domain, price_cents, currency }: Listing): ApiError {
  return new ApiError(
    'price_mismatch',
    `${domain} costs ${moneyText(price_cents, currency)}, which is less than that. Buy it at its price.`,
    { details: { field: 'amount_cents', current_price_cents: price_cents, currency } },
  )
}

async function rejection(check: Promise<void>): Promise<ApiError | null> {
  try {
    await check
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** Whoever has just got into a seller's account does not sell its domains for less before the owner has read of it. */
export async function assertNotNewAccess(
  { tx, now, app }: OfferContext,
  { seller_id }: Pick<Offer, 'seller_id'>,
): Promise<void> {
  if (seller_id === null) return
  const { access_changed_at } = await mustFindUser(tx, seller_id)
  if (access_changed_at === null) return
  const until = after(access_changed_at, app.settings.listingHoldHours * HOUR)
  if (until <= now) return
  throw conflict(
    'not_allowed_now',
    `Access to the seller's account changed a short while ago. Offers can be accepted from ${iso(until)}.`,
    { status: 'held_back' },
  )
}

/**
 * Accepts it: the name is reserved for 72 hours at that amount, by a quote of the partner, or by a checkout of the buyer
 * on our own pages. The caller has made sure that nothing stands against it.
 */
export async function acceptOffer(
  { tx, now, app }: Pick<OfferContext, 'tx' | 'now' | 'app'>,
  { offer, listing }: HeldOffer,
  by: OfferSide | null,
  message: string | null = null,
): Promise<Offer> {
  if (!listing) throw new Error(`${offer.domain} is not listed`)
  const partner = partnerOf(offer)
  const expires_at = after(now, OFFER_QUOTE_LIFETIME_MS)
  const { offer_id, domain, amount_cents, currency } = offer
  const promise = { quote_id: null as string | null, session_id: null as string | null }
  if (isOfOurPages(offer)) {
    const session = newSession(listing, offer.partner_id, now, OFFER_QUOTE_LIFETIME_MS)
    const { email, name, country } = offer.buyer
    await insertSession(tx, {
      ...session,
      price_cents: amount_cents,
      buyer: { email, name, country },
      offer_id,
    })
    promise.session_id = session.id
  } else {
    const { quote } = await newQuote(app, partner, now, {
      domain,
      price_cents: amount_cents,
      currency,
      lifetimeMs: OFFER_QUOTE_LIFETIME_MS,
      offer_id,
    })
    promise.quote_id = quote.id
    await tx.executeQuery(insertQuote(tx, quote))
    await tx.executeQuery(watchListing(now, partner, domain))
  }
  const hold = { reserved_by: promise.quote_id ?? promise.session_id, reserved_until: expires_at }
  await tx.executeQuery(updateListing(tx, listing, now, hold))
  return {
    ...offer,
    ...promise,
    status: 'accepted',
    turn: null,
    closed_by: by,
    closing_message: message,
    expires_at,
    updated_at: now,
    ended_at: now,
  }
}
