import type { PublicRead } from '../../kernel/operation.ts'
import { listListings } from '../../modules/inventory/list-listings.ts'
import { searchDomain } from '../../modules/inventory/search-domain.ts'
import { tldRegistrationPrice } from '../../modules/registry/tld-registration-price.ts'
import { tldRequirements } from '../../modules/registry/tld-requirements.ts'
import { whoisLookup } from '../../modules/registry/whois-lookup.ts'

/** Everything that anyone can call: each is a route, an entry of a batch and a path of the OpenAPI document. */
export const PUBLIC_OPERATIONS: readonly PublicRead[] = [
  searchDomain,
  whoisLookup,
  tldRegistrationPrice,
  tldRequirements,
  listListings,
]
