import { z } from 'zod'
import { readPage } from '../../kernel/cursor.ts'
import { paging } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { ownReplays, ReplayView, viewReplays } from './replay.ts'

export const listReplays = partnerRead({
  name: 'list_webhook_replays',
  summary: 'Replays, newest first',
  method: 'GET',
  path: '/webhooks/replays',
  unversioned: true,
  scope: 'webhook',
  input: z.object(paging),
  output: z.object({ replays: z.array(ReplayView), next_cursor: z.string().nullable() }),
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
