import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { House } from '../../kernel/house.ts'
import type { Environment } from '../../kernel/operation.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { BlockedAddress, DeadlinePassed } from '../../lib/guarded-http.ts'
import { newId } from '../../lib/ids.ts'
import type { EventType } from './tables.ts'
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
/** Three times what an attempt may take: then another instance takes over. */
const LEASE_MS = 15 * SECOND
const POLL_MS = 500
const AT_ONCE = 256
/** Requests under way to one receiver; one that has been failing gets a single try at a time. */
const AT_ONCE_PER_ENDPOINT = 8

interface Claimed {
  id: string
  lease: string
  attempts: number
  event_id: string
  type: EventType
  data: unknown
  created_at: Date
  partner_id: string
  environment: Environment
  endpoint_id: string
  url: string
  secret_sealed: Uint8Array
  registered_at: Date
}

interface Outcome {
  status: number | null
  error: string | null
  retryAfterMs: number
  durationMs: number
}

export interface Deliveries {
  /** Says that something may be due now; cheap. */
  wake(): void
  stop(): Promise<void>
}

/** Sends what is due, each receiver on its own so that one that hangs delays nobody else. */
export function startDeliveries(house: House, onAttempt: (delivered: boolean) => void): Deliveries {
  const underWay = new Map<string, number>()
  const attempts = new Set<Promise<void>>()
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let again = false

  function wake(): void {
    if (stopping) return
    if (claiming) {
      again = true
      return
    }
    clearTimeout(timer)
    claiming = claimRound()
      .catch((error: unknown) => {
        house.log.warn({ err: error }, 'webhooks: cannot reach the deliveries')
      })
      .finally(() => {
        claiming = undefined
        if (again) {
          again = false
          setImmediate(wake)
        } else {
          timer = setTimeout(wake, POLL_MS)
        }
      })
  }

  async function claimRound(): Promise<void> {
    const room = AT_ONCE - attempts.size
    if (room <= 0) return
    const busy = [...underWay]
      .filter(([, count]) => count >= AT_ONCE_PER_ENDPOINT)
      .map(([id]) => id)
    for (const delivery of await claim(house, busy, room)) start(delivery)
  }

  function start(delivery: Claimed): void {
    const endpoint = delivery.endpoint_id
    underWay.set(endpoint, (underWay.get(endpoint) ?? 0) + 1)
    const attempt = send(house, delivery)
      .then(async (outcome) => {
        onAttempt(isSuccess(outcome))
        await record(house, delivery, outcome)
      })
      .catch((error: unknown) => {
        // Its lease runs out and someone tries again: at least once is what we promise.
        house.log.warn({ err: error, event_id: delivery.event_id }, 'webhooks: an attempt was lost')
      })
      .finally(() => {
        attempts.delete(attempt)
        const left = (underWay.get(endpoint) ?? 1) - 1
        if (left === 0) underWay.delete(endpoint)
        else underWay.set(endpoint, left)
        wake()
      })
    attempts.add(attempt)
  }

  wake()
  return {
    wake,
    async stop() {
      stopping = true
      clearTimeout(timer)
      await claiming
      await Promise.all(attempts)
    },
  }
}

/** Leases what is due: of each endpoint that has something pending, its oldest few. */
async function claim(house: House, busy: string[], room: number): Promise<Claimed[]> {
  const now = house.clock.now()
  const { rows } = await sql<Claimed>`
    with recursive pending as (
      (select endpoint_id from webhook_deliveries where status = 'pending' order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d
        where d.status = 'pending' and d.endpoint_id > pending.endpoint_id
        order by d.endpoint_id limit 1)
      from pending where pending.endpoint_id is not null
    ), ready as (
      select due.id
      from pending
      join webhook_endpoints w on w.id = pending.endpoint_id and w.active
      cross join lateral (
        select d.id from webhook_deliveries d
        where d.endpoint_id = w.id and d.status = 'pending' and d.due_at <= ${now}
          and (d.leased_until is null or d.leased_until <= ${now})
        order by d.due_at
        limit case when w.failing_since is null then ${AT_ONCE_PER_ENDPOINT}::int else 1 end
        for update skip locked
      ) due
      where w.id <> all (${busy}::text[])
      limit ${room}
    )
    update webhook_deliveries d
    set lease = ${randomUUID()}, leased_until = ${after(now, LEASE_MS)}
    from ready, webhook_endpoints w, events e
    where d.id = ready.id and w.id = d.endpoint_id and e.id = d.event_id
    returning d.id, d.lease, d.attempts, d.endpoint_id, e.id as event_id, e.type, e.data, e.created_at,
      e.partner_id, e.environment, w.url, w.secret_sealed, w.updated_at as registered_at`.execute(
    house.db,
  )
  return rows
}

/** One attempt. Never throws: whatever goes wrong is its outcome. */
async function send(house: House, delivery: Claimed): Promise<Outcome> {
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

function isSuccess({ status }: { status: number | null }): boolean {
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

/** Writes the attempt down and what follows from it, unless the lease was lost meanwhile. */
async function record(house: House, delivery: Claimed, outcome: Outcome): Promise<void> {
  const now = house.clock.now()
  const attempt = delivery.attempts + 1
  const delivered = isSuccess(outcome)
  await house.db.transaction().execute(async (tx) => {
    const delay = RETRY_DELAYS_MS[attempt - 1]
    const status = delivered ? 'delivered' : delay === undefined ? 'failed' : 'pending'
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
    if (!held) return
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

    // A registration that changed meanwhile starts afresh: what its old address did is no matter.
    const endpoint = tx
      .updateTable('webhook_endpoints')
      .where('id', '=', delivery.endpoint_id)
      .where('updated_at', '=', delivery.registered_at)
    if (delivered) {
      await endpoint.set({ failing_since: null }).where('failing_since', 'is not', null).execute()
      return
    }
    const { failing_since } = (await endpoint
      .set((column) => ({ failing_since: column.fn.coalesce('failing_since', column.val(now)) }))
      .returning('failing_since')
      .executeTakeFirst()) ?? { failing_since: null }
    if (failing_since === null) return
    const gone = outcome.status === 410
    if (!gone && now.getTime() - failing_since.getTime() < GIVE_UP_AFTER_MS) return
    await endpoint
      .set({
        active: false,
        inactive_reason: gone ? 'the receiver answered 410' : 'failed for 5 days',
      })
      .execute()
    await tx
      .updateTable('webhook_deliveries')
      .set({ status: 'dropped' })
      .where('endpoint_id', '=', delivery.endpoint_id)
      .where('status', '=', 'pending')
      .execute()
  })
}
