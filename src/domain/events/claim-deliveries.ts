import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { after, SECOND } from '../../lib/clock.ts'
import type { EventType } from './event-types.ts'

/** Three times what an attempt may take: then another instance takes over. */
const LEASE_MS = 15 * SECOND

/** A delivery that this instance has the lease of, with what an attempt needs. */
export interface Claimed {
  id: string
  lease: string
  attempts: number
  event_id: string
  type: EventType
  /** JSON, as it was written. */
  data: string
  created_at: Date
  partner_id: string
  environment: Environment
  endpoint_id: string
  url: string
  secret_sealed: Uint8Array
  registered_at: Date
}

/** What a lane has room for, and where it goes on. */
export interface Round {
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
export async function claimDeliveries(
  app: AppContext,
  { failing, position, perEndpoint, busy, room }: Round,
): Promise<Claimed[]> {
  const now = app.clock.now()
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
    returning d.id, d.lease, d.attempts, d.endpoint_id, e.id as event_id, e.type,
      e.data::text as data, e.created_at, e.partner_id, e.environment, w.url, w.secret_sealed,
      w.updated_at as registered_at`.execute(app.db)
  return rows
}
