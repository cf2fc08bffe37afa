import { z } from 'zod'
import { readPlace, writePlace } from '../../core/cursor.ts'
import { ApiError } from '../../core/errors.ts'
import { domainView, iso, publicPage, publicPaging, timestamp } from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import {
  countOwnedDomains,
  listOwnedDomains,
  OWNED_DOMAIN_FILTERS,
} from '../domains/list-owned-domains.ts'

export const listMyDomains = publicRead({
  name: 'list_my_domains',
  summary: "The user's own domains",
  description:
    'Lists the domains that the user owns, by name, with what is set of each and the price it is for sale at, if it is. ' +
    'Use it before manage_domains. Follow `next_cursor` until it is null. It changes nothing.',
  method: 'GET',
  path: '/api/agent/domains',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: z.object({
    q: z.string().trim().max(100).default('').describe('Letters that the name must hold.'),
    filter: z
      .enum(OWNED_DOMAIN_FILTERS)
      .default('all')
      .describe(
        'Which of them: `expiring` within 30 days, `unlocked`, `not_renewing` by themselves, or `for_sale`.',
      ),
    limit: publicPaging.limit,
    cursor: z
      .string()
      .max(1_000)
      .optional()
      .describe('The `next_cursor` of the response before, with the same filters.'),
  }),
  output: z.object({
    items: z
      .array(
        z
          .object({
            domain: domainView,
            expires_at: timestamp.nullable().describe('When its registration ends.'),
            locked: z.boolean().describe('Whether it is locked against transfers.'),
            auto_renew: z.boolean().describe('Whether it renews by itself.'),
            privacy: z.boolean().describe('Whether WHOIS hides its owner.'),
            nameservers: z.array(z.string()).describe('Its name servers.'),
            for_sale_cents: z
              .int()
              .nullable()
              .describe('The price it is for sale at, in minor units; null when it is not.'),
            currency: z.string().nullable().describe('The currency of that price.'),
            sold: z.boolean().describe('Whether it is sold, and waits for its transfer.'),
          })
          .meta({ id: 'OwnDomain', description: 'A domain of the user.' }),
      )
      .describe('The domains, by name.'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null on the last.'),
    page: publicPage,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor', 'unauthorized', 'insufficient_scope', 'forbidden'],
  example: {
    input: { filter: 'for_sale' },
    output: {
      items: [
        {
          domain: 'petpantry.test',
          expires_at: '2027-01-05T09:30:00.000Z',
          locked: true,
          auto_renew: true,
          privacy: true,
          nameservers: ['ns1.example.net', 'ns2.example.net'],
          for_sale_cents: 129_500,
          currency: 'USD',
          sold: false,
        },
      ],
      next_cursor: null,
      page: { limit: 20, offset: 0, total: 1, has_more: false, next_cursor: null },
    },
  },
  async handler({ db, now, app, caller }, { q, filter, limit, cursor }) {
    if (caller.kind === 'anonymous') throw new ApiError('unauthorized', 'Sign in first.')
    const userId = caller.subject
    const bound = { list: 'my_domains', userId, q, filter }
    const place = cursor === undefined ? null : readPlace(app.secrets, cursor, bound)
    const asked = { userId, q, filter }
    const [rows, total] = await Promise.all([
      listOwnedDomains(db, now, asked, place, limit + 1),
      countOwnedDomains(db, now, asked),
    ])
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const offset = place?.offset ?? 0
    const has_more = rows.length > limit
    const next_cursor =
      has_more && last
        ? writePlace(app.secrets, { key: [last.domain], offset: offset + shown.length }, bound)
        : null
    return {
      items: shown.map((row) => ({
        domain: row.domain,
        expires_at: iso(row.expires_at),
        locked: row.locked,
        auto_renew: row.auto_renew,
        privacy: row.privacy,
        nameservers: row.nameservers,
        for_sale_cents: row.price_cents,
        currency: row.price_cents === null ? null : row.currency,
        sold: row.is_sold,
      })),
      next_cursor,
      page: { limit, offset, total, has_more, next_cursor },
    }
  },
})
