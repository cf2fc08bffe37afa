import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { domainField, nextCursor, paging } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { LinkView, viewLink } from './create-link.ts'
import { readLinks } from './referral-days.ts'
import { LINK_TYPES, requireAffiliate } from './referral-link.ts'

export const listLinks = partnerRead({
  name: 'list_links',
  tag: 'Referral',
  summary: 'List tracked links',
  description:
    'Returns your tracked links, newest first, each with the clicks and sales that it brought.',
  method: 'GET',
  path: '/links',
  scope: 'refer',
  input: z.object({
    type: z.enum(LINK_TYPES).optional().describe('Only links of this type.'),
    domain: domainField.optional().describe('Only links to the page of this domain.'),
    ...paging,
  }),
  output: z.object({
    links: z.array(LinkView).describe('The links, newest first.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  assertCaller: requireAffiliate,
  async handler({ db, app, partner }, { limit, cursor, ...filters }) {
    const bound = { list: 'links', ...partner, ...filters }
    let query = db
      .selectFrom('referral_links')
      .selectAll()
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
    if (filters.type) query = query.where('type', '=', filters.type)
    if (filters.domain) query = query.where('domain', '=', filters.domain)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    const totals = await readLinks(
      db,
      rows.map(({ id }) => id),
    )
    const links = rows.map((link) => viewLink(link, totals.get(link.id), app.settings.baseUrl))
    return { links, next_cursor }
  },
})
