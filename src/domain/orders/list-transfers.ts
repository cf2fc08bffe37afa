import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { AdminOrderView, viewForOperator } from './operate-order.ts'

const MAX_SHOWN = 200

/** What needs a person first stands before what comes later. */
export const listTransfers = adminRead({
  name: 'list_transfers',
  roles: READERS,
  summary: 'List transfers to start, under way or stalled, by when they are due',
  description:
    'Of those under way, what needs action comes first, then by `transfer.expected_by`; one without that time ' +
    'is due when it was started. At most 200 are shown.',
  method: 'GET',
  path: '/transfers',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).default('live'),
    stage: z
      .enum(['to_start', 'in_progress', 'stalled'])
      .default('in_progress')
      .describe(
        '`to_start`: paid and not held. `stalled`: under way past the time it was expected by.',
      ),
  }),
  output: z.object({
    orders: z.array(AdminOrderView),
    has_more: z.boolean().describe('Whether there are more than are shown.'),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now }, { environment, stage }) {
    let query = db.selectFrom('orders').selectAll().where('environment', '=', environment)
    query =
      stage === 'to_start'
        ? query.where('status', 'in', ['EXTERNALLY_PAID', 'PAID']).where('held', '=', false)
        : query.where('status', '=', 'TRANSFER_IN_PROGRESS')
    if (stage === 'stalled') query = query.where('expected_by', '<=', now)
    const found = await query
      .orderBy(sql`transfer_status = 'action_required'`, 'desc')
      .orderBy(sql`coalesce(expected_by, transfer_started_at, created_at)`)
      .orderBy('public_id')
      .limit(MAX_SHOWN + 1)
      .execute()
    return {
      orders: found.slice(0, MAX_SHOWN).map(viewForOperator),
      has_more: found.length > MAX_SHOWN,
    }
  },
})
