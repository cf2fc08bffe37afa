import { z } from 'zod'
import {
  countryField,
  domainField,
  emailField,
  lineField,
  textField,
  webUrlField,
} from '../../core/fields.ts'
import { partnerWrite, type Tx } from '../../core/operation.ts'
import { after } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type Listing, lockListing, notListed } from '../listings/listing.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { watchListing } from '../listings/watch.ts'
import { deliveryField, deliveryOf } from '../partners/delivery.ts'
import { assertNotTaken } from '../quotes/reservation.ts'
import { SESSION_LIFETIME_MS, type Session, SessionView, viewSession } from './session.ts'

const MAX_METADATA = 50

const Input = z.object({
  domain: domainField.describe('The domain to sell, in any case, as A-labels or U-labels.'),
  buyer: z
    .object({
      email: emailField.nullish().describe('Their e-mail address.'),
      name: lineField(200)
        .nullish()
        .meta({ description: 'Their full name.', example: 'Ada Buyer' }),
      country: countryField.nullish(),
    })
    .nullish()
    .describe('What you know about the buyer, which fills in the form of the checkout.'),
  delivery: deliveryField.nullish(),
  return_url: webUrlField.nullish().meta({
    description:
      'The page that the buyer returns to after paying. `checkout_session_id` and `public_id` are added to its ' +
      'query.',
    example: 'https://partner.example/orders/1001',
  }),
  cancel_url: webUrlField.nullish().meta({
    description: 'The page that the buyer returns to without paying.',
    example: 'https://partner.example/basket/1001',
  }),
  external_ref: textField(255)
    .nullish()
    .meta({ description: 'Your reference for the session.', example: 'basket_1001' }),
  metadata: z
    .record(
      textField(40).min(1),
      z.union([textField(500), z.number(), z.boolean(), z.null()], {
        error: 'must be text, a number, true, false or null',
      }),
    )
    .refine((data) => Object.keys(data).length <= MAX_METADATA, `may hold ${MAX_METADATA} keys`)
    .nullish()
    .meta({
      description:
        'Up to 50 values of your own to store with it: text, numbers, true, false or null by name.',
      example: { campaign: 'spring' },
    }),
})

/** A link on which the marketplace collects the payment, and the sale is the partner's. */
export const createCheckoutSession = partnerWrite({
  name: 'create_checkout_session',
  tag: 'Checkout',
  summary: 'Create a checkout session',
  description:
    'Makes a page on which a buyer pays the marketplace for one domain, at its current price. Use it when you do not ' +
    'want to collect the payment yourself: redirect the buyer to `checkout_url`. The page works for seven days. It ' +
    'reserves nothing by itself; the domain is held while a payment is under way. Once it is paid an order is made, ' +
    'you earn a commission, `order.paid` is emitted, and the buyer returns to your `return_url`. A domain that is ' +
    'sold or reserved by another partner gives `conflict`.',
  method: 'POST',
  path: '/checkout-session',
  scope: 'embed',
  input: Input,
  output: SessionView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  prepare: ({ app, partner: { environment, partnerId } }, { domain }) =>
    findTransferProblem(app, environment, domain, partnerId),
  async handler({ tx, now, app, partner, prepared }, input) {
    const listing = await lockListing(tx, partner, input.domain)
    if (!listing) throw notListed(input.domain)
    await assertNotTaken(tx, listing, partner.partnerId, now)
    if (prepared) throw prepared
    const session = newSession(listing, partner.partnerId, now)
    session.buyer = {
      email: input.buyer?.email ?? null,
      name: input.buyer?.name ?? null,
      country: input.buyer?.country ?? null,
    }
    session.return_url = input.return_url ?? null
    session.delivery = input.delivery ? deliveryOf(input.delivery, null) : null
    session.cancel_url = input.cancel_url ?? null
    session.external_ref = input.external_ref ?? null
    session.metadata = input.metadata ?? {}
    await insertSession(tx, session)
    await tx.executeQuery(watchListing(now, partner, listing.domain))
    return viewSession(app, session, now)
  },
})

/** A session at the listing's price of now, which holds for as long as the link does. */
export function newSession(
  listing: Listing,
  partnerId: string,
  now: Date,
  lifetimeMs = SESSION_LIFETIME_MS,
): Session {
  return {
    id: newId('cs', now),
    partner_id: partnerId,
    environment: listing.environment,
    domain: listing.domain,
    price_cents: listing.price_cents,
    currency: listing.currency,
    seller_id: listing.seller_id,
    status: 'open',
    buyer: { email: null, name: null, country: null },
    registrant: null,
    return_url: null,
    cancel_url: null,
    delivery: null,
    external_ref: null,
    metadata: {},
    link_id: null,
    clicked_at: null,
    public_id: null,
    by_lander: false,
    offer_id: null,
    app_grant_id: null,
    app_client_id: null,
    app_user_id: null,
    app_name: null,
    created_at: now,
    updated_at: now,
    expires_at: after(now, lifetimeMs),
  }
}

export async function insertSession(tx: Tx, session: Session): Promise<void> {
  await tx
    .insertInto('checkout_sessions')
    .values({
      ...session,
      buyer: JSON.stringify(session.buyer),
      registrant: session.registrant && JSON.stringify(session.registrant),
      metadata: JSON.stringify(session.metadata),
      delivery: session.delivery && JSON.stringify(session.delivery),
    })
    .execute()
}
