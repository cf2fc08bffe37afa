import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { PublicCaller } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { PublicContract } from '../../core/contract.ts'
import type { Call } from '../../core/execute.ts'
import type { Executed } from '../../core/executed.ts'
import type { PublicRead, UserOperation } from '../../core/operation.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import { queryPairs } from '../../lib/canonical-query.ts'
import { bodyOf, rawQueryOf, readInput, rejectUnreadable } from '../input.ts'
import type { Web } from '../web.ts'
import { apiIndexOf } from './api-index.ts'
import { authenticateCaller, type VerifyToken } from './authenticate.ts'
import { batchCatalogue, batchOf, runBatch, runEntries } from './batch.ts'
import { identifyOwner } from './bulk.ts'
import { callCounter, clientOfUser, newPublicCall, type PublicCall } from './call.ts'
import { allowOrigins, cacheHeaders, deprecationHeaders, handlePreflight } from './headers.ts'
import { idempotencyOf } from './idempotency.ts'
import { USER_OPERATIONS } from './operations.ts'
import { collectRows, NDJSON, onLines, prefersRows, rowLines } from './rows.ts'

/** All of it is below this path, as are the partner's and the operator's APIs, which are not public. */
const PREFIX = '/api'

export interface PublicOptions {
  operations: readonly PublicRead[]
  verifyToken: VerifyToken
  deadlineMs: number
}

/** Serves every public operation at its own path, the batch of them, bulk changes, and the index. */
export function servePublicApi(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  { operations, verifyToken, deadlineMs }: PublicOptions,
): void {
  const { clock } = app
  const count = callCounter(app, web)

  fastify.register(
    async (scope) => {
      allowOrigins(scope)
      // What is not found here is for any origin to read too.
      scope.setNotFoundHandler(() => {})
      const methods = new Map<string, Set<string>>()
      const route = (contract: PublicContract, work: Work, before?: Before) => {
        const path = contract.path.slice(PREFIX.length)
        const served = methods.get(path) ?? new Set()
        methods.set(path, served.add(contract.method))
        if (contract.method === 'GET') served.add('HEAD')
        const handler = async (request: FastifyRequest, reply: FastifyReply) => {
          reply.headers({
            'cache-control': 'no-store',
            ...deprecationHeaders(contract.deprecated),
          })
          return await work(request, reply, await identify(request))
        }
        web.route(scope, contract, path, handler, before)
      }
      for (const operation of [...operations, batchCatalogue(operations), apiIndexOf(operations)]) {
        route(operation, (...call) => serveRead(operation, ...call))
      }
      route(runBatch, serveBatch)
      for (const operation of USER_OPERATIONS) {
        const rejectStranger = async (request: FastifyRequest) => {
          await ownerOf(operation, request, await identify(request))
        }
        // Of strangers no large body is taken in.
        const before = 'bodyLimit' in operation ? rejectStranger : undefined
        route(operation, (...call) => serveUser(operation, ...call), before)
      }
      for (const [path, served] of methods) {
        scope.options(path.replace(/\{(\w+)\}/g, ':$1'), async (request, reply) => {
          await web.countUnauthenticated(request, clock.now())
          return handlePreflight(reply, [...served].join(', '))
        })
      }
    },
    { prefix: PREFIX },
  )

  async function serveRead(
    operation: PublicRead,
    request: FastifyRequest,
    reply: FastifyReply,
    known: PublicCall,
  ): Promise<FastifyReply> {
    const call = callOf(operation, request, known)
    if (!prefersRows(operation, request.headers.accept)) {
      const executed = await web.execute(
        operation,
        operation.rows ? { ...call, write: onLines } : call,
      )
      return send(operation, request, reply, known, executed)
    }
    const rows = await web.executeRows(operation, call, collectRows)
    if ('body' in rows) return send(operation, request, reply, known, rows)
    const lines = await rowLines(rows, request)
    reply.headers(cacheHeaders(operation, known.caller))
    return reply.header('content-type', NDJSON).send(Readable.from(lines))
  }

  /** Its entries count, each as its call does; a batch that runs none counts as one request. */
  async function serveBatch(request: FastifyRequest, reply: FastifyReply, known: PublicCall) {
    let hasRun = false
    const batch = batchOf(async (entries) => {
      hasRun = true
      const { results, rate } = await runEntries(app, web, operations, entries, {
        call: known,
        count: (operation) => count(operation, known),
      })
      request.rate = rate
      return results
    })
    try {
      // Its deadline is for its entries, each by itself.
      const { admit: _, signal: __, ...call } = callOf(batch, request, known)
      return send(batch, request, reply, known, await web.execute(batch, call))
    } finally {
      if (!hasRun) {
        request.rate = await count(batch, known)
        assertUnderLimit(request.rate, known.now)
      }
    }
  }

  async function serveUser(
    operation: UserOperation,
    request: FastifyRequest,
    reply: FastifyReply,
    known: PublicCall,
  ) {
    const caller = await ownerOf(operation, request, known)
    const owner = { ...known, caller, client: clientOfUser(caller) }
    const executed = await web.execute(operation, callOf(operation, request, owner))
    return send(operation, request, reply, owner, executed)
  }

  async function ownerOf(operation: UserOperation, request: FastifyRequest, known: PublicCall) {
    try {
      return await identifyOwner(app, request, known.caller, operation)
    } catch (error) {
      await web.countUnauthenticated(request, known.now)
      throw error
    }
  }

  async function identify(request: FastifyRequest): Promise<PublicCall> {
    const now = clock.now()
    try {
      const caller = await authenticateCaller(request, verifyToken)
      return newPublicCall(request, caller, now, deadlineMs)
    } catch (error) {
      await web.countUnauthenticated(request, now)
      throw error
    }
  }

  function callOf<I extends z.ZodObject, Who extends PublicCaller>(
    operation: PublicContract<I>,
    request: FastifyRequest,
    known: PublicCall & { caller: Who },
  ): Call<Who, z.output<I>> {
    return {
      ...known,
      idempotency: () => idempotencyOf(request, known.client, known.caller.kind === 'anonymous'),
      input() {
        rejectUnreadable(request.raw)
        return readInput(operation, {
          pathParameters: request.params as Record<string, string>,
          query: queryPairs(rawQueryOf(request)),
          body: bodyOf(request),
        })
      },
      async admit() {
        request.rate = await count(operation, known)
        return { rate: request.rate }
      },
    }
  }

  /** What is kept for repeats is no cache's to keep. */
  function send(
    contract: PublicContract,
    request: FastifyRequest,
    reply: FastifyReply,
    { caller }: PublicCall,
    executed: Executed,
  ): FastifyReply {
    if (idempotencyOf(request, '') === null) reply.headers(cacheHeaders(contract, caller))
    return web.send(contract, request, reply, executed)
  }
}

type Before = (request: FastifyRequest) => Promise<void>
type Work = (request: FastifyRequest, reply: FastifyReply, call: PublicCall) => Promise<unknown>
