import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { userWrite } from '../../core/operation.ts'
import { raiseAlert } from '../../core/raise-alert.ts'
import { claimedByOthers, countOpenClaims, lockClaims, openClaims } from '../claims/claim.ts'
import { domainsField } from './change-outcome.ts'
import { ClaimResult, claimableIn, claimResults } from './claim-results.ts'

/** Claims of a user that are not proven. */
const MAX_OPEN = 20_000

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
    const names = claimableIn(domains)
    const known = await lockClaims(tx, userId, names)
    const others = await claimedByOthers(tx, userId, names)
    const fresh = names.filter((domain) => !known.has(domain))
    const room = Math.max(MAX_OPEN - (await countOpenClaims(tx, userId)), 0)
    const opened = [...known.keys(), ...fresh.slice(0, room)]
    await openClaims(tx, now, userId, opened)
    const claims = await lockClaims(tx, userId, opened)
    for (const [domain, { isVerified }] of others) {
      if (!isVerified) continue
      const alert = { environment: 'live', type: 'alert.claim_conflict' } as const
      const data = { domain, user_id: userId }
      await tx.executeQuery(raiseAlert(tx, now, { ...alert, cause: `${domain} ${userId}`, data }))
    }
    const results = claimResults(app.settings, domains, requestId, (domain) => {
      if (others.get(domain)?.isVerified) {
        const message = `${domain} is verified by another user. An operator decides whose it is.`
        return conflict('owned_by_other', message)
      }
      const tooMany = `You have ${MAX_OPEN} claims that are not proven. Prove or wait for some first.`
      return claims.get(domain) ?? conflict('limit_reached', tooMany)
    })
    return { claims: results }
  },
})
