import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { ownReplays, ReplayView, viewReplay } from './replay.ts'

/** Ends a replay: what it has not queued yet is not sent. One that has ended stays as it is. */
export const cancelReplay = partnerWrite({
  name: 'cancel_webhook_replay',
  tag: 'Events',
  summary: 'Cancel a replay',
  description:
    'Ends a replay before all its events are queued. What is queued already is still delivered. A replay that has ended ' +
    'is returned as it is.',
  method: 'DELETE',
  path: '/webhooks/replays/{id}',
  unversioned: true,
  scope: 'webhook',
  example: { output: { status: 'cancelled', ended_at: '2026-01-05T09:31:00.000Z' } },
  input: z.object({ id: idField('rpl').describe('The replay to cancel.') }),
  output: ReplayView,
  status: 200,
  errors: ['not_found'],
  async handler({ tx, now, partner }, { id }) {
    const replay = await ownReplays(tx, partner).where('id', '=', id).forUpdate().executeTakeFirst()
    if (!replay) throw notFound('replay')
    if (replay.status !== 'running') return await viewReplay(tx, replay)
    const cancelled = await tx
      .updateTable('webhook_replays')
      .set({ status: 'cancelled', ended_at: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    return await viewReplay(tx, cancelled)
  },
})
