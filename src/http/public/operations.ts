import type { PublicRead } from '../../core/operation.ts'
import { listListings } from '../../domain/listings/list-listings.ts'
import { searchDomain } from '../../domain/listings/search-domain.ts'
import { tldRegistrationPrice } from '../../domain/registry/tld-registration-price.ts'
import { tldRequirements } from '../../domain/registry/tld-requirements.ts'
import { whoisLookup } from '../../domain/registry/whois-lookup.ts'

/** Everything that anyone can call: each is a route, an entry of a batch and a path of the OpenAPI document. */
export const PUBLIC_OPERATIONS: readonly PublicRead[] = [
  searchDomain,
  whoisLookup,
  tldRegistrationPrice,
  tldRequirements,
  listListings,
]
