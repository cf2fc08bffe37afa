import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { nextCursor, paging } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { ownReplays, ReplayView, viewReplays } from './replay.ts'

export const listReplays = partnerRead({
  name: 'list_webhook_replays',
  tag: 'Events',
  summary: 'List replays',
  description: 'Returns the replays to your endpoint, newest first, each with how far it is.',
  method: 'GET',
  path: '/webhooks/replays',
  unversioned: true,
  scope: 'webhook',
  input: z.object(paging),
  output: z.object({
    replays: z.array(ReplayView).describe('The replays, newest first.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { limit, cursor }) {
    const { rows, next_cursor } = await readPage(ownReplays(db, partner), 'id', {
      cursor,
      limit,
      bound: { list: 'replays', ...partner },
    })
    return { replays: await viewReplays(db, rows), next_cursor }
  },
})
