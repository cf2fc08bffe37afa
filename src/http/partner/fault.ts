import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../../core/errors.ts'
import { SECOND } from '../../lib/clock.ts'
import { sha256Hex } from '../../lib/signature.ts'
import type { Web } from '../web.ts'

export const FAULT_HEADER = 'X-Sandbox-Fault'
const FAULT =
  /^(?<kind>drop_after_commit|429|503|delay=(?<seconds>\d{1,2}(?:\.\d{1,3})?)s)(?:; *times=(?<times>[1-9]\d?))?$/
const MAX_DELAY_SECONDS = 60
const RETRY_AFTER_SECONDS = 1

/** What is to become of a response that is ready. */
type ResponseFault = { kind: 'drop' } | { kind: 'delay'; ms: number }

declare module 'fastify' {
  interface FastifyRequest {
    fault: ResponseFault | null
  }
}

/** Whether what becomes of a request may be what it asked for, which says nothing of the service. */
export function asksForFault({ headers, partner }: FastifyRequest): boolean {
  return partner?.environment === 'sandbox' && FAULT_HEADER.toLowerCase() in headers
}

/**
 * The faults that a sandbox request may ask for, so that a partner can see its retries work:
 * `429`, `503`, `delay=2s` or `drop_after_commit`, with `; times=3` for more than the first. What comes
 * again within a minute with the same method, target and Idempotency-Key is a repeat, and meets no fault
 * once it was met so often.
 */
export async function planFault(
  request: FastifyRequest,
  header: string,
  web: Web,
  now: Date,
): Promise<ResponseFault | null> {
  const { environment, keyId } = request.partner ?? {}
  if (environment !== 'sandbox') {
    throw invalid({ field: FAULT_HEADER, issue: 'is for sandbox credentials only' })
  }
  const { kind, seconds, times = '1' } = FAULT.exec(header)?.groups ?? {}
  if (kind === undefined || Number(seconds ?? 0) > MAX_DELAY_SECONDS) {
    throw invalid({
      field: FAULT_HEADER,
      issue:
        `must be 429, 503, drop_after_commit, or delay=2s with ${MAX_DELAY_SECONDS} s at most, ` +
        'and may end with ; times=3 (1 to 99)',
    })
  }
  const { method, url, headers } = request
  const alike = JSON.stringify([keyId, method, url, headers['idempotency-key'], kind])
  const { used } = await web.count({ subject: `fault:${sha256Hex(alike)}`, limit: 0, now })
  if (used > Number(times)) return null
  const message = `${FAULT_HEADER} asked for this response (${used} of ${times}). Nothing was done.`
  const retry = { retryAfter: RETRY_AFTER_SECONDS }
  if (kind === '429') throw new ApiError('rate_limited', message, retry)
  if (kind === '503') throw new ApiError('unavailable', message, retry)
  return seconds ? { kind: 'delay', ms: Number(seconds) * SECOND } : { kind: 'drop' }
}

/** Does to a response what its request asked for; the delay ends when the service stops. */
export async function playFault(
  fault: ResponseFault,
  reply: FastifyReply,
  stopping: AbortSignal,
): Promise<void> {
  if (fault.kind === 'delay') {
    await sleep(fault.ms, undefined, { signal: stopping }).catch(() => {})
  }
  // The connection ends before its response; an error has nothing to drop.
  if (fault.kind === 'drop' && reply.statusCode < 400) reply.raw.socket?.destroy()
}
