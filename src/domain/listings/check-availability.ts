import { z } from 'zod'
import { centsView, currencyView, domainField, domainView } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { findListing, listingStatus } from './listing.ts'
import { noteRead } from './watch.ts'

export const checkAvailability = partnerRead({
  name: 'check_availability',
  tag: 'Search',
  summary: 'Check whether a domain can be bought now',
  description:
    'Says whether a domain can be bought at this moment, and for how much. Any domain name may be asked for: one ' +
    'that is not listed, sold, or reserved by a quote or a payment is not available. The response reserves nothing; to ' +
    'hold the price and the domain for ten minutes, create a quote.',
  method: 'GET',
  path: '/availability',
  scope: 'search',
  input: z.object({
    domain: domainField.describe('The domain to check, in any case, as A-labels or U-labels.'),
  }),
  output: z
    .object({
      domain: domainView,
      available: z.boolean().meta({ description: 'Whether it can be bought now.', example: true }),
      price_cents: centsView(129_500)
        .nullable()
        .describe('The price in cents, or null when it is not available.'),
      currency: currencyView
        .nullable()
        .describe('The ISO 4217 code of the currency, or null when it is not available.'),
    })
    .meta({ id: 'Availability' }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now, app, partner }, { domain }) {
    const listing = await findListing(db, partner, domain)
    if (listing) noteRead(app, now, partner, domain)
    if (!listing || listingStatus(listing, now) !== 'listed') {
      return { domain, available: false, price_cents: null, currency: null }
    }
    const { price_cents, currency } = listing
    return { domain, available: true, price_cents, currency }
  },
})
