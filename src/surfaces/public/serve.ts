import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import { type Attempt, KEPT_MS, storedAnswer } from '../../kernel/idempotency.ts'
import type { PublicContract, PublicRead } from '../../kernel/operation.ts'
import { answerOnce } from '../../kernel/repeatable-read.ts'
import { queryPairs } from '../../lib/canonical-query.ts'
import {
  type ChangeInput,
  changeDomains,
  runChange,
} from '../../modules/holdings/change-domains.ts'
import { isCharged, renewDomains } from '../../modules/holdings/renew-domains.ts'
import { bodyOf, rawQueryOf, readInput, refuseUnreadable } from '../input.ts'
import { addressOf, type Web } from '../web.ts'
import { apiIndex, readIndex } from './api-index.ts'
import { attemptOf } from './attempt.ts'
import { authenticateCaller, type VerifyToken } from './authenticate.ts'
import { answerBatch, catalogue, listBatchOperations, runBatch } from './batch.ts'
import { identifyOwner } from './bulk.ts'
import { allowOrigins, answerPreflight, cacheHeaders, deprecationHeaders } from './headers.ts'
import { NDJSON, prefersRows, rowLines } from './rows.ts'
import { type Call, createRun, newCall } from './run.ts'

export interface PublicOptions {
  operations: readonly PublicRead[]
  verifyToken: VerifyToken
  strict: boolean
  deadlineMs: number
}

/** What a path answers with: one value, or rows as they become known. */
interface Reply {
  value: unknown
  /** False when a repeat may get a better answer. */
  isFinal: boolean
}
type Work = (input: Record<string, unknown>) => Promise<Reply>

/** How an answer is kept for repeats, and what comes before a repeat is answered. */
interface Once {
  keptMs?: number
  onReplay?(): Promise<void>
}

/** Serves every public operation at its own path, the batch of them, and the index. */
export function servePublicApi(
  app: FastifyInstance,
  house: House,
  web: Web,
  { operations, verifyToken, strict, deadlineMs }: PublicOptions,
): void {
  const run = createRun(house, web, strict)
  const methods = new Map<string, Set<string>>()
  allowOrigins(app)
  for (const operation of operations) {
    route(operation, async (request, reply, call) => {
      await run.admit(operation, call, request)
      if (prefersRows(operation, request.headers.accept)) {
        return await sendRows(operation, request, reply, call)
      }
      return await send(operation, request, reply, call, async (input) => ({
        value: await run.answer(operation, input, call),
        isFinal: true,
      }))
    })
  }
  route(runBatch, async (request, reply, call) => {
    let hasRun = false
    // Its entries count, each as its call does; a batch that runs none counts as one request.
    const admitUnrun = async () => {
      if (!hasRun) await run.admit(runBatch, call, request)
    }
    const work: Work = async (input) => {
      hasRun = true
      const entries = input.operations as (() => unknown)[]
      const batch = await answerBatch(house, run, operations, entries, request, call)
      request.rate = batch.rate
      return { value: batch.answer, isFinal: batch.isFinal }
    }
    try {
      return await send(runBatch, request, reply, call, work, { onReplay: admitUnrun })
    } catch (error) {
      await admitUnrun()
      throw error
    }
  })
  route(listBatchOperations, async (request, reply, call) => {
    await run.admit(listBatchOperations, call, request)
    const value = catalogue(operations)
    return await send(listBatchOperations, request, reply, call, async () => ({
      value,
      isFinal: true,
    }))
  })
  route(changeDomains, async (request, reply, call) => {
    const userId = await identifyOwner(house, request, call).catch(async (error: unknown) => {
      await web.countUnauthenticated(request, call.now)
      throw error
    })
    await run.admit(changeDomains, call, request)
    const caller = { userId, requestId: request.id }
    const attempt = attemptOf(request, call.client)
    const input = (await readOr(changeDomains, request, attempt)) as ChangeInput
    if (!isCharged(input)) {
      return await web.sendWrite(changeDomains, reply, call.now, attempt, (context) =>
        runChange(context, caller, input),
      )
    }
    // Its charge needs the network, which a write has not.
    return await send(
      changeDomains,
      request,
      reply,
      call,
      () => renewDomains(house, caller, input, attempt),
      { keptMs: KEPT_MS },
    )
  })
  route(apiIndex, async (request, reply, call) => {
    await run.admit(apiIndex, call, request)
    return await send(apiIndex, request, reply, call, async () => ({
      value: readIndex(operations, house.settings.baseUrl, call),
      isFinal: true,
    }))
  })
  for (const [url, served] of methods) {
    app.options(url, async (request, reply) => {
      await web.countUnauthenticated(request, house.clock.now())
      return answerPreflight(reply, [...served].join(', '))
    })
  }

  /** What is the same behind every path: who calls, and what is announced. */
  function route(
    contract: PublicContract,
    handler: (request: FastifyRequest, reply: FastifyReply, call: Call) => Promise<unknown>,
  ): void {
    const url = contract.path.replace(/\{(\w+)\}/g, ':$1')
    const served = methods.get(url) ?? new Set()
    methods.set(url, served)
    served.add(contract.method)
    if (contract.method === 'GET') served.add('HEAD')
    web.route(app, contract, '', async (request, reply) => {
      const now = house.clock.now()
      reply.headers({ 'cache-control': 'no-store', ...deprecationHeaders(contract.deprecated) })
      const caller = await identify(request, now)
      return await handler(request, reply, newCall(caller, addressOf(request), now, deadlineMs))
    })
  }

  async function identify(request: FastifyRequest, now: Date) {
    try {
      return await authenticateCaller(request, verifyToken)
    } catch (error) {
      await web.countUnauthenticated(request, now)
      throw error
    }
  }

  async function send(
    contract: PublicContract,
    request: FastifyRequest,
    reply: FastifyReply,
    call: Call,
    work: Work,
    once?: Once,
  ): Promise<FastifyReply> {
    const attempt = attemptOf(request, call.client)
    const input = await readOr(contract, request, attempt)
    if (!attempt) {
      const { value } = await work(input)
      reply.headers(cacheHeaders(contract, call.caller))
      return web.send(contract, request, reply, value)
    }
    const answer = async () => {
      const { value, isFinal } = await work(input)
      return { status: contract.status, body: JSON.stringify(value), isFinal }
    }
    return await sendOnce(reply, attempt, answer, once)
  }

  async function sendRows(
    operation: PublicRead,
    request: FastifyRequest,
    reply: FastifyReply,
    call: Call,
  ): Promise<FastifyReply> {
    const attempt = attemptOf(request, call.client)
    const input = await readOr(operation, request, attempt)
    const rows = () => run.rows(operation, input, call)
    if (!attempt) {
      const lines = await rowLines(rows(), request)
      reply.headers(cacheHeaders(operation, call.caller))
      return reply.header('content-type', NDJSON).send(Readable.from(lines))
    }
    // What is to be given again must be whole before it is given once.
    return await sendOnce(reply, attempt, async () => {
      const lines: string[] = []
      for await (const row of rows()) lines.push(`${JSON.stringify(row)}\n`)
      return { status: operation.status, body: lines.join(''), media_type: NDJSON, isFinal: true }
    })
  }

  async function sendOnce(
    reply: FastifyReply,
    attempt: Attempt,
    work: Parameters<typeof answerOnce>[2],
    { keptMs, onReplay }: Once = {},
  ): Promise<FastifyReply> {
    const answer = await answerOnce(house, attempt, work, keptMs)
    if (answer.replayed) {
      await onReplay?.()
      reply.header('idempotent-replayed', 'true')
    }
    return (
      reply
        .code(answer.status)
        .header('content-type', answer.media_type ?? 'application/json; charset=utf-8')
        // As bytes: of text the framework would say its encoding, which the first answer may not have.
        .send(Buffer.from(answer.body))
    )
  }

  async function readOr(
    contract: PublicContract,
    request: FastifyRequest,
    attempt: Attempt | null,
  ): Promise<Record<string, unknown>> {
    refuseUnreadable(request.raw)
    try {
      return readInput(contract, {
        pathParameters: request.params as Record<string, string>,
        query: queryPairs(rawQueryOf(request)),
        body: bodyOf(request),
      })
    } catch (error) {
      // A key that was used for another body comes before what is wrong with this one.
      if (attempt) await storedAnswer(house.db, attempt)
      throw error
    }
  }
}
