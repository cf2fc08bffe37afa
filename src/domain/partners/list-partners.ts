import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { likeText, paging, textField } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { MARKETPLACE_PARTNER, PartnerView, viewPartner } from './partner.ts'

export const listPartners = adminRead({
  name: 'list_partners',
  roles: READERS,
  summary: 'List partner accounts, newest first',
  method: 'GET',
  path: '/partners',
  input: z.object({
    q: textField(200).optional().describe('A part of the name or of the e-mail address.'),
    status: z.enum(['active', 'suspended']).optional(),
    live: z.boolean().optional().describe('Whether it may sell for real.'),
    ...paging,
  }),
  output: z.object({ partners: z.array(PartnerView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const { q, status, live } = filters
    const bound = { list: 'partners', ...filters }
    let query = db
      .selectFrom('partners as p')
      .leftJoin('affiliates as a', 'a.partner_id', 'p.id')
      .selectAll('p')
      .select('a.id as affiliate_id')
      .where('p.id', '<>', MARKETPLACE_PARTNER)
    if (q !== undefined) {
      const pattern = `%${likeText(q)}%`
      query = query.where((row) =>
        row.or([row('p.name', 'ilike', pattern), row('p.email', 'ilike', pattern)]),
      )
    }
    if (status) query = query.where('p.status', '=', status)
    if (live !== undefined) {
      query = query.where('p.live_approved_at', live ? 'is not' : 'is', null)
    }
    const { rows, next_cursor } = await readPage(query, 'p.id', { cursor, limit, bound })
    return { partners: rows.map((row) => viewPartner(row, row.affiliate_id)), next_cursor }
  },
})
