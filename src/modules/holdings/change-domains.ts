import { z } from 'zod'
import { invalid, type Refusal } from '../../kernel/errors.ts'
import type { PublicContract, WriteContext } from '../../kernel/operation.ts'
import { parseDomainName } from '../../lib/domain-name.ts'
import { BULK_OPS, bulkParams, paramsProblem } from './bulk-op.ts'
import { changeHoldings } from './change.ts'

const MAX_DOMAINS = 1_000

/** One operation on many of a user's own domains (contract, section 13). */
export const changeDomains = {
  name: 'change_domains',
  summary: 'One change to up to 1,000 domains that you own',
  description:
    'Applies one operation to up to 1,000 domains of the user who has signed in: with the session of the ' +
    'pages, or with a personal access token that the user made. Each name succeeds or fails by itself. ' +
    'With `dry_run` nothing is changed, and the answer says what would happen. Renewals are charged from ' +
    'the price book.',
  method: 'POST',
  path: '/api/domains/bulk/{op}',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({
    op: z.enum(BULK_OPS),
    // Names are read one by one, since a bad one may not fail the others.
    domains: z
      .array(z.string().max(1_024))
      .min(1, 'must hold at least one domain')
      .max(MAX_DOMAINS, `must hold ${MAX_DOMAINS} domains at most`),
    params: bulkParams.default({}).describe('What the operation needs.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    op: z.enum(BULK_OPS),
    dry_run: z.boolean(),
    count: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    results: z
      .array(
        z.object({
          domain: z.string(),
          status: z.int().describe('What a call for this name alone would have answered.'),
          error: z
            .object({ code: z.string(), message: z.string() })
            .optional()
            .describe('Why it failed.'),
        }),
      )
      .describe('In the order of the domains.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden'],
  example: {
    input: { op: 'set_auto_renew', domains: ['petpantry.com'], params: { enabled: true } },
    output: {
      op: 'set_auto_renew',
      dry_run: false,
      count: 1,
      succeeded: 1,
      failed: 0,
      results: [{ domain: 'petpantry.com', status: 200 }],
    },
  },
} as const satisfies PublicContract

type Input = z.output<typeof changeDomains.input>

export async function runChange(
  { tx, now }: WriteContext,
  userId: string,
  { op, domains, params, dry_run }: Input,
): Promise<z.output<typeof changeDomains.output>> {
  const problem = paramsProblem(op, params)
  if (problem) throw invalid(problem)
  const names = domains.map((text) => parseDomainName(text.trim())?.domain ?? null)
  const valid = [...new Set(names.filter((name) => name !== null))]
  const wanted = { op, params, domains: valid, dryRun: dry_run }
  const refusals = await changeHoldings(tx, now, userId, wanted)
  const seen = new Set<string>()
  const results = names.map((name, index) => {
    if (name === null) return failed(domains[index] ?? '', MALFORMED)
    // A repeat changes nothing further: once renewed is renewed once.
    if (seen.has(name)) return failed(name, REPEATED)
    seen.add(name)
    const refusal = refusals.get(name)
    return refusal ? failed(name, refusal) : { domain: name, status: 200 }
  })
  const succeeded = results.filter(({ status }) => status === 200).length
  return {
    op,
    dry_run,
    count: results.length,
    succeeded,
    failed: results.length - succeeded,
    results,
  }
}

const MALFORMED = invalid({ field: 'domain', issue: 'is not a domain name such as example.com' })
const REPEATED = invalid({ field: 'domain', issue: 'is given more than once' })

function failed(domain: string, { status, code, message }: Refusal) {
  return { domain, status, error: { code, message } }
}
