import type { House } from '../../kernel/house.ts'
import type { Tx } from '../../kernel/operation.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { BlockedAddress, DeadlinePassed } from '../../lib/guarded-http.ts'
import { newId } from '../../lib/ids.ts'
import type { Claimed } from './claim-deliveries.ts'
import { addressPolicy } from './webhook-endpoint.ts'
import { signatureHeaders } from './webhook-signature.ts'

/** How long after the end of each failed attempt the next one comes (contract, section 12). */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
const JITTER = 0.2
const ANSWER_WITHIN_MS = 5 * SECOND
const GIVE_UP_AFTER_MS = 5 * DAY
/** A receiver cannot put an attempt off for longer than the longest delay. */
const MAX_RETRY_AFTER_MS = DAY

export interface Outcome {
  status: number | null
  error: string | null
  retryAfterMs: number
  durationMs: number
}

/** Someone else has taken the delivery over meanwhile. */
export class LeaseLost extends Error {}

/** One attempt. Never throws: whatever goes wrong is its outcome. */
export async function sendDelivery(house: House, delivery: Claimed): Promise<Outcome> {
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  const body = JSON.stringify({
    id: delivery.event_id,
    type: delivery.type,
    created_at: delivery.created_at.toISOString(),
    partner_id: delivery.partner_id,
    data: delivery.data,
  })
  const purpose = `webhook ${delivery.partner_id} ${delivery.environment}`
  const secret = house.secrets.open(delivery.secret_sealed, purpose)
  const now = Math.floor(house.clock.now().getTime() / SECOND)
  try {
    const { status, headers } = await house.http.request(
      delivery.url,
      addressPolicy(house, delivery.environment),
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'domain-marketplace-webhooks/1',
          ...signatureHeaders(secret, delivery.event_id, now, body),
        },
        body,
        timeoutMs: ANSWER_WITHIN_MS,
        maxBodyBytes: 0,
        discardBody: true,
      },
    )
    const retryAfterMs = readRetryAfter(headers['retry-after'], house.clock.now())
    const error = isSuccess({ status }) ? null : `the receiver answered ${status}`
    return { status, error, retryAfterMs, durationMs: took() }
  } catch (error) {
    return { status: null, error: describe(error), retryAfterMs: 0, durationMs: took() }
  }
}

export function isSuccess({ status }: { status: number | null }): boolean {
  return status !== null && status >= 200 && status < 300
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3). */
function readRetryAfter(header: string | string[] | undefined, now: Date): number {
  if (typeof header !== 'string') return 0
  const ms = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : 0
}

/** What a partner may read of a failure: the kind of it, nothing of our network. */
function describe(error: unknown): string {
  if (error instanceof BlockedAddress) return 'the address is not a public one'
  if (error instanceof DeadlinePassed) return `no answer within ${ANSWER_WITHIN_MS / SECOND} s`
  const { code } = error as { code?: string }
  return code ? `the connection failed (${code})` : 'the connection failed'
}

/**
 * Writes the attempt down and what follows from it, unless the lease was lost meanwhile. The endpoint
 * always comes before the delivery: the other way round, two attempts that switch it off could each
 * hold what the other waits for.
 */
export async function recordAttempt(
  house: House,
  delivery: Claimed,
  outcome: Outcome,
): Promise<void> {
  const now = house.clock.now()
  await house.db.transaction().execute(async (tx) => {
    const isOff = await judgeEndpoint(tx, now, delivery, outcome)
    await writeAttempt(tx, now, delivery, outcome)
    if (!isOff) return
    await tx
      .updateTable('webhook_deliveries')
      .set({ status: 'dropped' })
      .where('endpoint_id', '=', delivery.endpoint_id)
      .where('status', '=', 'pending')
      .execute()
  })
}

/** Notes how the endpoint does, and answers whether it is off now. */
async function judgeEndpoint(
  tx: Tx,
  now: Date,
  delivery: Claimed,
  outcome: Outcome,
): Promise<boolean> {
  // A registration that changed meanwhile starts afresh: what its old address did is no matter.
  const endpoint = tx
    .updateTable('webhook_endpoints')
    .where('id', '=', delivery.endpoint_id)
    .where('updated_at', '=', delivery.registered_at)
  if (isSuccess(outcome)) {
    await endpoint.set({ failing_since: null }).where('failing_since', 'is not', null).execute()
    return false
  }
  const known = await endpoint
    .set((column) => ({ failing_since: column.fn.coalesce('failing_since', column.val(now)) }))
    .returning(['active', 'failing_since'])
    .executeTakeFirst()
  if (!known) return false
  if (!known.active) return true
  const gone = outcome.status === 410
  const failingFor = now.getTime() - (known.failing_since ?? now).getTime()
  if (!gone && failingFor < GIVE_UP_AFTER_MS) return false
  await endpoint
    .set({
      active: false,
      inactive_reason: gone ? 'the receiver answered 410' : 'failed for 5 days',
    })
    .execute()
  return true
}

async function writeAttempt(tx: Tx, now: Date, delivery: Claimed, outcome: Outcome): Promise<void> {
  const attempt = delivery.attempts + 1
  const delay = RETRY_DELAYS_MS[attempt - 1]
  const status = isSuccess(outcome) ? 'delivered' : delay === undefined ? 'failed' : 'pending'
  const jittered = (delay ?? 0) * (1 + JITTER * (2 * Math.random() - 1))
  const held = await tx
    .updateTable('webhook_deliveries')
    .set({
      status,
      attempts: attempt,
      lease: null,
      leased_until: null,
      due_at: after(now, Math.max(jittered, outcome.retryAfterMs)),
    })
    .where('id', '=', delivery.id)
    .where('lease', '=', delivery.lease)
    .returning('id')
    .executeTakeFirst()
  if (!held) throw new LeaseLost()
  await tx
    .insertInto('webhook_attempts')
    .values({
      id: newId('att', now),
      delivery_id: delivery.id,
      endpoint_id: delivery.endpoint_id,
      event_id: delivery.event_id,
      type: delivery.type,
      attempt,
      response_status: outcome.status,
      error: outcome.error,
      duration_ms: outcome.durationMs,
      at: now,
    })
    .execute()
}
