import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import { userWrite } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, HOUR, MINUTE } from '../../lib/clock.ts'
import { findClaims, findDueClaims, postponeClaims } from '../claims/claim.ts'
import { gatherEvidence } from '../claims/evidence.ts'
import { domainsField } from './change-outcome.ts'
import { claimExample } from './claim-domains.ts'
import { applyEvidence } from './claim-outcome.ts'
import { ClaimResult, claimableIn, claimResults } from './claim-results.ts'

/** How long a request waits for DNS; what was not looked at by then stands as it did. */
const WAIT_MS = 20_000
const BATCH = 500

/** Looks for the proof of claims now. */
export const checkClaimsNow = userWrite({
  name: 'check_claims',
  summary: 'Look for the proof of your claims now',
  description:
    'Looks for the proof of up to 1,000 claims, and returns how they stand then. Use it after you have set the TXT ' +
    'records. A domain that you have not claimed is a 404 of its own; one whose name servers do not respond in time ' +
    'stays as it was.',
  method: 'POST',
  path: '/api/domains/claims/check',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: z.object({ domains: domainsField.describe('Domains that you have claimed.') }),
  output: z.object({
    claims: z.array(ClaimResult).describe('In the order of the domains.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'insufficient_scope'],
  example: {
    input: { domains: ['petpantry.com'] },
    output: {
      claims: [
        {
          ...claimExample,
          status: 'verified',
          method: 'txt',
          verified_at: '2026-01-05T09:30:00.000Z',
          checked_at: '2026-01-05T09:30:00.000Z',
        },
      ],
    },
  },
  async prepare({ app, userId }, { domains }) {
    const claims = await findClaims(app.db, userId, claimableIn(domains))
    return await gatherEvidence(app, claims, AbortSignal.timeout(WAIT_MS))
  },
  async handler({ tx, now, app, userId, requestId, prepared }, { domains }) {
    await applyEvidence({ tx, now, app }, userId, prepared)
    const claims = await findClaims(tx, userId, claimableIn(domains))
    const byDomain = new Map(claims.map((claim) => [claim.domain, claim]))
    const outcomeOf = (domain: string) => byDomain.get(domain) ?? notFound('claim of yours')
    return { claims: claimResults(app.settings, domains, requestId, outcomeOf) }
  },
})

/** Looks for proofs by itself: of what is not proven yet every minute at first and then every hour, of what is every day. */
export const checkClaims: Job = {
  name: 'check_claims',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    const startedAt = app.clock.now()
    for (let checked = 0; !signal.aborted; ) {
      const claims = await findDueClaims(app.db, startedAt, BATCH)
      if (claims.length === 0) return
      const evidence = await gatherEvidence(app, claims, signal)
      for (const userId of new Set([...evidence.keys()].map(({ user_id }) => user_id))) {
        const theirs = new Map([...evidence].filter(([{ user_id }]) => user_id === userId))
        await apply(app, userId, theirs)
      }
      checked += evidence.size
      app.log.info({ checked }, 'claims: checked')
    }
  },
}

/** One user whose claims cannot be written holds up nobody: they come again in an hour. */
async function apply(
  app: AppContext,
  userId: string,
  evidence: Awaited<ReturnType<typeof gatherEvidence>>,
): Promise<void> {
  const now = app.clock.now()
  try {
    await inTransaction(app, (tx) => applyEvidence({ tx, now, app }, userId, evidence))
  } catch (error) {
    app.log.error({ err: error, user_id: userId }, 'claims: a user was left out')
    const domains = [...evidence.keys()].map(({ domain }) => domain)
    await postponeClaims(app.db, userId, domains, after(now, HOUR))
  }
}
