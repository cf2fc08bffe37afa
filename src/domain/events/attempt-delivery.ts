import { BlockedAddress, DeadlinePassed } from 'domain-marketplace-safe-fetch'
import { sql } from 'kysely'
import { partnerOf } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR, MINUTE, SECOND, unixSeconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { storable } from '../../lib/storable.ts'
import type { Claimed } from './claim-deliveries.ts'
import { dropWaiting } from './drop-waiting.ts'
import { addressPolicy, webhookPurpose } from './webhook-endpoint.ts'
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
const RESPONSE_TIMEOUT_MS = 5 * SECOND
const GIVE_UP_AFTER_MS = 5 * DAY
/** A receiver cannot put an attempt off for longer than the longest delay. */
const MAX_RETRY_AFTER_MS = DAY
/** So much of what a receiver responded is kept for the partner to read. */
const STORED_RESPONSE_BYTES = 1_024

export interface Outcome {
  status: number | null
  /** How the response's body begins; null when it has none. */
  responseBody: string | null
  error: string | null
  retryAfterMs: number
  durationMs: number
}

export interface Attempted {
  delivery: Claimed
  outcome: Outcome
}

/** Someone else has taken the delivery over meanwhile. */
export class LeaseLost extends Error {}

/** Of endpoints, by their id, as they were when deliveries were claimed together: opened once for all. */
export type EndpointSecrets = Map<string, string>

/** One attempt. Never throws: whatever goes wrong is its outcome. */
export async function sendDelivery(
  app: AppContext,
  delivery: Claimed,
  secrets: EndpointSecrets,
): Promise<Outcome> {
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const body = bodyOf(delivery)
    const secret = secretOf(app, delivery, secrets)
    const now = unixSeconds(app.clock.now())
    const {
      status,
      headers,
      body: received,
    } = await app.http.request(delivery.url, addressPolicy(app, delivery.environment), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'domain-marketplace-webhooks/1',
        ...signatureHeaders(secret, delivery.event_id, now, body),
      },
      body,
      timeoutMs: RESPONSE_TIMEOUT_MS,
      maxBodyBytes: STORED_RESPONSE_BYTES,
      peek: true,
    })
    const retryAfterMs = readRetryAfter(headers['retry-after'], app.clock.now())
    const error = isSuccess({ status }) ? null : `the receiver responded with ${status}`
    return { status, responseBody: textOf(received), error, retryAfterMs, durationMs: took() }
  } catch (error) {
    const failed = { status: null, responseBody: null, error: describe(error) }
    return { ...failed, retryAfterMs: 0, durationMs: took() }
  }
}

function secretOf(app: AppContext, delivery: Claimed, secrets: EndpointSecrets): string {
  const { endpoint_id, secret_sealed } = delivery
  const secret =
    secrets.get(endpoint_id) ?? app.secrets.open(secret_sealed, webhookPurpose(partnerOf(delivery)))
  secrets.set(endpoint_id, secret)
  return secret
}

/** The event, with its data to the byte as they were written. */
function bodyOf({ event_id: id, type, created_at, partner_id, data }: Claimed): string {
  const event = JSON.stringify({ id, type, created_at, partner_id })
  return `${event.slice(0, -1)},"data":${data}}`
}

export function isSuccess({ status }: { status: number | null }): boolean {
  return status !== null && status >= 200 && status < 300
}

/** As text that can be stored; a character that was cut is left out. */
function textOf(body: Uint8Array): string | null {
  const text = storable(new TextDecoder().decode(body, { stream: true }))
  return text === '' ? null : text
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
  if (error instanceof DeadlinePassed) return `no response within ${RESPONSE_TIMEOUT_MS / SECOND} s`
  const { code } = error as { code?: string }
  return code ? `the connection failed (${code})` : 'the connection failed'
}

/**
 * Writes down what has arrived, but for what others have taken over meanwhile. An endpoint that was failing
 * is none any more, unless its registration has changed: what its old address did is no matter. That is a
 * statement of its own, so that nobody who holds a delivery waits for an endpoint.
 */
export async function recordSuccesses(app: AppContext, done: Attempted[]): Promise<void> {
  const now = app.clock.now()
  const deliveries = done.map(({ delivery }) => delivery)
  const ids = deliveries.map(({ id }) => id)
  await sql`update webhook_endpoints w set failing_since = null
    from unnest(${deliveries.map(({ endpoint_id }) => endpoint_id)}::text[],
      ${deliveries.map(({ registered_at }) => registered_at)}::timestamptz[]) as d (endpoint_id, registered_at)
    where w.id = d.endpoint_id and w.updated_at = d.registered_at and w.failing_since is not null`.execute(
    app.db,
  )
  await sql`
    with held as (
      select id from webhook_deliveries where id = any(${ids}::text[]) order by id for update
    ), delivered as (
      update webhook_deliveries d
      set status = 'delivered', attempts = d.attempts + 1, lease = null, leased_until = null
      from held, unnest(${ids}::text[], ${deliveries.map(({ lease }) => lease)}::text[]) as a (id, lease)
      where d.id = held.id and d.id = a.id and d.lease = a.lease
      returning d.id, d.endpoint_id, d.event_id, d.attempts
    )
    insert into webhook_attempts
      (id, delivery_id, endpoint_id, event_id, type, attempt, response_status, response_body,
        duration_ms, at)
    select a.id, d.id, d.endpoint_id, d.event_id, a.type, d.attempts, a.status, a.response_body,
      a.duration_ms, ${now}
    from delivered d
    join unnest(${ids}::text[], ${done.map(() => newId('att', now))}::text[],
      ${deliveries.map(({ type }) => type)}::text[], ${done.map(({ outcome }) => outcome.status)}::int[],
      ${done.map(({ outcome }) => outcome.responseBody)}::text[],
      ${done.map(({ outcome }) => outcome.durationMs)}::int[])
      as a (delivery_id, id, type, status, response_body, duration_ms) on a.delivery_id = d.id`.execute(
    app.db,
  )
}

/**
 * Writes a failed attempt down and what follows from it, unless the lease was lost meanwhile. The endpoint
 * always comes before the delivery: the other way round, two attempts that switch it off could each
 * hold what the other waits for.
 */
export async function recordFailure(
  app: AppContext,
  { delivery, outcome }: Attempted,
): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const isOff = await judgeEndpoint(tx, now, delivery, outcome)
    await writeFailure(tx, now, delivery, outcome)
    if (isOff) await dropWaiting(tx, delivery.endpoint_id)
  })
}

/**
 * Notes that the endpoint fails, and returns whether it is off now. Where nothing has been tried again since
 * it failed last, it may have been right for weeks: its time of failing begins anew.
 */
async function judgeEndpoint(
  tx: Tx,
  now: Date,
  delivery: Claimed,
  outcome: Outcome,
): Promise<boolean> {
  const endpoint = tx
    .updateTable('webhook_endpoints')
    .where('id', '=', delivery.endpoint_id)
    .where('updated_at', '=', delivery.registered_at)
  const known = await endpoint
    .set({
      failing_since: sql<Date>`case when ${delivery.attempts} > 0 or exists (
          select from webhook_deliveries d where d.endpoint_id = ${delivery.endpoint_id}
            and d.status = 'pending' and d.attempts > 0
        ) then coalesce(failing_since, ${now}) else ${now}::timestamptz end`,
    })
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
      inactive_reason: gone ? 'the receiver responded with 410' : 'failed for 5 days',
    })
    .execute()
  return true
}

async function writeFailure(tx: Tx, now: Date, delivery: Claimed, outcome: Outcome): Promise<void> {
  const attempt = delivery.attempts + 1
  const delay = RETRY_DELAYS_MS[attempt - 1]
  const jittered = (delay ?? 0) * (1 + JITTER * (2 * Math.random() - 1))
  const held = await tx
    .updateTable('webhook_deliveries')
    .set(({ case: choose, ref }) => ({
      // Dropped while this attempt was under way, it stays so.
      status: choose()
        .when('status', '=', 'dropped')
        .then(ref('status'))
        .else(delay === undefined ? ('failed' as const) : ('pending' as const))
        .end(),
      attempts: attempt,
      lease: null,
      leased_until: null,
      due_at: after(now, Math.max(jittered, outcome.retryAfterMs)),
    }))
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
      response_body: outcome.responseBody,
      error: outcome.error,
      duration_ms: outcome.durationMs,
      at: now,
    })
    .execute()
}
