import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { limitField } from '../../kernel/fields.ts'
import { adminRead } from '../../kernel/operation.ts'
import { HOUSE_PARTNER, PartnerView, viewPartner } from './partner.ts'

export const listPartners = adminRead({
  name: 'list_partners',
  summary: 'List partner accounts, newest first',
  method: 'GET',
  path: '/partners',
  input: z.object({ limit: limitField, cursor: z.string().optional() }),
  output: z.object({ partners: z.array(PartnerView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor }) {
    const bound = { list: 'partners' }
    const before = readCursor(cursor, bound)
    let query = db
      .selectFrom('partners as p')
      .leftJoin('affiliates as a', 'a.partner_id', 'p.id')
      .selectAll('p')
      .select('a.id as affiliate_id')
      .where('p.id', '<>', HOUSE_PARTNER)
      .orderBy('p.id', 'desc')
      .limit(limit + 1)
    if (before) query = query.where('p.id', '<', before)
    const { items, next_cursor } = page(
      await query.execute(),
      limit,
      bound,
      (row) => row.id,
      (row) => viewPartner(row, row.affiliate_id),
    )
    return { partners: items, next_cursor }
  },
})
