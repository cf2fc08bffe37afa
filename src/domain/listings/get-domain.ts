import { z } from 'zod'
import { centsView, currencyView, domainField, domainView, tldView } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { findListing, listingStatus, notListed } from './listing.ts'
import { noteRead } from './watch.ts'

export const getDomain = partnerRead({
  name: 'get_domain',
  tag: 'Search',
  summary: 'Get a listed domain',
  description:
    'Returns a domain that is or was listed here: its status, its price and the metadata of its listing. Use it ' +
    'for a page about one domain. A domain that was never listed, or was withdrawn, gives `not_found`.',
  method: 'GET',
  path: '/domains/{name}',
  scope: 'search',
  input: z.object({
    name: domainField.describe('The domain to get, in any case, as A-labels or U-labels.'),
  }),
  output: z
    .object({
      domain: domainView,
      tld: tldView,
      available: z.boolean().meta({
        description: 'Whether it can be bought now: true while `listed`.',
        example: true,
      }),
      status: z
        .enum(['listed', 'reserved', 'sold'])
        .describe('`listed` for sale, `reserved` while a quote or a payment holds it, or `sold`.'),
      price_cents: centsView(129_500).describe('The price to buy it now, in cents.'),
      floor_price_cents: centsView(100_000).describe(
        'The lowest price that the seller accepts, in cents.',
      ),
      currency: currencyView,
      offers: z
        .enum(['off', 'open'])
        .describe('Whether its seller takes offers below the price: `open` or `off`.'),
      min_offer_cents: z.int().nullable().meta({
        description: 'The least that an offer may be, in cents; null for any amount.',
        example: null,
      }),
      metadata: z
        .record(z.string(), z.unknown())
        .meta({ description: 'Further facts about the listing, by name.', example: {} }),
    })
    .meta({ id: 'DomainDetail' }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ db, now, app, partner }, { name }) {
    const listing = await findListing(db, partner, name)
    if (!listing) throw notListed(name)
    noteRead(app, now, partner, listing.domain)
    const status = listingStatus(listing, now)
    return {
      domain: listing.domain,
      tld: listing.tld,
      available: status === 'listed',
      status,
      price_cents: listing.price_cents,
      floor_price_cents: listing.floor_price_cents,
      currency: listing.currency,
      offers: listing.offers,
      min_offer_cents: listing.min_offer_cents,
      metadata: listing.metadata,
    }
  },
})
