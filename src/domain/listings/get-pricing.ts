import { z } from 'zod'
import { centsView, currencyView, domainField, domainView } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { findListing, listingStatus, notListed } from './listing.ts'
import { noteRead } from './watch.ts'

export const getPricing = partnerRead({
  name: 'get_pricing',
  tag: 'Search',
  summary: 'Get the price of a listed domain',
  description:
    'Returns the current price of a domain and the lowest price that its seller accepts. The price may change ' +
    'until a quote fixes it. A domain that is not listed, or is sold, gives `not_found`.',
  method: 'GET',
  path: '/pricing',
  scope: 'search',
  input: z.object({
    domain: domainField.describe('The domain to price, in any case, as A-labels or U-labels.'),
  }),
  output: z
    .object({
      domain: domainView,
      price_cents: centsView(129_500).describe('The price to buy it now, in cents.'),
      floor_price_cents: centsView(100_000).describe(
        'The lowest price that the seller accepts, in cents.',
      ),
      currency: currencyView,
    })
    .meta({ id: 'Price' }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ db, now, app, partner }, { domain }) {
    const listing = await findListing(db, partner, domain)
    if (!listing || listingStatus(listing, now) === 'sold') throw notListed(domain)
    noteRead(app, now, partner, domain)
    const { price_cents, floor_price_cents, currency } = listing
    return { domain, price_cents, floor_price_cents, currency }
  },
})
