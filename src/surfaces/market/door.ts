import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { Caller, PublicContract, PublicRead } from '../../kernel/operation.ts'
import type { SignedIn } from '../../modules/accounts/session.ts'
import { readSession } from '../accounts/cookie.ts'
import { parseInput } from '../input.ts'
import { type Query, queryOf } from '../pages/query.ts'
import { type Call, createRun, newCall } from '../public/run.ts'
import { addressOf, type Web } from '../web.ts'

/** A request for a page that anybody may see. */
export interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: SignedIn | null
  /** The visitor as a caller of the public operations: who has signed in sees what a token shows. */
  call: Call
  query: Query
  params: Record<string, string>
}

export interface DoorOptions {
  strict: boolean
  deadlineMs: number
}

/** The pages' door to the public operations: limits, checks and masks are the API's own. */
export interface Door {
  route(
    method: 'GET' | 'POST',
    path: string,
    operation: string,
    work: (visit: Visit) => Promise<FastifyReply>,
  ): void
  /** An operation's answer; refused as the API would refuse it. */
  ask<Answer>(operation: PublicRead, input: object, call: Call): Promise<Answer>
  /** The answer row by row, as it becomes known. */
  rows<Row>(operation: PublicRead, input: object, call: Call): AsyncIterable<Row>
  /** Counts a call that the page makes beside being shown, in the operation's own limit. */
  admit(operation: Pick<PublicContract, 'rate'>, call: Call): Promise<void>
}

export function openDoor(
  app: FastifyInstance,
  house: House,
  web: Web,
  { strict, deadlineMs }: DoorOptions,
): Door {
  const run = createRun(house, web, strict)
  return {
    route(method, url, operation, work) {
      app.route({
        method,
        url,
        config: { page: true, operation },
        handler: async (request, reply) => {
          const session = await readSession(request, house)
          const caller: Caller = session
            ? { kind: 'user', subject: session.user.id, via: 'session' }
            : { kind: 'anonymous' }
          const call = newCall(caller, addressOf(request), house.clock.now(), deadlineMs)
          await run.admit({ rate: 'public' }, call, request)
          const params = request.params as Record<string, string>
          return await work({ request, reply, session, call, query: queryOf(request), params })
        },
      })
    },
    ask: async <Answer>(operation: PublicRead, input: object, call: Call) =>
      (await run.answer(operation, parseInput(operation, input), call)) as Answer,
    rows: <Row>(operation: PublicRead, input: object, call: Call) =>
      run.rows(operation, parseInput(operation, input), call) as AsyncIterable<Row>,
    admit: (operation, call) => run.admit(operation, call),
  }
}
