import type { PublicRead, UserOperation } from '../../core/operation.ts'
import { buyDomain } from '../../domain/agents/buy-domain.ts'
import { createCheckout } from '../../domain/agents/create-checkout.ts'
import { getQuote } from '../../domain/agents/get-quote.ts'
import { listMyDomains } from '../../domain/agents/list-my-domains.ts'
import { makeOffer } from '../../domain/agents/make-offer.ts'
import { orderStatus } from '../../domain/agents/order-status.ts'
import { searchNames } from '../../domain/agents/search-names.ts'
import { changeDomains } from '../../domain/domains/change-domains.ts'
import { checkClaimsNow } from '../../domain/domains/check-claims.ts'
import { claimDomains } from '../../domain/domains/claim-domains.ts'
import { getOperation } from '../../domain/domains/get-operation.ts'
import { listClaims } from '../../domain/domains/list-claims.ts'
import { listSellerDomains } from '../../domain/domains/list-seller-domains.ts'
import { sellDomains } from '../../domain/domains/sell-domains.ts'
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
  searchNames,
  getQuote,
  orderStatus,
  listMyDomains,
]

/** What users do with their own domains, signed in. */
export const USER_OPERATIONS: readonly UserOperation[] = [
  changeDomains,
  getOperation,
  claimDomains,
  listClaims,
  checkClaimsNow,
  sellDomains,
  listSellerDomains,
  buyDomain,
  createCheckout,
  makeOffer,
]

/** What changes something and is a tool of the MCP server, too. */
export const TOOL_WRITES: readonly UserOperation[] = [
  buyDomain,
  createCheckout,
  makeOffer,
  changeDomains,
]
