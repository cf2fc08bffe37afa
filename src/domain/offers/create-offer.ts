import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { type ApiError, conflict, invalid } from '../../core/errors.ts'
import {
  centsField,
  countryField,
  currencyField,
  domainField,
  emailField,
  iso,
  lineField,
  textField,
} from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { isDisabled } from '../accounts/user.ts'
import { type Listing, listingStatus, lockListing, notListed } from '../listings/listing.ts'
import { countLead } from '../listings/name-days.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { acceptOffer, acceptProblem } from './accept.ts'
import { announce, assertAmount } from './move-offer.ts'
import { insertOffer, type Offer, type OfferContext, writeOffer } from './offer.ts'
import { newOfferLinks } from './offer-links.ts'
import { MAX_MESSAGE, OfferView, viewOffer } from './view-offer.ts'

const DEFAULT_HOURS = 48
const MAX_HOURS = 168
/** Offers of one partner for one name that run at once. */
const MAX_RUNNING = 50

export const amountField = centsField.meta({
  description: 'The amount, in cents, at most the price of the domain.',
  example: 90_000,
})
export const messageField = textField(MAX_MESSAGE).nullish().meta({
  description: 'A message to the other side.',
  example: 'We would use it for a pet shop.',
})

export const OfferInput = z.object({
  domain: domainField.describe(
    'The domain that the buyer wants, in any case, as A-labels or U-labels.',
  ),
  amount_cents: amountField,
  currency: currencyField
    .nullish()
    .describe(
      'The ISO 4217 code of the currency, which must be that of the listing. Default: USD.',
    ),
  buyer: z
    .object({
      email: emailField.describe('Their e-mail address, at which they are notified.'),
      name: lineField(200)
        .nullish()
        .meta({ description: 'Their full name.', example: 'Ada Buyer' }),
      country: countryField.nullish(),
    })
    .describe('Who the offer is for.'),
  message: messageField,
  expires_in_hours: z
    .int()
    .min(1)
    .max(MAX_HOURS)
    .nullish()
    .meta({
      description: `How long each side has to respond, in hours, from 1 to ${MAX_HOURS}. Default: ${DEFAULT_HOURS}.`,
      example: DEFAULT_HOURS,
    }),
})

/** An offer of a partner's buyer for a name that is for sale. */
export const createOffer = partnerWrite({
  name: 'create_offer',
  tag: 'Offers',
  summary: 'Make an offer',
  description:
    'Offers less than the price for a domain on behalf of a buyer. Use it when a buyer wants to negotiate. At or above ' +
    'the floor price the offer is accepted at once; otherwise the seller can accept it, decline it or make a ' +
    'counter-offer before it expires. The buyer receives mail with a link to respond, or you respond for them. Once ' +
    'accepted, the domain is reserved for 72 hours at that amount: record the sale as an order with the `quote_id` of ' +
    'the offer. Less than the seller considers gives `offer_too_low`, more than the price `price_mismatch`, and a ' +
    'domain that is sold or takes no offers `conflict`.',
  method: 'POST',
  path: '/offers',
  scope: 'buy',
  input: OfferInput,
  output: OfferView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict', 'price_mismatch', 'offer_too_low'],
  prepare: ({ app, partner: { environment, partnerId } }, { domain }) =>
    findTransferProblem(app, environment, domain, partnerId),
  async handler({ tx, now, app, partner, prepared }, input) {
    return viewOffer(app, await startOffer({ tx, now, app }, partner, input, prepared))
  },
})

/** Writes the offer, whoever makes it; at or above the floor price it is accepted at once if the name is free. */
export async function startOffer(
  { tx, now, app }: OfferContext,
  partner: Partner,
  input: z.output<typeof OfferInput>,
  transferProblem: ApiError | null,
): Promise<Offer> {
  const context = { tx, now, app }
  const { domain, amount_cents } = input
  const listing = await lockListing(tx, partner, domain)
  if (!listing) throw notListed(domain)
  if (listingStatus(listing, now) === 'sold') {
    throw conflict('domain_sold', `${domain} is sold.`)
  }
  if (listing.seller_id !== null && (await isDisabled(tx, listing.seller_id))) {
    throw conflict('domain_not_for_sale', `${domain} is not for sale for the moment.`)
  }
  assertTakesOffers(listing)
  if ((input.currency ?? HOME_CURRENCY) !== listing.currency) {
    throw invalid({ field: 'currency', issue: `must be ${listing.currency}, the listing's` })
  }
  assertAmount(listing, 'buyer', amount_cents)
  if (transferProblem) throw transferProblem
  await assertRoom(context, partner, domain)

  // Past this line the offer stands.
  const offer_id = newId('ofr', now)
  const valid_hours = input.expires_in_hours ?? DEFAULT_HOURS
  const { email, name = null, country = null } = input.buyer
  const message = input.message ?? null
  const offer: Offer = {
    offer_id,
    partner_id: partner.partnerId,
    environment: partner.environment,
    domain,
    seller_id: listing.seller_id,
    status: 'open',
    turn: 'seller',
    amount_cents,
    currency: listing.currency,
    buyer: { email, name, country },
    valid_hours,
    history: [{ at: iso(now), by: 'buyer', amount_cents, message }],
    closed_by: null,
    closing_message: null,
    quote_id: null,
    session_id: null,
    ...newOfferLinks(app, offer_id),
    created_at: now,
    updated_at: now,
    expires_at: after(now, valid_hours * HOUR),
    ended_at: null,
  }
  await insertOffer(tx, offer)
  if (offer.environment === 'live') await countLead(tx, now, offer.domain)
  const isEnough = amount_cents >= listing.floor_price_cents
  if (!isEnough || (await acceptProblem(context, { offer, listing }, amount_cents))) {
    await announce(context, offer, ['offer.created'])
    return offer
  }
  const accepted = await acceptOffer(context, { offer, listing }, null)
  await writeOffer(tx, accepted)
  await announce(context, accepted, ['offer.created', 'offer.accepted'])
  return accepted
}

function assertTakesOffers({ domain, offers }: Listing): void {
  if (offers === 'open') return
  throw conflict('offers_closed', `The seller takes no offers for ${domain}. Buy it at its price.`)
}

/** A seller is written to for each, so nobody makes any number. The listing's lock counts them one after another. */
async function assertRoom(
  { tx, now }: OfferContext,
  { partnerId, environment }: Partner,
  domain: string,
): Promise<void> {
  const running = await tx
    .selectFrom('offers')
    .select('offer_id')
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .where('ended_at', 'is', null)
    .where('partner_id', '=', partnerId)
    .where('expires_at', '>', now)
    .limit(MAX_RUNNING)
    .execute()
  if (running.length < MAX_RUNNING) return
  throw conflict(
    'limit_reached',
    `${MAX_RUNNING} of your offers for ${domain} are running. Withdraw one, or wait until one ends.`,
  )
}
