import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerWrite } from '../../kernel/operation.ts'
import { ownReplays, ReplayView, viewReplay } from './replay.ts'

/** Ends a replay: what it has not queued yet is not sent. One that has ended stays as it is. */
export const cancelReplay = partnerWrite({
  name: 'cancel_webhook_replay',
  summary: 'End a replay early',
  method: 'DELETE',
  path: '/webhooks/replays/{id}',
  unversioned: true,
  scope: 'webhook',
  input: z.object({ id: z.string() }),
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
