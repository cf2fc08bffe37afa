import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { nextCursor, paging } from '../../core/fields.ts'
import { userRead } from '../../core/operation.ts'
import { CLAIM_STATUSES, ClaimView, viewClaim } from '../claims/claim.ts'
import { claimExample } from './claim-domains.ts'

/** How a user's claims stand. */
export const listClaims = userRead({
  name: 'list_claims',
  summary: 'Your claims of domains',
  description:
    'Returns how your claims stand, newest first: what proves each, when it was looked for last, and what ' +
    'is wrong with it. Domains that an operator gave you, or that you bought here, are verified by `operator`.',
  method: 'GET',
  path: '/api/domains/claims',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: z.object({
    status: z.enum(CLAIM_STATUSES).optional().describe('Only claims in this status.'),
    ...paging,
  }),
  output: z.object({
    claims: z
      .array(ClaimView.meta({ id: 'Claim', description: 'A claim of a domain.' }))
      .describe('The newest first.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'unauthorized', 'forbidden', 'insufficient_scope'],
  example: {
    input: { status: 'pending' },
    output: { claims: [claimExample], next_cursor: null },
  },
  async handler({ db, app, userId }, { status, cursor, limit }) {
    const bound = { list: 'claims', userId, status }
    let query = db.selectFrom('claims').selectAll().where('user_id', '=', userId)
    if (status) query = query.where('status', '=', status)
    const { rows, next_cursor } = await readPage(query, 'claim_id', { cursor, limit, bound })
    return { claims: rows.map((claim) => viewClaim(app.settings, claim)), next_cursor }
  },
})
