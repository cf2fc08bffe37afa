import { sql } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import { createdAt, idField, iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { HISTORY_EVENTS, REPLAY_STATUSES } from './event-types.ts'

export type Replay = Schema['webhook_replays']

const countView = z.int().meta({ example: 0 })

export const ReplayView = z
  .object({
    id: idField('rpl').describe('The id of the replay.'),
    status: z
      .enum(REPLAY_STATUSES)
      .describe('`running` until all its events are queued (`done`) or it is `cancelled`.'),
    from: timestamp.meta({
      description: 'Events created at or after this time are sent.',
      example: '2026-01-01T00:00:00.000Z',
    }),
    to: timestamp.describe('Events created before this time are sent.'),
    types: z
      .array(z.enum(HISTORY_EVENTS))
      .nullable()
      .meta({ description: 'The types that are sent; null for all.', example: null }),
    event_count: z.int().meta({ description: 'The number of events to send.', example: 42 }),
    queued_count: countView.describe('The number of events queued for delivery so far.'),
    delivered_count: countView.describe('The number of events that your endpoint received.'),
    failed_count: countView.describe('The number of events whose deliveries were given up.'),
    created_at: createdAt,
    ended_at: timestamp
      .nullable()
      .meta({ description: 'When it was done or cancelled; null until then.', example: null }),
  })
  .meta({ id: 'WebhookReplay', description: 'Events of a span of time, being delivered again.' })

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
