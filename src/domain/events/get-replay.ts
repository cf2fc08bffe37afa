import { z } from 'zod'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { ownReplays, ReplayView, viewReplay } from './replay.ts'

export const getReplay = partnerRead({
  name: 'get_webhook_replay',
  tag: 'Events',
  summary: 'Get a replay',
  description:
    'Returns how far a replay is: how many events it has queued, and how their deliveries went.',
  method: 'GET',
  path: '/webhooks/replays/{id}',
  unversioned: true,
  scope: 'webhook',
  input: z.object({ id: idField('rpl').describe('The replay to get.') }),
  output: ReplayView,
  status: 200,
  errors: ['not_found'],
  handler: async ({ db, partner }, { id }) =>
    await viewReplay(db, await ownReplays(db, partner).where('id', '=', id).executeTakeFirst()),
})
