import { partOfName } from 'domain-marketplace-domain-names'
import { type RawBuilder, sql } from 'kysely'
import type { Place } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY } from '../../lib/clock.ts'

/** How long before its expiry a domain is one that expires soon. */
const SOON_MS = 30 * DAY

export const OWNED_DOMAIN_FILTERS = [
  'all',
  'expiring',
  'unlocked',
  'not_renewing',
  'for_sale',
] as const
export type OwnedDomainFilter = (typeof OWNED_DOMAIN_FILTERS)[number]

export interface OwnedDomainQuery {
  userId: string
  /** Letters of the name; empty for all. */
  q: string
  filter: OwnedDomainFilter
}

/** A domain of a user's, with what it is on the market for; null when it is not for sale. */
export type OwnedDomainRow = Schema['owned_domains'] & {
  price_cents: number | null
  currency: string | null
  /** It waits for its delivery to the buyer, and can be changed no more. */
  is_sold: boolean
  /** Until then a buyer has it reserved, and it cannot be taken off the market; null while none has. */
  reserved_until: Date | null
  /** It is proven by its delegation to our name servers. */
  is_delegated: boolean
  /** A registrar connection has published its record at `_for-sale`. */
  is_published: boolean
}

/** A page of a user's domains by name, from the one that `place` names. */
export async function listOwnedDomains(
  db: Database,
  now: Date,
  query: OwnedDomainQuery,
  place: Place | null,
  count: number,
): Promise<OwnedDomainRow[]> {
  const [last = ''] = place?.key ?? []
  // One is as good as the other, but for the index that the page is walked along.
  const name = sql.ref(query.filter === 'for_sale' ? 'l.domain' : 'o.domain')
  const { rows } = await sql<OwnedDomainRow>`
    select o.*, l.currency, case when l.status = 'listed' then l.price_cents end as price_cents,
      l.status is not distinct from 'sold' as is_sold,
      case when l.reserved_until > ${now} then l.reserved_until end as reserved_until,
      exists (select from claims c where c.user_id = o.user_id and c.domain = o.domain
        and c.status = 'verified' and c.method = 'nameservers') as is_delegated,
      exists (select from for_sale_records f where f.domain = o.domain and f.status = 'published')
        as is_published
    from ${matching(now, query)} and ${name} > ${last}
    order by ${name} limit ${count}`.execute(db)
  return rows
}

/** How many there are, counted up to `most` where it is given. */
export async function countOwnedDomains(
  db: Database,
  now: Date,
  query: OwnedDomainQuery,
  most: number | null = null,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (
    select 1 from ${matching(now, query)} limit ${most}
  ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

function matching(now: Date, { userId, q, filter }: OwnedDomainQuery): RawBuilder<unknown> {
  const conditions: Record<OwnedDomainFilter, RawBuilder<unknown>> = {
    all: sql`true`,
    expiring: sql`o.expires_at < ${after(now, SOON_MS)}`,
    unlocked: sql`not o.locked`,
    not_renewing: sql`not o.auto_renew`,
    for_sale: sql`true`,
  }
  // Who sells little of what they have is found by what they sell, whatever is expected of all.
  const ownedDomains =
    filter === 'for_sale'
      ? sql`(select * from listings where seller_id = ${userId} and environment = 'live'
          and status = 'listed') l,
        lateral (select * from owned_domains where domain = l.domain offset 0) o`
      : sql`owned_domains o left join listings l on l.environment = 'live' and l.domain = o.domain
          and l.status in ('listed', 'sold') and l.seller_id = ${userId}`
  return sql`${ownedDomains}
    where o.user_id = ${userId} and position(${partOfName(q)} in o.domain) > 0
      and ${conditions[filter]}`
}
