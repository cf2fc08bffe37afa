import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { TEST_EVENT } from './event-types.ts'
import type { Replay } from './replay.ts'

/** Queued at once, and at most under way: an event that is new meanwhile waits behind so many. */
const AT_ONCE = 200

/** Hands the events of running replays to the deliveries, little by little. */
export const advanceReplays: Job = {
  name: 'advance_replays',
  everyMs: SECOND,
  async run(app, signal) {
    const running = await app.db
      .selectFrom('webhook_replays')
      .select('id')
      .where('status', '=', 'running')
      .execute()
    for (const { id } of running) if (!signal.aborted) await advance(app, id)
  },
}

async function advance(app: AppContext, id: string): Promise<void> {
  const { clock } = app
  await inTransaction(app, async (tx) => {
    const now = clock.now()
    const replay = await tx
      .selectFrom('webhook_replays as r')
      .innerJoin('webhook_endpoints as w', 'w.id', 'r.endpoint_id')
      .selectAll('r')
      .select('w.active')
      .where('r.id', '=', id)
      .where('r.status', '=', 'running')
      .forUpdate('r')
      .executeTakeFirst()
    if (!replay) return
    const set = async (change: Partial<Replay>) =>
      await tx.updateTable('webhook_replays').set(change).where('id', '=', id).execute()
    // What is switched off gets nothing, as with new events.
    if (!replay.active) {
      await set({ status: 'cancelled', ended_at: now })
      return
    }
    const room = AT_ONCE - (await countPending(tx, id))
    if (room <= 0) return
    const events = await nextEvents(tx, replay, room)
    await queue(tx, now, replay, events)
    const isLast = events.length < room
    await set({
      position: isLast ? replay.last_position : (events.at(-1)?.position ?? replay.position),
      queued_count: replay.queued_count + events.length,
      ...(isLast && { status: 'done', ended_at: now }),
    })
  })
}

async function countPending(tx: Tx, replayId: string): Promise<number> {
  const pending = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('replay_id', '=', replayId)
    .where('status', '=', 'pending')
    .limit(AT_ONCE)
    .execute()
  return pending.length
}

async function nextEvents(tx: Tx, replay: Replay, limit: number) {
  let query = tx
    .selectFrom('events')
    .select(['id', 'position'])
    .where('partner_id', '=', replay.partner_id)
    .where('environment', '=', replay.environment)
    .where('position', '>', replay.position)
    .where('position', '<=', replay.last_position)
    .where('created_at', '>=', replay.from_at)
    .where('created_at', '<', replay.to_at)
    .where('type', '<>', TEST_EVENT)
    .orderBy('position')
    .limit(limit)
  if (replay.types) query = query.where('type', 'in', replay.types)
  return await query.execute()
}

async function queue(tx: Tx, now: Date, replay: Replay, events: { id: string }[]): Promise<void> {
  await sql`
    insert into webhook_deliveries
      (id, endpoint_id, event_id, status, attempts, due_at, created_at, replay_id)
    select d.id, ${replay.endpoint_id}, d.event_id, 'pending', 0, ${now}, ${now}, ${replay.id}
    from unnest(${events.map(() => newId('del', now))}::text[], ${events.map(({ id }) => id)}::text[])
      as d (id, event_id)`.execute(tx)
}
