import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicCaller } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { PublicContract } from '../../core/contract.ts'
import type { PublicRead } from '../../core/operation.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import type { SignedIn } from '../../domain/accounts/session.ts'
import type { NameViews } from '../../domain/listings/name-days.ts'
import { parseInput } from '../../http/input.ts'
import { callCounter, newPublicCall, type PublicCall } from '../../http/public/call.ts'
import { collectRows } from '../../http/public/rows.ts'
import { readSession } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { type Query, queryOf } from '../layout/query.ts'

/** A request for a page that anybody may see. */
export interface PageContext {
  request: FastifyRequest
  reply: FastifyReply
  session: SignedIn | null
  /** The visitor as a caller of the public operations: who has signed in sees what a token shows. */
  call: PublicCall
  query: Query
  params: Record<string, string>
}

export interface PublicPagesOptions {
  deadlineMs: number
  views: NameViews
}

/** The pages' door to the public operations: limits, checks and masks are the API's own. */
export interface PublicPages {
  route(
    method: 'GET' | 'POST',
    path: string,
    operation: string,
    work: (page: PageContext) => Promise<FastifyReply>,
  ): void
  /** An operation's response; rejected as the API would reject it. */
  ask<Result>(operation: PublicRead, input: object, call: PublicCall): Promise<Result>
  /** The response row by row, as it becomes known. */
  rows<Row>(operation: PublicRead, input: object, call: PublicCall): AsyncIterable<Row>
  /** Counts a call that the page makes beside being shown, in the operation's own limit. */
  admit(operation: Pick<PublicContract, 'rate'>, call: PublicCall): Promise<void>
}

export function createPublicPages(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  { deadlineMs }: PublicPagesOptions,
): PublicPages {
  const count = callCounter(app, web)

  return {
    route(method, url, operation, work) {
      fastify.route({
        method,
        url,
        config: { page: true, operation },
        handler: async (request, reply) => {
          const session = await readSession(request, app)
          const caller: PublicCaller = session
            ? { kind: 'user', subject: session.user.id, via: 'session' }
            : { kind: 'anonymous', priced: app.settings.pagePrices === 'shown' }
          const call = newPublicCall(request, caller, app.clock.now(), deadlineMs)
          request.rate = await count({ rate: 'public' }, call)
          assertUnderLimit(request.rate, call.now)
          const params = request.params as Record<string, string>
          return await work({ request, reply, session, call, query: queryOf(request), params })
        },
      })
    },
    async ask<Result>(operation: PublicRead, input: object, call: PublicCall) {
      const executed = await web.execute(operation, {
        ...call,
        input: () => parseInput(operation, input),
      })
      return executed.value as Result
    },
    async *rows<Row>(operation: PublicRead, input: object, call: PublicCall) {
      const rows = await web.executeRows(
        operation,
        { ...call, input: () => parseInput(operation, input) },
        collectRows,
      )
      if (!('body' in rows)) yield* rows as AsyncIterable<Row>
    },
    async admit(operation, call) {
      assertUnderLimit(await count(operation, call), call.now)
    },
  }
}
