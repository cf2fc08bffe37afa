import { type Selectable, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { page, readCursor } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import type { EventType } from './event-types.ts'
import { historySpan } from './history-span.ts'

export type EventRow = Selectable<Schema['events']>

export interface EventFilter {
  type?: EventType | undefined
  /** The order or the case that it is about. */
  subject?: string | undefined
  /** At or after. */
  from?: Date | undefined
  /** Before. */
  to?: Date | undefined
}

/** The partner's history with the newest first, test events included. */
export async function browseEvents(
  db: Database,
  partner: Partner,
  { limit, cursor, ...filter }: EventFilter & { limit: number; cursor?: string | undefined },
): Promise<{ events: EventRow[]; next_cursor: string | null }> {
  const bound = { list: 'events', ...partner, ...filter }
  const before = readCursor(cursor, bound)
  let query = ownEvents(db, partner)
    .orderBy('position', 'desc')
    .limit(limit + 1)
  if (filter.type) query = query.where('type', '=', filter.type)
  if (filter.subject !== undefined) {
    // Word for word as the index has it.
    const subject = sql<string>`coalesce(data -> 'order' ->> 'public_id', data -> 'case' ->> 'case_id')`
    query = query.where(subject, '=', filter.subject)
  }
  if (filter.from || filter.to) {
    const { above, last } = await historySpan(db, partner, filter)
    query = query.where('position', '>', above).where('position', '<=', last)
    if (filter.from) query = query.where('created_at', '>=', filter.from)
    if (filter.to) query = query.where('created_at', '<', filter.to)
  }
  if (before) {
    query = query.where('position', '<', (from) =>
      from.selectFrom('events').select('position').where('id', '=', before),
    )
  }
  const rows = await query.execute()
  const { items, next_cursor } = page(
    rows,
    limit,
    bound,
    (row) => row.id,
    (row) => row,
  )
  return { events: items, next_cursor }
}

/** One of the partner's events, or `not_found`. */
export async function findEvent(db: Database, partner: Partner, id: string): Promise<EventRow> {
  const row = await ownEvents(db, partner).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('event')
  return row
}

function ownEvents(db: Database, { partnerId, environment }: Partner) {
  return db
    .selectFrom('events')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
}
