import pLimit from 'p-limit'
import { z } from 'zod'
import { checkInput } from '../../core/check-input.ts'
import type { AppContext } from '../../core/context.ts'
import type { PublicContract } from '../../core/contract.ts'
import { errorBody, invalid } from '../../core/errors.ts'
import { type PublicRead, publicContract, publicRead } from '../../core/operation.ts'
import { assertUnderLimit, type RateState, rateHeaders } from '../../core/rate-limits.ts'
import { settle } from '../../core/write.ts'
import { truncate } from '../../lib/truncate.ts'
import { errorHeaders, toApiError } from '../api-errors.ts'
import { withoutNulls } from '../input.ts'
import type { Web } from '../web.ts'
import { argumentsSchema, parseArguments } from './arguments.ts'
import type { PublicCall } from './call.ts'
import { deprecationHeaders } from './headers.ts'

const MAX_OPERATIONS = 20
/** So many entries of a batch at once: one caller does not take all connections. */
const AT_ONCE = 8
/** Every call counts once; see `rate` of the operations for the limit that it counts against. */
const COST = 1
const MAX_ID = 200

const entryFields = z.object({
  id: z.string().max(MAX_ID).describe('A name of your own for the entry.'),
  op: z.string().describe('The name of the operation, such as search_domain.'),
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('The input of the operation, by field.'),
})

const resultView = z
  .object({
    id: z.string().nullable().describe('The `id` of the entry; null when it had none.'),
    op: z.string().nullable().describe('The `op` of the entry; null when it had none.'),
    status: z.int().describe('The HTTP status of a single call.'),
    body: z
      .record(z.string(), z.unknown())
      .describe('The response of a single call, or an error in the form of every error.'),
    cost: z.int().describe('The number of requests that the entry counted as.'),
    headers: z
      .record(z.string(), z.string())
      .describe('The header fields of a single call: its rate limit, and when to retry.'),
  })
  .meta({ id: 'BatchResult', description: 'What became of one entry of a batch.' })

export const runBatch = publicContract({
  name: 'run_batch',
  summary: 'Up to 20 reads in one request',
  description:
    'Runs up to 20 operations at once, each as its single call would: with its own status, its own ' +
    'error and its own count against the limits. A bad entry fails alone, and so does one whose params ' +
    'hold a key that its operation does not take. GET on this path lists the ' +
    'operations with the JSON Schemas of their params.',
  method: 'POST',
  path: '/api/batch',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({
    // Entries are read one by one, later, since a bad one may not fail the others.
    operations: z
      .array(
        z
          .unknown()
          .meta(z.toJSONSchema(entryFields, { io: 'input' }))
          .transform((entry) => () => entry),
      )
      .min(1, 'must hold at least one operation')
      .max(MAX_OPERATIONS, `must hold ${MAX_OPERATIONS} operations at most`)
      .describe('The operations to run, up to 20.'),
  }),
  output: z.object({
    results: z.array(resultView).describe('In the order of the operations.'),
    count: z.int().describe('The number of results.'),
    failed: z.int().describe('The number of results with a status of 400 or more.'),
  }),
  status: 200,
  errors: ['validation_error'],
  example: {
    input: {
      operations: [{ id: 'a', op: 'search_domain', params: { q: 'petpantry.com' } }],
    },
    output: {
      results: [
        {
          id: 'a',
          op: 'search_domain',
          status: 200,
          body: { query: 'petpantry.com', results: [] },
          cost: 1,
          headers: { 'RateLimit-Limit': '600', 'RateLimit-Remaining': '599' },
        },
      ],
      count: 1,
      failed: 0,
    },
  },
})

type Result = z.output<typeof resultView>

export const listBatchOperations = publicContract({
  name: 'list_batch_operations',
  summary: 'What a batch can hold',
  description:
    'The catalogue of the operations that a batch can hold, with the JSON Schemas of their params.',
  method: 'GET',
  path: '/api/batch',
  rate: 'public',
  cacheSeconds: 300,
  input: z.object({}),
  output: z.object({
    max_operations: z.int().describe('The number of operations that a batch can hold.'),
    operations: z
      .array(
        z.object({
          op: z.string().describe('The name of the operation.'),
          method: z.enum(['GET', 'POST']).describe('The method of a single call.'),
          path: z.string().describe('The path of a single call.'),
          description: z.string().describe('What it does, and when to use it.'),
          params: z.record(z.string(), z.unknown()).describe('The JSON Schema of its input.'),
        }),
      )
      .describe('The operations that a batch can hold.'),
  }),
  status: 200,
  errors: [],
  example: {
    input: {},
    output: {
      max_operations: MAX_OPERATIONS,
      operations: [
        {
          op: 'whois_lookup',
          method: 'POST',
          path: '/api/tools/whois',
          description: 'Who registered a domain.',
          params: {
            type: 'object',
            properties: { domain: { type: 'string' } },
            required: ['domain'],
          },
        },
      ],
    },
  },
})

export function batchCatalogue(operations: readonly PublicRead[]): PublicRead {
  const value = {
    max_operations: MAX_OPERATIONS,
    operations: operations.map((operation) => ({
      op: calledBy(operation),
      method: operation.method,
      path: operation.path,
      description: operation.description,
      params: argumentsSchema(operation),
    })),
  }
  return publicRead({ ...listBatchOperations, handler: async () => value })
}

/** What an operation is called by, beside its path. */
function calledBy({ tool, name }: PublicRead): string {
  return tool ?? name
}

/** The batch as an operation of one request, whose entries are run by what is given. */
export function batchOf(run: (entries: readonly unknown[]) => Promise<Result[]>): PublicRead {
  return publicRead({
    ...runBatch,
    async handler(_context, { operations }) {
      const results = await run((operations as (() => unknown)[]).map((read) => read()))
      const failed = results.filter(({ status }) => status >= 400).length
      return { results, count: results.length, failed }
    },
    // An entry that may succeed when it is asked again is not worth keeping.
    isFinal: ({ results }) => results.every(({ status }) => status < 500 && status !== 429),
  })
}

interface Entry {
  given: unknown
  operation: PublicRead | null
  /** Where the entry stands in its limit; over it, it is not run. */
  admitted: Promise<RateState>
}

interface Together {
  /** What the entries have in common. */
  call: PublicCall
  count(operation: Pick<PublicContract, 'rate'>): Promise<RateState>
}

/** Runs the entries, and responds for every one of them; and where the caller stands after all. */
export async function runEntries(
  app: AppContext,
  web: Web,
  operations: readonly PublicRead[],
  given: readonly unknown[],
  { call, count }: Together,
): Promise<{ results: Result[]; rate: RateState | null }> {
  const byName = new Map(operations.map((operation) => [calledBy(operation), operation]))
  // Counted together before any runs, so that it is the last ones that are over the limit.
  const entries = given.map((entry): Entry => {
    const op = textOf(entry, 'op')
    const operation = (op !== null && byName.get(op)) || null
    const admitted = count(countedAs(operation))
    admitted.catch(() => {})
    return { given: entry, operation, admitted }
  })
  const limit = pLimit(AT_ONCE)
  const results = await Promise.all(entries.map((entry) => limit(() => respond(entry))))
  const shown =
    entries.findLast(({ operation }) => countedAs(operation).rate === 'public') ?? entries.at(-1)
  return { results, rate: (await shown?.admitted) ?? null }

  async function respond({ given, operation, admitted }: Entry): Promise<Result> {
    const outcome = await settle(execute(given, operation, admitted))
    const error = 'error' in outcome ? toApiError(outcome.error) : null
    if (error && error.status >= 500 && 'error' in outcome) {
      app.log.error({ err: outcome.error, request_id: call.requestId }, error.code)
    }
    const rate = await admitted.catch(() => null)
    return {
      id: textOf(given, 'id'),
      op: textOf(given, 'op'),
      status: error?.status ?? operation?.status ?? runBatch.status,
      body:
        'value' in outcome
          ? (outcome.value as Result['body'])
          : errorBody(toApiError(outcome.error), call.requestId),
      cost: COST,
      headers: {
        ...(rate && rateHeaders(rate, call.now)),
        ...deprecationHeaders(operation?.deprecated),
        ...(error && errorHeaders(error, app.settings.baseUrl)),
      },
    }
  }

  async function execute(
    given: unknown,
    operation: PublicRead | null,
    admitted: Promise<RateState>,
  ): Promise<unknown> {
    if (!operation) {
      assertUnderLimit(await admitted, call.now)
      checkInput(entryFields, withoutNulls(given))
      throw invalid({ field: 'op', issue: `is none of ${[...byName.keys()].join(', ')}` })
    }
    const { value } = await web.execute(operation, {
      ...call,
      admit: async () => ({ rate: await admitted }),
      input: () => parseArguments(operation, checkInput(entryFields, withoutNulls(given)).params),
    })
    return value
  }
}

/** An entry that names no operation costs what a wrong path does. */
function countedAs(operation: PublicRead | null): PublicContract {
  return operation ?? runBatch
}

/** A field of an entry of which nothing is known yet. */
function textOf(entry: unknown, field: 'id' | 'op'): string | null {
  if (typeof entry !== 'object' || entry === null || !Object.hasOwn(entry, field)) return null
  const value = (entry as Record<string, unknown>)[field]
  return typeof value === 'string' ? truncate(value, MAX_ID) : null
}
