import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { SECOND } from '../../lib/clock.ts'
import { sha256Hex } from '../../lib/signature.ts'
import type { Credential } from '../../modules/partners/credential.ts'
import type { Web } from '../web.ts'

export const FAULT_HEADER = 'X-Sandbox-Fault'
const FAULT =
  /^(?<kind>drop_after_commit|429|503|delay=(?<seconds>\d{1,2}(?:\.\d{1,3})?)s)(?:; *times=(?<times>[1-9]\d?))?$/
const MAX_DELAY_SECONDS = 60
const RETRY_AFTER_SECONDS = 1

/** What is to become of an answer that is ready. */
type AnswerFault = { kind: 'drop' } | { kind: 'delay'; ms: number }

declare module 'fastify' {
  interface FastifyRequest {
    fault: AnswerFault | null
  }
}

/**
 * The faults that a sandbox request may ask for, so that a partner can see its retries work:
 * `429`, `503`, `delay=2s` or `drop_after_commit`, with `; times=3` for more than the first. What comes
 * again within a minute with the same method, target and Idempotency-Key is a repeat, and meets no fault
 * once it was met so often.
 */
export function createFaults(
  app: FastifyInstance,
  web: Web,
): (request: FastifyRequest, credential: Credential, now: Date) => Promise<void> {
  const closing = new AbortController()
  app.decorateRequest('fault', null)
  app.addHook('preClose', async () => closing.abort())
  app.addHook('onSend', async ({ fault }, reply) => {
    if (fault?.kind === 'delay') {
      await sleep(fault.ms, undefined, { signal: closing.signal }).catch(() => {})
    }
    // The connection ends before its answer; what refuses has nothing to drop.
    if (fault?.kind === 'drop' && reply.statusCode < 400) reply.raw.socket?.destroy()
  })

  return async (request, { environment, keyId }, now) => {
    const header = request.headers[FAULT_HEADER.toLowerCase()]
    if (header === undefined) return
    if (environment !== 'sandbox') {
      throw invalid({ field: FAULT_HEADER, issue: 'is for sandbox credentials only' })
    }
    const { kind, seconds, times = '1' } = FAULT.exec(String(header))?.groups ?? {}
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
    if (used > Number(times)) return
    const message = `${FAULT_HEADER} asked for this answer (${used} of ${times}). Nothing was done.`
    const retry = { retryAfter: RETRY_AFTER_SECONDS }
    if (kind === '429') throw new Refusal('rate_limited', message, retry)
    if (kind === '503') throw new Refusal('unavailable', message, retry)
    request.fault = seconds ? { kind: 'delay', ms: Number(seconds) * SECOND } : { kind: 'drop' }
  }
}
