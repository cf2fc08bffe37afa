import { z } from 'zod'
import { domainField } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { findListing, listingStatus } from './listing.ts'

export const checkAvailability = partnerRead({
  name: 'check_availability',
  summary: 'Whether a domain can be bought now, and its price',
  method: 'GET',
  path: '/availability',
  scope: 'search',
  input: z.object({ domain: domainField }),
  output: z.object({
    domain: z.string(),
    available: z.boolean(),
    price_cents: z.int().nullable(),
    currency: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now, partner }, { domain }) {
    const listing = await findListing(db, partner.environment, domain)
    if (!listing || listingStatus(listing, now) !== 'listed') {
      return { domain, available: false, price_cents: null, currency: null }
    }
    const { price_cents, currency } = listing
    return { domain, available: true, price_cents, currency }
  },
})
