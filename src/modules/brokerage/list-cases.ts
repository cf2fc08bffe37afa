import { z } from 'zod'
import { readPageByTime } from '../../kernel/cursor.ts'
import { domainField, momentField, paging } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { TIERS } from '../events/event-view.ts'
import { CASE_STATUSES, CaseSummary, summarizeCase } from './case.ts'

export const listCases = partnerRead({
  name: 'list_cases',
  summary: 'Your cases and their outcomes, newest first',
  method: 'GET',
  path: '/brokerage',
  scope: 'report',
  input: z.object({
    status: z.enum(CASE_STATUSES).optional(),
    tier: z.enum(TIERS).optional(),
    domain: domainField.optional(),
    /** Opened at or after. */
    from: momentField.optional(),
    /** Opened before. */
    to: momentField.optional(),
    ...paging,
  }),
  output: z.object({ cases: z.array(CaseSummary), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, partner }, { limit, cursor, ...filters }) {
    const bound = { list: 'cases', ...partner, ...filters }
    let query = db
      .selectFrom('brokerage_cases')
      .selectAll()
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
    if (filters.status) query = query.where('status', '=', filters.status)
    if (filters.tier) query = query.where('tier', '=', filters.tier)
    if (filters.domain) query = query.where('domain', '=', filters.domain)
    if (filters.from) query = query.where('created_at', '>=', filters.from)
    if (filters.to) query = query.where('created_at', '<', filters.to)
    const { rows, next_cursor } = await readPageByTime(query, 'brokerage_cases', 'case_id', {
      cursor,
      limit,
      bound,
    })
    return { cases: rows.map(summarizeCase), next_cursor }
  },
})
