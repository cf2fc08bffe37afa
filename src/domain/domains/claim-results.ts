import { parseDomainName } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import { ApiError, errorBody, invalid } from '../../core/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { type Claim, ClaimView, viewClaim } from '../claims/claim.ts'
import { registryName } from '../registry/tlds.ts'
import { EntryError } from './change-outcome.ts'

/** What became of one domain of a request. */
export const ClaimResult = ClaimView.partial()
  .extend({
    domain: z.string().describe('The domain.'),
    status: z
      .union([ClaimView.shape.status, z.int()])
      .describe('How the claim stands. Where there is an `error`, its HTTP status.'),
    error: EntryError.optional().describe('Why it failed, in the form of every error.'),
  })
  .meta({ id: 'ClaimResult', description: 'A claim, or why there is none.' })
type ClaimResult = z.output<typeof ClaimResult>

/** The domains of a request that can be claimed, each once, in the order of their names. */
export function claimableIn(texts: readonly string[]): string[] {
  const names = texts.map(readClaimable).filter((name) => typeof name === 'string')
  return [...new Set(names)].toSorted()
}

/** The results domain by domain, as they were sent. */
export function claimResults(
  settings: Settings,
  texts: readonly string[],
  requestId: string,
  outcomeOf: (domain: string) => Claim | ApiError,
): ClaimResult[] {
  return texts.map((text) => {
    const domain = readClaimable(text)
    const outcome = domain instanceof ApiError ? domain : outcomeOf(domain)
    if (!(outcome instanceof ApiError)) return viewClaim(settings, outcome)
    const name = domain instanceof ApiError ? text : domain
    return { domain: name, status: outcome.status, ...errorBody(outcome, requestId) }
  })
}

/** What is registered as a whole, since who owns a name owns what is below it. */
export function readClaimable(text: string): string | ApiError {
  const name = parseDomainName(text.trim())
  if (!name) return invalid({ field: 'domain', issue: 'is not a domain name such as example.com' })
  const { registrable } = registryName(name.domain)
  if (registrable === name.domain) return name.domain
  const issue =
    registrable === null
      ? 'is not a name that can be registered'
      : `is below ${registrable}: claim that`
  return invalid({ field: 'domain', issue })
}
