import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { PublicContract, PublicRead } from '../../kernel/operation.ts'
import { queryPairs } from '../../lib/canonical-query.ts'
import { readInput, refuseUnreadable } from '../input.ts'
import { addressOf, type Web } from '../web.ts'
import { apiIndex, readIndex } from './api-index.ts'
import { authenticateCaller, type VerifyToken } from './authenticate.ts'
import { allowOrigins, answerPreflight, cacheHeaders, deprecationHeaders } from './headers.ts'
import { type Call, createRun, newCall } from './run.ts'

export interface PublicOptions {
  operations: readonly PublicRead[]
  verifyToken: VerifyToken
  strict: boolean
}

/** Serves every public operation at its own path. */
export function servePublicApi(
  app: FastifyInstance,
  house: House,
  web: Web,
  { operations, verifyToken, strict }: PublicOptions,
): void {
  const run = createRun(house, web, strict)
  const methods = new Map<string, Set<string>>()
  allowOrigins(app)
  for (const operation of operations) {
    route(operation, (request, reply, call) => serve(operation, request, reply, call))
  }
  route(apiIndex, async (request, reply, call) => {
    await run.admit(apiIndex, call, request)
    const answer = readIndex(operations, house.settings.baseUrl, call)
    reply.headers(cacheHeaders(apiIndex, call.caller))
    return web.send(apiIndex, request, reply, answer)
  })
  for (const [url, served] of methods) {
    app.options(url, async (_request, reply) => answerPreflight(reply, [...served].join(', ')))
  }

  /** What is the same behind every door: who calls, and what may be kept of the answer. */
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
      const call = newCall(caller, addressOf(request), now)
      return await handler(request, reply, call)
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

  async function serve(
    operation: PublicRead,
    request: FastifyRequest,
    reply: FastifyReply,
    call: Call,
  ): Promise<FastifyReply> {
    await run.admit(operation, call, request)
    refuseUnreadable(request.method, request.headers)
    const input = readInput(operation, {
      pathParameters: request.params as Record<string, string>,
      query: queryPairs(request.raw.url?.split('?').slice(1).join('?') ?? ''),
      body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
    })
    const answer = await run.answer(operation, input, call)
    reply.headers(cacheHeaders(operation, call.caller))
    return web.send(operation, request, reply, answer)
  }
}
