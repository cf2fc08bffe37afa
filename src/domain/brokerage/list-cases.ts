import { z } from 'zod'
import { readPageByTime } from '../../core/cursor.ts'
import { createdWithin, domainField, nextCursor, paging } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { TIERS } from '../events/event-view.ts'
import { CASE_STATUSES } from './case.ts'
import { CaseSummary, summarizeCase } from './view-case.ts'

export const listCases = partnerRead({
  name: 'list_cases',
  tag: 'Brokerage',
  summary: 'List brokerage cases',
  description:
    'Returns your cases, newest first, without their offers and timelines. Filters combine: a case is listed when all of ' +
    'them match.',
  method: 'GET',
  path: '/brokerage',
  scope: 'report',
  input: z.object({
    status: z.enum(CASE_STATUSES).optional().describe('Only cases in this status.'),
    tier: z.enum(TIERS).optional().describe('Only cases of this tier.'),
    domain: domainField.optional().describe('Only cases for this domain.'),
    ...createdWithin,
    ...paging,
  }),
  output: z.object({
    cases: z.array(CaseSummary).describe('The cases, newest first.'),
    next_cursor: nextCursor,
  }),
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
