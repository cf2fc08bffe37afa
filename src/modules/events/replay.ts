import { sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../kernel/database/dialect.ts'
import { notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { Partner, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { HISTORY_EVENTS, REPLAY_STATUSES } from './tables.ts'

export type Replay = Schema['webhook_replays']

export const ReplayView = z.object({
  id: z.string(),
  status: z.enum(REPLAY_STATUSES),
  from: timestamp,
  to: timestamp,
  /** Null: events of every type. */
  types: z.array(z.enum(HISTORY_EVENTS)).nullable(),
  /** How many events are to be sent, how many were handed to the deliveries, and how those stand. */
  event_count: z.int(),
  queued_count: z.int(),
  delivered_count: z.int(),
  failed_count: z.int(),
  created_at: timestamp,
  ended_at: timestamp.nullable(),
})

/** Replays with how their deliveries stand; these are kept for 30 days. */
export async function viewReplays(
  db: Database | Tx,
  replays: Replay[],
): Promise<z.output<typeof ReplayView>[]> {
  const ids = replays.map(({ id }) => id)
  const { rows } = await sql<{ replay_id: string; delivered: number; failed: number }>`
    select replay_id, count(*) filter (where status = 'delivered')::bigint as delivered,
      count(*) filter (where status in ('failed', 'dropped'))::bigint as failed
    from webhook_deliveries where replay_id = any (${ids}::text[]) group by replay_id`.execute(db)
  const counts = new Map(rows.map((row) => [row.replay_id, row]))
  return replays.map((replay) => ({
    id: replay.id,
    status: replay.status,
    from: iso(replay.from_at),
    to: iso(replay.to_at),
    types: replay.types,
    event_count: replay.event_count,
    queued_count: replay.queued_count,
    delivered_count: counts.get(replay.id)?.delivered ?? 0,
    failed_count: counts.get(replay.id)?.failed ?? 0,
    created_at: iso(replay.created_at),
    ended_at: iso(replay.ended_at),
  }))
}

export async function viewReplay(
  db: Database | Tx,
  replay: Replay | undefined,
): Promise<z.output<typeof ReplayView>> {
  const [view] = replay ? await viewReplays(db, [replay]) : []
  if (!view) throw notFound('replay')
  return view
}

export function ownReplays(db: Pick<Tx, 'selectFrom'>, { partnerId, environment }: Partner) {
  return db
    .selectFrom('webhook_replays')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
}
