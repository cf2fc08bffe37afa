import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { House } from '../../kernel/house.ts'
import type { Environment, Tx } from '../../kernel/operation.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { grouped } from '../../lib/grouped.ts'
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
/** Attempts written down at once: hundreds may end together, and the database serves others too. */
const RECORDS_AT_ONCE = 8

/** Receivers that have been failing and all others, apart: those that hang leave the others room. */
interface Lane {
  failing: boolean
  atOnce: number
  /** A receiver with so many requests under way gets no more; with one while the lane is half full. */
  atOncePerEndpoint: number
}
const WELL: Lane = { failing: false, atOnce: 512, atOncePerEndpoint: 8 }
const FAILING: Lane = { failing: true, atOnce: 256, atOncePerEndpoint: 1 }

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

interface Attempted {
  delivery: Claimed
  outcome: Outcome
}

/** Someone else has taken the delivery over meanwhile. */
class LeaseLost extends Error {}

export interface Deliveries {
  /** Says that something may be due now; cheap. */
  wake(): void
  stop(): Promise<void>
}

/** Sends what is due, each receiver on its own so that one that hangs delays nobody else. */
export function startDeliveries(house: House, onAttempt: (delivered: boolean) => void): Deliveries {
  const write = grouped<Attempted, void>(
    async (done) =>
      await Promise.all(done.map(({ delivery, outcome }) => record(house, delivery, outcome))),
    { groupSize: 1, inFlight: RECORDS_AT_ONCE },
  )

  async function attempt(delivery: Claimed): Promise<void> {
    try {
      const outcome = await send(house, delivery)
      onAttempt(isSuccess(outcome))
      await write({ delivery, outcome })
    } catch (error) {
      if (error instanceof LeaseLost) return
      // Its lease runs out and someone tries again: at least once is what we promise.
      house.log.warn({ err: error, event_id: delivery.event_id }, 'webhooks: an attempt was lost')
    }
  }

  const well = startLane(house, WELL, attempt, () => well.wake())
  // Polls only, since who has been failing can wait; but one that has recovered may have more to get.
  const failing = startLane(house, FAILING, attempt, () => well.wake())
  return {
    wake: well.wake,
    async stop() {
      await Promise.all([well.stop(), failing.stop()])
    },
  }
}

function startLane(
  house: House,
  lane: Lane,
  attempt: (delivery: Claimed) => Promise<void>,
  onEnd: () => void,
): Deliveries {
  const underWay = new Map<string, number>()
  const attempts = new Set<Promise<void>>()
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let again = false
  /** The endpoint where the last round ended because the lane was full: the next goes on from there. */
  let position = ''

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
        if (stopping) return
        if (again) setImmediate(wake)
        else timer = setTimeout(wake, POLL_MS)
        again = false
      })
  }

  async function claimRound(): Promise<void> {
    const half = lane.atOnce / 2
    const crowded = attempts.size >= half
    const room = (crowded ? lane.atOnce : half) - attempts.size
    if (room <= 0) return
    const perEndpoint = crowded ? 1 : lane.atOncePerEndpoint
    const busy = [...underWay].filter(([, count]) => count >= perEndpoint).map(([id]) => id)
    const claimed = await claim(house, { failing: lane.failing, position, perEndpoint, busy, room })
    for (const delivery of claimed) start(delivery)
    const isFull = claimed.length === room
    if (isFull || position !== '') again = true
    position = isFull ? lastOf(claimed.map(({ endpoint_id }) => endpoint_id)) : ''
  }

  function start(delivery: Claimed): void {
    const endpoint = delivery.endpoint_id
    underWay.set(endpoint, (underWay.get(endpoint) ?? 0) + 1)
    const running = attempt(delivery).finally(() => {
      attempts.delete(running)
      const left = (underWay.get(endpoint) ?? 1) - 1
      if (left === 0) underWay.delete(endpoint)
      else underWay.set(endpoint, left)
      onEnd()
    })
    attempts.add(running)
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

function lastOf(ids: string[]): string {
  return ids.reduce((last, id) => (id > last ? id : last), '')
}

interface Round {
  failing: boolean
  position: string
  perEndpoint: number
  busy: string[]
  room: number
}

/**
 * Leases what is due, endpoint after endpoint from the position on: of each its oldest few. It stops
 * when the room is used up, so a long queue costs no more than a short one.
 */
async function claim(
  house: House,
  { failing, position, perEndpoint, busy, room }: Round,
): Promise<Claimed[]> {
  const now = house.clock.now()
  const { rows } = await sql<Claimed>`
    with recursive pending as (
      (select endpoint_id from webhook_deliveries
        where status = 'pending' and endpoint_id > ${position}
        order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d
        where d.status = 'pending' and d.endpoint_id > pending.endpoint_id
        order by d.endpoint_id limit 1)
      from pending where pending.endpoint_id is not null
    ), ready as (
      select due.id
      from pending
      cross join lateral (
        select w.id from webhook_endpoints w
        where w.id = pending.endpoint_id and w.active
          and (w.failing_since is not null) = ${failing} and w.id <> all (${busy}::text[])
        limit 1
      ) w
      cross join lateral (
        select d.id from webhook_deliveries d
        where d.endpoint_id = w.id and d.status = 'pending' and d.due_at <= ${now}
          and (d.leased_until is null or d.leased_until <= ${now})
        order by d.due_at
        limit ${perEndpoint}
        for update skip locked
      ) due
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

/**
 * Writes the attempt down and what follows from it, unless the lease was lost meanwhile. The endpoint
 * always comes before the delivery: the other way round, two attempts that switch it off could each
 * hold what the other waits for.
 */
async function record(house: House, delivery: Claimed, outcome: Outcome): Promise<void> {
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
