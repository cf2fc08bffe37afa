import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { paging } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { LiveRequestView, viewLiveRequest } from './live-request.ts'
import { LIVE_REQUEST_STATUSES } from './partner-status.ts'

/** Those that wait for an operator are `status=pending`. */
export const listLiveRequests = adminRead({
  name: 'list_live_requests',
  roles: READERS,
  summary: 'List requests for live access, newest first',
  method: 'GET',
  path: '/live-requests',
  input: z.object({
    status: z.enum(LIVE_REQUEST_STATUSES).optional(),
    partner_id: z.string().optional(),
    ...paging,
  }),
  output: z.object({
    live_requests: z.array(LiveRequestView.extend({ partner_name: z.string() })),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, status, partner_id }) {
    let query = db
      .selectFrom('live_requests as r')
      .innerJoin('partners as p', 'p.id', 'r.partner_id')
      .selectAll('r')
      .select('p.name as partner_name')
    if (status) query = query.where('r.status', '=', status)
    if (partner_id !== undefined) query = query.where('r.partner_id', '=', partner_id)
    const bound = { list: 'live_requests', status, partner_id }
    const { rows, next_cursor } = await readPage(query, 'r.id', { cursor, limit, bound })
    return {
      live_requests: rows.map((row) => ({
        ...viewLiveRequest(row),
        partner_name: row.partner_name,
      })),
      next_cursor,
    }
  },
})
