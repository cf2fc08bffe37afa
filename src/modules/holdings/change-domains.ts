import { z } from 'zod'
import { errorBody, invalid, Refusal } from '../../kernel/errors.ts'
import type { PublicContract, WriteContext } from '../../kernel/operation.ts'
import { parseDomainName } from '../../lib/domain-name.ts'
import { storable } from '../../lib/storable.ts'
import { activeMethod } from '../payments/payment-method.ts'
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
    'the price book to the payment method that the user saved, all of a call in one charge; a name is ' +
    'renewed only once the charge has succeeded, and has the status 202 until its outcome is known.',
  method: 'POST',
  path: '/api/domains/bulk/{op}',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({
    op: z.enum(BULK_OPS),
    // Names are read one by one, since a bad one may not fail the others.
    domains: z
      .array(z.string().max(1_024).transform(storable))
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
    pending: z.int().describe('Renewals whose charge is under way; a mail says what became of it.'),
    results: z
      .array(
        z.object({
          domain: z.string(),
          status: z.int().describe('What a call for this name alone would have answered.'),
          error: z
            .object({
              code: z.string(),
              message: z.string(),
              request_id: z.string(),
              details: z.unknown().optional(),
            })
            .optional()
            .describe('Why it failed, as an error of any endpoint says it.'),
        }),
      )
      .describe('In the order of the domains.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'conflict'],
  example: {
    input: { op: 'set_auto_renew', domains: ['petpantry.com'], params: { enabled: true } },
    output: {
      op: 'set_auto_renew',
      dry_run: false,
      count: 1,
      succeeded: 1,
      failed: 0,
      pending: 0,
      results: [{ domain: 'petpantry.com', status: 200 }],
    },
  },
} as const satisfies PublicContract

export type ChangeInput = z.output<typeof changeDomains.input>
export type ChangeAnswer = z.output<typeof changeDomains.output>

/** Whose domains are to change, and the request that the errors name. */
export interface ChangeCaller {
  userId: string
  requestId: string
}

/** Whatever needs no money; renewals that are meant are made by `renewDomains`. */
export async function runChange(
  { tx, now, house }: WriteContext,
  { userId, requestId }: ChangeCaller,
  input: ChangeInput,
): Promise<ChangeAnswer> {
  const { op, params, dry_run } = input
  refuseParams(input)
  const method = await activeMethod(tx, userId, house.settings.paymentProvider)
  const hasCard = method !== undefined
  const wanted = { op, params, domains: namesIn(input), dryRun: dry_run, hasCard }
  const refusals = await changeHoldings(tx, now, userId, wanted)
  return answerOf(input, requestId, (domain) => refusals.get(domain) ?? 200)
}

export function refuseParams({ op, params }: ChangeInput): void {
  const problem = paramsProblem(op, params)
  if (problem) throw invalid(problem)
}

/** The well-formed names of a call, each once. */
export function namesIn({ domains }: ChangeInput): string[] {
  return [...new Set(domains.map(read).filter((name) => name !== null))]
}

/** The answer name by name, as they were given. */
export function answerOf(
  { op, domains, dry_run }: ChangeInput,
  requestId: string,
  outcomeOf: (domain: string) => 200 | 202 | Refusal,
): ChangeAnswer {
  const seen = new Set<string>()
  const results = domains.map((text) => {
    const name = read(text)
    if (name === null) return failed(text, MALFORMED)
    // A repeat changes nothing further: once renewed is renewed once.
    if (seen.has(name)) return failed(name, REPEATED)
    seen.add(name)
    const outcome = outcomeOf(name)
    return outcome instanceof Refusal ? failed(name, outcome) : { domain: name, status: outcome }
  })
  function failed(domain: string, refusal: Refusal) {
    return { domain, status: refusal.status, ...errorBody(refusal, requestId) }
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
