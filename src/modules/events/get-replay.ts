import { z } from 'zod'
import { partnerRead } from '../../kernel/operation.ts'
import { ownReplays, ReplayView, viewReplay } from './replay.ts'

export const getReplay = partnerRead({
  name: 'get_webhook_replay',
  summary: 'How far a replay is',
  method: 'GET',
  path: '/webhooks/replays/{id}',
  unversioned: true,
  scope: 'webhook',
  input: z.object({ id: z.string() }),
  output: ReplayView,
  status: 200,
  errors: ['not_found'],
  handler: async ({ db, partner }, { id }) =>
    await viewReplay(db, await ownReplays(db, partner).where('id', '=', id).executeTakeFirst()),
})
