import { parseDomainName } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import { ApiError, errorBody, invalid } from '../../core/errors.ts'
import { storable } from '../../lib/storable.ts'
import { BULK_OPS, bulkParams, paramsProblem } from './bulk-op.ts'

const MAX_DOMAINS = 1_000

/** Names are read one by one, since a bad one may not fail the others. */
export const domainsField = z
  .array(z.string().max(1_024).transform(storable))
  .min(1, 'must hold at least one domain')
  .max(MAX_DOMAINS, `must hold ${MAX_DOMAINS} domains at most`)

/** Why one entry of a request failed. */
export const EntryError = z.object({
  code: z.string().describe('What went wrong, for programs.'),
  message: z.string().describe('What went wrong, for people.'),
  request_id: z.string().describe('The X-Request-Id of the response.'),
  details: z.unknown().optional().describe('More about what went wrong.'),
})

export const ChangeInput = z.object({
  op: z.enum(BULK_OPS).describe('The change to make.'),
  domains: domainsField.describe(
    'Your domains to change, up to 1,000, in any case, as A-labels or U-labels.',
  ),
  params: bulkParams.default({}).describe('What the change needs.'),
  dry_run: z
    .boolean()
    .default(false)
    .describe('Whether to change nothing and only say what would happen.'),
})
export type ChangeInput = z.output<typeof ChangeInput>

export const ChangeOutput = z.object({
  op: z.enum(BULK_OPS).describe('The change.'),
  dry_run: z.boolean().describe('Whether nothing was changed.'),
  count: z.int().describe('The number of domains.'),
  succeeded: z.int().describe('The number of domains that were changed, or would be.'),
  failed: z.int().describe('The number of domains that were not changed.'),
  pending: z
    .int()
    .describe('The number of domains with the status 202, whose outcome is not known yet.'),
  results: z
    .array(
      z
        .object({
          domain: z.string().describe('The domain as it was sent.'),
          status: z
            .int()
            .describe(
              'The HTTP status of a call for this domain alone: 200 done, 202 handed to its registrar or waiting ' +
                'for the payment, 4xx not done.',
            ),
          operation_id: z
            .string()
            .optional()
            .describe(
              'What the registrar was asked: `GET /api/domains/operations/{operation_id}` shows how it stands.',
            ),
          error: EntryError.optional().describe('Why it failed, in the form of every error.'),
        })
        .meta({ id: 'DomainChange', description: 'What became of one domain.' }),
    )
    .describe('In the order of the domains.'),
})
export type ChangeOutput = z.output<typeof ChangeOutput>

export function assertParams({ op, params }: ChangeInput): void {
  const problem = paramsProblem(op, params)
  if (problem) throw invalid(problem)
}

/** The well-formed names of a call, each once. */
export function namesIn({ domains }: ChangeInput): string[] {
  return [...new Set(domains.map(read).filter((name) => name !== null))]
}

/** 202 with an operation: its registrar was asked. */
type Outcome = 200 | 202 | { operationId: string } | ApiError

/** The response name by name, as they were given. */
export function resultOf(
  { op, domains, dry_run }: ChangeInput,
  requestId: string,
  outcomeOf: (domain: string) => Outcome,
): ChangeOutput {
  const seen = new Set<string>()
  const results = domains.map((text) => {
    const name = read(text)
    if (name === null) return failed(text, MALFORMED)
    // A repeat changes nothing further: once renewed is renewed once.
    if (seen.has(name)) return failed(name, REPEATED)
    seen.add(name)
    const outcome = outcomeOf(name)
    if (outcome instanceof ApiError) return failed(name, outcome)
    if (typeof outcome === 'number') return { domain: name, status: outcome }
    return { domain: name, status: 202, operation_id: outcome.operationId }
  })
  function failed(domain: string, error: ApiError) {
    return { domain, status: error.status, ...errorBody(error, requestId) }
  }
  const count = (wanted: number) => results.filter(({ status }) => status === wanted).length
  const [succeeded, pending] = [count(200), count(202)]
  return {
    op,
    dry_run,
    count: results.length,
    succeeded,
    failed: results.length - succeeded - pending,
    pending,
    results,
  }
}

const MALFORMED = invalid({ field: 'domain', issue: 'is not a domain name such as example.com' })
const REPEATED = invalid({ field: 'domain', issue: 'is given more than once' })

function read(text: string): string | null {
  return parseDomainName(text.trim())?.domain ?? null
}
