import { setMaxListeners } from 'node:events'
import type { FastifyRequest } from 'fastify'
import type { PublicCaller, UserCaller } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { PublicContract } from '../../core/contract.ts'
import type { RateState } from '../../core/rate-limits.ts'
import { SECOND } from '../../lib/clock.ts'
import { addressOf, type Web } from '../web.ts'

/** How long a caller waits at most; one deadline for all entries of a batch. */
export const DEADLINE_MS = 15 * SECOND

/** What the calls of one request to public operations have in common. */
export interface PublicCall {
  caller: PublicCaller
  /** Whose limits and idempotency keys these are: a client address, or a token's subject. */
  client: string
  now: Date
  requestId: string
  /** Aborts at the deadline. */
  signal: AbortSignal
}

export function newPublicCall(
  request: FastifyRequest,
  caller: PublicCaller,
  now: Date,
  deadlineMs: number,
): PublicCall {
  const client = caller.kind === 'user' ? clientOfUser(caller) : addressOf(request)
  const known = caller.kind === 'user' ? caller : { ...caller, address: client }
  return { caller: known, client, now, requestId: request.id, signal: signalAfter(deadlineMs) }
}

let latest = { signal: new AbortController().signal, deadlineMs: 0, startedAt: 0 }

/**
 * Calls that start within a hundredth of their deadline share a signal: each of its own would stay in
 * memory, with its timer, for as long as the deadline.
 */
function signalAfter(deadlineMs: number): AbortSignal {
  const startedAt = performance.now()
  if (latest.deadlineMs !== deadlineMs || startedAt - latest.startedAt > deadlineMs / 100) {
    latest = { signal: AbortSignal.timeout(deadlineMs), deadlineMs, startedAt }
    setMaxListeners(0, latest.signal)
  }
  return latest.signal
}

export function clientOfUser({ subject }: UserCaller): string {
  return `user:${subject}`
}

/** Counts a call against the limit that its operation names. */
export type CountCall = (
  operation: Pick<PublicContract, 'rate'>,
  call: Pick<PublicCall, 'client' | 'now'>,
) => Promise<RateState>

export function callCounter({ settings }: Pick<AppContext, 'settings'>, web: Web): CountCall {
  const limits = {
    public: settings.rateLimits.publicPerMinute,
    whois: settings.rateLimits.whoisPerMinute,
  }
  return ({ rate }, { client, now }) => {
    const subject = rate === 'public' ? client : `${rate}:${client}`
    return web.count({ subject, limit: limits[rate], now })
  }
}
