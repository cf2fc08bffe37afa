import { z } from 'zod'
import { userWrite } from '../../core/operation.ts'
import { mustFindUser } from '../accounts/user.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { findMandate } from '../oauth/mandate.ts'
import { OfferInput, startOffer } from '../offers/create-offer.ts'
import { assertFew } from '../offers/offer-pages.ts'
import { payLink } from '../offers/pay-link.ts'
import { OfferView, viewOffer } from '../offers/view-offer.ts'
import { MARKETPLACE_PARTNER, marketplaceIn } from '../partners/partner.ts'
import { assertWithin, buyerOf, leftOf, revoked } from './assess.ts'

/** An offer in the user's name, who follows it by mail. */
export const makeOffer = userWrite({
  name: 'make_offer',
  summary: 'Offer less than the price for a domain, in the name of the user',
  description:
    'Offers the seller less than the price. `amount_cents` is in minor units: 90000 is 900.00. The offer may be at most ' +
    'what the user lets this app spend, but spends nothing: the user is mailed, and pays on a page once the offer is ' +
    'accepted. `status` is `accepted` at once when the amount is enough, and the domain is then kept for the user for 72 ' +
    'hours, in which they pay at `checkout_url`; otherwise `open`, and the seller may accept, decline or make a ' +
    'counter-offer until `expires_at`. The user responds to those at `offers_url`; once one is accepted, `create_checkout` ' +
    'has the page on which to pay. Less than the seller considers gives `offer_too_low`, more than the price ' +
    '`price_mismatch`: buy it instead.',
  method: 'POST',
  path: '/api/agent/offers',
  rate: 'public',
  scope: 'orders:create',
  cacheSeconds: 0,
  input: OfferInput.omit({ buyer: true }),
  output: OfferView.extend({
    checkout_url: z
      .url()
      .nullable()
      .describe('Where the user pays what was agreed, for 72 hours; null unless it was accepted.'),
  }).meta({ id: 'AgentOffer', description: 'An offer that an app made for its user.' }),
  status: 201,
  errors: [
    'validation_error',
    'unauthorized',
    'insufficient_scope',
    'not_found',
    'conflict',
    'price_mismatch',
    'offer_too_low',
    'mandate_exceeded',
  ],
  aliases: { domain: ['name'] },
  example: {
    input: { domain: 'petpantry.test', amount_cents: 90_000 },
    output: {
      offer_id: 'ofr_01k8zd6y3vj5r2m4n6p8q0s1t3',
      domain: 'petpantry.test',
      status: 'open',
      amount_cents: 90_000,
      currency: 'USD',
      turn: 'seller',
      buyer: { email: 'ada@example.com', name: null, country: null },
      expires_at: '2026-01-07T09:30:00.000Z',
      quote_id: null,
      offers_url: 'https://market.example/offers/5f0c',
      checkout_url: null,
      history: [
        { by: 'buyer', amount_cents: 90_000, at: '2026-01-05T09:30:00.000Z', message: null },
      ],
      closed_by: null,
      closing_message: null,
      created_at: '2026-01-05T09:30:00.000Z',
      updated_at: '2026-01-05T09:30:00.000Z',
    },
  },
  prepare: ({ app }, { domain }) => findTransferProblem(app, 'live', domain, MARKETPLACE_PARTNER),
  async handler({ tx, now, app, caller, prepared }, input) {
    const { userId, app: grant } = buyerOf(caller)
    const mandate = await findMandate(tx, grant.grantId)
    if (!mandate) throw revoked()
    const currency = input.currency ?? mandate.currency
    assertWithin(now, await leftOf(tx, now, grant.grantId, mandate), {
      cents: input.amount_cents,
      currency,
    })
    const { email } = await mustFindUser(tx, userId)
    await assertFew({ tx, now, app }, 'live', email)
    const buyer = { email, name: null, country: null }
    const offer = await startOffer(
      { tx, now, app },
      marketplaceIn('live'),
      { ...input, currency, buyer },
      prepared,
    )
    return { ...viewOffer(app, offer), checkout_url: await payLink({ tx, app }, offer) }
  },
})
