import type { FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import { z } from 'zod'
import { errorBody, invalid } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { PublicContract, PublicRead } from '../../kernel/operation.ts'
import { rateHeaders } from '../../kernel/rate-limits.ts'
import { beginning } from '../../lib/beginning.ts'
import { checkInput, parseInput, withoutNulls } from '../input.ts'
import { settle } from '../perform.ts'
import { asRefusal, refusalHeaders } from '../refusals.ts'
import { deprecationHeaders } from './headers.ts'
import type { Call, Run } from './run.ts'

const MAX_OPERATIONS = 20
/** So many entries of a batch at once: one caller does not take all connections. */
const AT_ONCE = 8
/** Every call counts once; see `rate` of the operations for the limit that it counts against. */
const COST = 1
const MAX_ID = 200

const entryFields = z.object({
  id: z.string().max(MAX_ID),
  op: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
})

const resultView = z.object({
  id: z.string().nullable().describe('As given; null when the entry had none.'),
  op: z.string().nullable(),
  status: z.int().describe('What the single call would have answered.'),
  body: z
    .record(z.string(), z.unknown())
    .describe("The single call's answer, or an error of the usual form."),
  cost: z.int().describe('How many requests the entry counted as.'),
  headers: z
    .record(z.string(), z.string())
    .describe('The header fields of the single call: where it stands in its limit, when to retry.'),
})

export const runBatch = {
  name: 'run_batch',
  summary: 'Up to 20 reads in one request',
  description:
    'Runs up to 20 operations at once, each as its single call would: with its own status, its own ' +
    'error and its own count against the limits. A bad entry fails alone. GET on this path lists the ' +
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
      .max(MAX_OPERATIONS, `must hold ${MAX_OPERATIONS} operations at most`),
  }),
  output: z.object({
    results: z.array(resultView).describe('In the order of the operations.'),
    count: z.int(),
    failed: z.int().describe('How many have a status of 400 or more.'),
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
} as const satisfies PublicContract

type Result = z.output<typeof resultView>

export const listBatchOperations = {
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
    max_operations: z.int(),
    operations: z.array(
      z.object({
        op: z.string(),
        method: z.enum(['GET', 'POST']),
        path: z.string(),
        description: z.string(),
        params: z.record(z.string(), z.unknown()).describe('A JSON Schema.'),
      }),
    ),
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
} as const satisfies PublicContract

export function catalogue(
  operations: readonly PublicRead[],
): z.output<typeof listBatchOperations.output> {
  return {
    max_operations: MAX_OPERATIONS,
    operations: operations.map(({ name, method, path, description, input }) => ({
      op: name,
      method,
      path,
      description,
      params: z.toJSONSchema(input, { io: 'input' }),
    })),
  }
}

interface Batch {
  answer: z.output<typeof runBatch.output>
  /** False when an entry may succeed if it is asked again: such an answer is not worth keeping. */
  isFinal: boolean
  /** The batch shows where its caller stands after all entries. */
  rate: Call['rate']
}

interface Entry {
  given: unknown
  operation: PublicRead | null
  call: Call
}

/** Runs the entries, and answers for every one of them. */
export async function answerBatch(
  house: House,
  run: Run,
  operations: readonly PublicRead[],
  given: readonly (() => unknown)[],
  request: FastifyRequest,
  call: Call,
): Promise<Batch> {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  const entries = given.map((read): Entry => {
    const entry = read()
    const op = textOf(entry, 'op')
    const operation = (op !== null && byName.get(op)) || null
    return { given: entry, operation, call: { ...call, rate: null } }
  })
  // Counted together before any runs, so that it is the last ones that are over the limit.
  const admissions = entries.map((entry) => settle(run.admit(countedAs(entry), entry.call)))
  const limit = pLimit(AT_ONCE)
  const results = await Promise.all(
    entries.map((entry, index) => limit(() => answerEntry(entry, admissions[index]))),
  )
  const shown = entries.findLast((entry) => countedAs(entry).rate === 'public') ?? entries.at(-1)
  return {
    answer: {
      results,
      count: results.length,
      failed: results.filter(({ status }) => status >= 400).length,
    },
    isFinal: results.every(({ status }) => status < 500 && status !== 429),
    rate: shown?.call.rate ?? null,
  }

  async function answerEntry(entry: Entry, admission: Settled | undefined): Promise<Result> {
    const outcome = await settle(answerAdmitted(entry, admission))
    const isAnswer = 'value' in outcome
    const refusal = isAnswer ? null : asRefusal(outcome.error)
    if (refusal && refusal.status >= 500 && !isAnswer) {
      request.log.error({ err: outcome.error }, refusal.code)
    }
    const { rate, now } = entry.call
    return {
      id: textOf(entry.given, 'id'),
      op: textOf(entry.given, 'op'),
      status: refusal?.status ?? entry.operation?.status ?? runBatch.status,
      body: isAnswer
        ? (outcome.value as Result['body'])
        : errorBody(asRefusal(outcome.error), request.id),
      cost: COST,
      headers: {
        ...(rate && rateHeaders(rate, now)),
        ...deprecationHeaders(entry.operation?.deprecated),
        ...(refusal && refusalHeaders(refusal, house.settings.baseUrl)),
      },
    }
  }

  async function answerAdmitted(
    { given, operation, call }: Entry,
    admission: Settled | undefined,
  ): Promise<unknown> {
    const admitted = await admission
    if (admitted && 'error' in admitted) throw admitted.error
    const { params } = checkInput(entryFields, withoutNulls(given))
    if (!operation) {
      const known = [...byName.keys()].join(', ')
      throw invalid({ field: 'op', issue: `is none of ${known}` })
    }
    return await run.answer(operation, parseInput(operation, params), call)
  }
}

type Settled = ReturnType<typeof settle<void>>

/** An entry that names no operation costs what a wrong path does. */
function countedAs({ operation }: Entry): PublicContract {
  return operation ?? runBatch
}

/** A field of an entry of which nothing is known yet. */
function textOf(entry: unknown, field: 'id' | 'op'): string | null {
  if (typeof entry !== 'object' || entry === null || !Object.hasOwn(entry, field)) return null
  const value = (entry as Record<string, unknown>)[field]
  return typeof value === 'string' ? beginning(value, MAX_ID) : null
}
