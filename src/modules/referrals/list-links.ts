import { z } from 'zod'
import { readPage } from '../../kernel/cursor.ts'
import { domainField, paging } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { LinkView, viewLink } from './create-link.ts'
import { readLinks } from './referral-days.ts'
import { LINK_TYPES, requireAffiliate } from './referral-link.ts'

export const listLinks = partnerRead({
  name: 'list_links',
  summary: 'Your tracked links, newest first, with what they brought',
  method: 'GET',
  path: '/links',
  scope: 'refer',
  input: z.object({
    type: z.enum(LINK_TYPES).optional(),
    /** The name whose page the link leads to. */
    domain: domainField.optional(),
    ...paging,
  }),
  output: z.object({ links: z.array(LinkView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'forbidden'],
  refuseCaller: requireAffiliate,
  async handler({ db, house, partner }, { limit, cursor, ...filters }) {
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
    const links = rows.map((link) => viewLink(link, totals.get(link.id), house.settings.baseUrl))
    return { links, next_cursor }
  },
})
