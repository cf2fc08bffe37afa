import { parseDomainName, partOfName } from 'domain-marketplace-domain-names'
import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { ApiError } from '../../core/errors.ts'
import { centsField, iso, likeText, limitField, textField, timestamp } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { isReserved, type Listing } from './listing.ts'

const AdminListingView = z.object({
  environment: z.enum(ENVIRONMENTS),
  domain: z.string(),
  price_cents: centsField,
  floor_price_cents: centsField,
  currency: z.string(),
  offers: z.enum(['off', 'open']),
  min_offer_cents: centsField.nullable(),
  status: z.enum(['listed', 'sold', 'delisted']),
  /** Until then a quote holds it; null when none does. */
  reserved_until: timestamp.nullable(),
  /** The user who sells it; null for the marketplace's own. */
  seller_id: z.string().nullable(),
  listed_at: timestamp,
  updated_at: timestamp,
})

/**
 * The inventory as operators see it: floor prices and sellers, what was sold or withdrawn too. Of the sandbox it is the
 * catalogue, since what partners do with it is in their own.
 */
export const listAllListings = adminRead({
  name: 'list_all_listings',
  roles: READERS,
  summary: 'List what an environment has for sale, by name',
  method: 'GET',
  path: '/listings',
  input: z.object({
    environment: z.enum(ENVIRONMENTS),
    q: textField(253)
      .optional()
      .describe('A domain; or letters that stand in the name before its first dot.'),
    status: z.enum(['listed', 'sold', 'delisted']).default('listed'),
    limit: limitField,
    cursor: z.string().max(300).optional(),
  }),
  output: z.object({
    listings: z.array(AdminListingView),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, now }, { environment, q, status, limit, cursor }) {
    const after = stoppedAt(cursor)
    // Named in full, as the indexes are for what is listed and for what is not.
    const ofStatus =
      status === 'listed' ? sql`status = 'listed'` : sql`status <> 'listed' and status = ${status}`
    const { rows } = await sql<Listing>`
      select * from listings
      where environment = ${environment} and ${ofStatus} and ${matching(q)}
        and ${after === null ? sql`true` : sql`domain > ${after}`}
      order by domain limit ${limit + 1}`.execute(db)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      listings: shown.map((row) => ({
        environment: row.environment,
        domain: row.domain,
        price_cents: row.price_cents,
        floor_price_cents: row.floor_price_cents,
        currency: row.currency,
        offers: row.offers,
        min_offer_cents: row.min_offer_cents,
        status: row.status,
        reserved_until: isReserved(row, now) ? iso(row.reserved_until) : null,
        seller_id: row.seller_id,
        listed_at: iso(row.listed_at),
        updated_at: iso(row.updated_at),
      })),
      next_cursor: rows.length > limit && last ? last.domain : null,
    }
  },
})

function matching(q: string | undefined) {
  if (q === undefined) return sql`true`
  const domain = parseDomainName(q)?.domain
  if (domain !== undefined) return sql`domain = ${domain}`
  return sql`label like ${`%${likeText(partOfName(q))}%`}`
}

function stoppedAt(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const domain = parseDomainName(cursor)?.domain
  if (domain === cursor) return domain
  throw new ApiError('invalid_cursor', 'This cursor is not one of this list. Start without one.')
}
