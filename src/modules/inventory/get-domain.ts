import { z } from 'zod'
import { domainField } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { findListing, listingStatus, notListed } from './listing.ts'

export const getDomain = partnerRead({
  name: 'get_domain',
  summary: 'One domain: price, availability, metadata',
  method: 'GET',
  path: '/domains/{name}',
  scope: 'search',
  input: z.object({ name: domainField }),
  output: z.object({
    domain: z.string(),
    tld: z.string(),
    available: z.boolean(),
    status: z.enum(['listed', 'reserved', 'sold']),
    price_cents: z.int(),
    floor_price_cents: z.int(),
    currency: z.string(),
    metadata: z.record(z.string(), z.unknown()),
  }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ db, now, partner }, { name }) {
    const listing = await findListing(db, partner.environment, name)
    if (!listing) throw notListed(name)
    const status = listingStatus(listing, now)
    return {
      domain: listing.domain,
      tld: listing.tld,
      available: status === 'listed',
      status,
      price_cents: listing.price_cents,
      floor_price_cents: listing.floor_price_cents,
      currency: listing.currency,
      metadata: listing.metadata,
    }
  },
})
