import { z } from 'zod'
import { domainField } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { findListing, listingStatus, notListed } from './listing.ts'

export const getPricing = partnerRead({
  name: 'get_pricing',
  summary: 'Buy-now price and floor price of a listed domain',
  method: 'GET',
  path: '/pricing',
  scope: 'search',
  input: z.object({ domain: domainField }),
  output: z.object({
    domain: z.string(),
    price_cents: z.int(),
    floor_price_cents: z.int(),
    currency: z.string(),
  }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ db, now, partner }, { domain }) {
    const listing = await findListing(db, partner.environment, domain)
    if (!listing || listingStatus(listing, now) === 'sold') throw notListed(domain)
    const { price_cents, floor_price_cents, currency } = listing
    return { domain, price_cents, floor_price_cents, currency }
  },
})
