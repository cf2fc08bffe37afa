import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { userWrite } from '../../core/operation.ts'
import { domainsField } from './change-outcome.ts'
import { claim } from './claim-names.ts'
import { ClaimResult, claimableIn, claimResults } from './claim-results.ts'

export const claimExample = {
  domain: 'petpantry.com',
  status: 'pending' as const,
  method: null,
  txt: {
    name: '_marketplace.petpantry.com',
    value: 'marketplace-verification=4f1c0a9d27b85e36a1f09c72d4b6e853',
  },
  nameservers: [],
  verified_at: null,
  checked_at: null,
  problem: null,
}

/** Says that domains are the user's, which is then to be proven (contract, section 16). */
export const claimDomains = userWrite({
  name: 'claim_domains',
  summary: 'Claim up to 1,000 domains that you own',
  description:
    'Opens a claim for each domain and returns what proves it: a TXT record with a value of your own, or the ' +
    'delegation to the name servers of the marketplace where it offers that. The proof is looked for every minute for ' +
    'an hour, then every hour for 30 days, and whenever you ask with `POST /api/domains/claims/check`. A verified domain is in ' +
    'your account, and can be listed for sale. Each domain succeeds or fails by itself: a malformed one with 400, ' +
    'one that another user has verified with 409, which an operator decides. Claiming a domain again changes nothing.',
  method: 'POST',
  path: '/api/domains/claims',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: z.object({
    domains: domainsField.describe('The domains to claim, up to 1,000, in any case.'),
  }),
  output: z.object({
    claims: z.array(ClaimResult).describe('In the order of the domains.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'insufficient_scope'],
  example: { input: { domains: ['petpantry.com'] }, output: { claims: [claimExample] } },
  async handler({ tx, now, app, userId, requestId }, { domains }) {
    const { claims, errors } = await claim(tx, now, userId, claimableIn(domains))
    const results = claimResults(app.settings, domains, requestId, (domain) => {
      return errors.get(domain) ?? claims.get(domain) ?? notFound('claim of yours')
    })
    return { claims: results }
  },
})
