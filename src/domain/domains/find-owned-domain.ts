import { sql } from 'kysely'
import type { Database } from '../../db/dialect.ts'
import type { OwnedDomainRow } from './list-owned-domains.ts'

/** One of a user's domains, with what it is on the market for and the seller's words. */
export async function findOwnedDomain(
  db: Database,
  userId: string,
  domain: string,
): Promise<(OwnedDomainRow & { description: string | null }) | undefined> {
  const { rows } = await sql<OwnedDomainRow & { description: string | null }>`
    select o.*, l.currency, l.description, l.status is not distinct from 'sold' as is_sold,
      case when l.status = 'listed' then l.price_cents end as price_cents
    from owned_domains o left join listings l on l.environment = 'live' and l.domain = o.domain
      and l.status in ('listed', 'sold') and l.seller_id = ${userId}
    where o.user_id = ${userId} and o.domain = ${domain}`.execute(db)
  return rows[0]
}
