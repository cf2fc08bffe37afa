import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import { userWrite } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import {
  type Claim,
  countDueProven,
  findClaims,
  findDueClaims,
  postponeClaims,
} from '../claims/claim.ts'
import { gatherEvidence } from '../claims/evidence.ts'
import { domainsField } from './change-outcome.ts'
import { claimExample } from './claim-domains.ts'
import { applyEvidence } from './claim-outcome.ts'
import { ClaimResult, claimableIn, claimResults } from './claim-results.ts'

/** How long a request waits for DNS; what was not looked at by then stands as it did. */
const WAIT_MS = 20_000
const BATCH = 500
/** How much of what a registry may be asked is for the daily look at proven claims. */
const PROVEN_SHARE = 3 / 4
const RUNS_IN_HALF_A_DAY = DAY / MINUTE / 2

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
    return await gatherEvidence(app, claims, AbortSignal.timeout(WAIT_MS), userId)
  },
  async handler({ tx, now, app, userId, requestId, prepared }, { domains }) {
    await applyEvidence({ tx, now, app }, userId, prepared)
    const claims = await findClaims(tx, userId, claimableIn(domains))
    const byDomain = new Map(claims.map((claim) => [claim.domain, claim]))
    const outcomeOf = (domain: string) => byDomain.get(domain) ?? notFound('claim of yours')
    return { claims: claimResults(app.settings, domains, requestId, outcomeOf) }
  },
})

/**
 * Looks for proofs by itself: of what is not proven yet every minute at first and then every hour, of what is every day.
 * A run is short, since the next one sees whoever has come meanwhile.
 */
export const checkClaims: Job = {
  name: 'check_claims',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    const startedAt = app.clock.now()
    const until = after(startedAt, MINUTE)
    // Somebody may be waiting for these.
    while (!signal.aborted && app.clock.now() < until) {
      const open = await findDueClaims(app.db, startedAt, false, BATCH)
      if (open.length === 0) break
      await checkAll(app, open, signal)
    }
    if (signal.aborted) return
    const count = await provenInOneRun(app, startedAt)
    await checkAll(app, await findDueClaims(app.db, startedAt, true, count), signal)
  },
}

/**
 * No more than the registry of them all may be asked about in a minute, with some left for others: what is not asked
 * says nothing. Of very many a part, so that each has its turn within half a day.
 */
async function provenInOneRun({ db, settings }: AppContext, now: Date): Promise<number> {
  const asked = Math.ceil(settings.registryQueriesPerMinute * PROVEN_SHARE)
  return Math.max(asked, Math.ceil((await countDueProven(db, now)) / RUNS_IN_HALF_A_DAY))
}

async function checkAll(app: AppContext, claims: Claim[], signal: AbortSignal): Promise<void> {
  if (claims.length === 0) return
  const evidence = await gatherEvidence(app, claims, signal)
  for (const userId of new Set([...evidence.keys()].map(({ user_id }) => user_id))) {
    const theirs = new Map([...evidence].filter(([{ user_id }]) => user_id === userId))
    await apply(app, userId, theirs)
  }
  app.log.info({ checked: evidence.size }, 'claims: checked')
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
