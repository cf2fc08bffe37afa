import { type CompiledQuery, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { prepared } from '../../db/prepared.ts'
import { newId } from '../../lib/ids.ts'
import type { NewEvent } from './event-view.ts'

/**
 * The statement that writes events in the transaction of the change that they report, and their
 * deliveries if the partner has an endpoint. Positions are given out under the stream's row lock,
 * which holds to the commit: so positions follow the order of commits, and a reader who has seen one
 * never finds an older one later.
 * Emit last, since other writers of the partner wait from here on.
 */
export function emit(
  now: Date,
  { partnerId, environment }: Partner,
  events: [NewEvent, ...NewEvent[]],
): CompiledQuery {
  return insertEvents({
    now,
    partnerId,
    environment,
    count: events.length,
    ids: events.map(({ id }) => id ?? newId('evt', now)),
    types: events.map(({ type }) => type),
    data: events.map(({ data }) => JSON.stringify(data)),
  })
}

interface Emission extends Partner {
  now: Date
  count: number
  ids: string[]
  types: string[]
  data: string[]
}

const insertEvents = prepared(
  (db, { now, partnerId, environment, count, ids, types, data }: Emission) =>
    sql`
    with stream as (
      insert into event_streams as s (partner_id, environment, last_position)
      values (${partnerId}, ${environment}, ${count})
      on conflict (partner_id, environment)
        do update set last_position = s.last_position + excluded.last_position
      returning last_position - ${count} as base
    ), added as (
      insert into events (id, partner_id, environment, position, type, data, created_at)
      select e.id, ${partnerId}, ${environment}, stream.base + e.place, e.type, e.data::json, ${now}
      from stream, unnest(${ids}::text[], ${types}::text[], ${data}::text[])
        with ordinality as e (id, type, data, place)
      returning id
    )
    insert into webhook_deliveries (id, endpoint_id, event_id, status, attempts, due_at, created_at)
    select 'del_' || substr(added.id, 5), w.id, added.id, 'pending', 0, ${now}, ${now}
    from added, webhook_endpoints w
    where w.partner_id = ${partnerId} and w.environment = ${environment} and w.active`.compile(db),
)
