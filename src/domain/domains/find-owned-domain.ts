import { sql } from 'kysely'
import type { Database } from '../../db/dialect.ts'
import type { OwnedDomainRow } from './list-owned-domains.ts'

type OwnedDomain = OwnedDomainRow & {
  description: string | null
  /** What was agreed with the buyer who has it reserved, where they made an offer. */
  agreed_cents: number | null
}

/** One of a user's domains, with what it is on the market for and the seller's words. */
export async function findOwnedDomain(
  db: Database,
  now: Date,
  userId: string,
  domain: string,
): Promise<OwnedDomain | undefined> {
  const { rows } = await sql<OwnedDomain>`
    select o.*, l.currency, l.description, l.status is not distinct from 'sold' as is_sold,
      case when l.status = 'listed' then l.price_cents end as price_cents,
      case when l.reserved_until > ${now} then l.reserved_until end as reserved_until,
      (select f.amount_cents from offers f where f.seller_id = o.user_id and f.domain = o.domain
        and f.status = 'accepted' and l.reserved_by in (f.session_id, f.quote_id)) as agreed_cents
    from owned_domains o left join listings l on l.environment = 'live' and l.domain = o.domain
      and l.status in ('listed', 'sold') and l.seller_id = ${userId}
    where o.user_id = ${userId} and o.domain = ${domain}`.execute(db)
  return rows[0]
}
