import { type CompiledQuery, sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { prepared } from '../../db/prepared.ts'
import type { Listing, ListingChange } from './listing.ts'

/**
 * Each partner has a sandbox of its own (contract, section 6). `listings` is its catalogue, the same for all; what a
 * partner has reserved or bought of it, and what `price-moves` costs it by now, is in `sandbox_listings`. A row
 * there is made when its domain is first locked, and goes with a reset.
 */

/** A listing `l` of the catalogue as its partner sees it, who may have a row `s` for it. */
const SEEN = sql`
  l.environment, l.domain, l.label, l.tld, case s.moved_from_cents when l.price_cents
    then greatest(s.price_cents, l.floor_price_cents) else l.price_cents end as price_cents,
  l.floor_price_cents, l.currency, case s.status when 'sold' then 'sold' else l.status end as status,
  s.reserved_by, s.reserved_until, l.metadata, l.tokens, l.listed_at,
  coalesce(s.updated_at, l.updated_at) as updated_at, l.seller_id, l.sells_from, l.offers,
  l.min_offer_cents, l.description`

export interface SandboxKey {
  partnerId: string
  domain: string
}

/** The sandbox's listings as a partner sees them, to select from. */
export function sandboxOf(partnerId: string) {
  return sql`(
    select ${SEEN} from listings l
      left join sandbox_listings s on s.partner_id = ${partnerId} and s.domain = l.domain
    where l.environment = 'sandbox')`
}

export const selectInSandbox = prepared((db, keys: { partnerIds: string[]; domains: string[] }) =>
  sql<Listing & { place: number }>`
    select ${SEEN}, k.place::int
    from unnest(${keys.partnerIds}::text[], ${keys.domains}::text[])
      with ordinality as k (partner_id, domain, place)
    join listings l on l.environment = 'sandbox' and l.domain = k.domain
    left join sandbox_listings s on s.partner_id = k.partner_id and s.domain = k.domain
    where l.status <> 'delisted'`.compile(db),
)

/** Makes the partner's row if there is none, and holds it either way. */
export const lockInSandbox = prepared((db, { partnerId, domain }: SandboxKey) =>
  sql<Listing>`
    with s as (
      insert into sandbox_listings as s (partner_id, domain, status, updated_at)
      select ${partnerId}::text, domain, 'listed', updated_at from listings
      where environment = 'sandbox' and domain = ${domain}::text and status <> 'delisted'
      on conflict (partner_id, domain) do update set updated_at = s.updated_at
      returning *
    )
    select ${SEEN} from s join listings l on l.environment = 'sandbox' and l.domain = s.domain`.compile(
    db,
  ),
)

export function updateInSandbox(
  tx: Tx,
  { partnerId, domain }: SandboxKey,
  now: Date,
  change: ListingChange,
): CompiledQuery {
  const from = tx
    .selectFrom('listings')
    .select('price_cents')
    .where('environment', '=', 'sandbox')
    .where('domain', '=', domain)
  return tx
    .updateTable('sandbox_listings')
    .set({
      ...change,
      ...(change.price_cents !== undefined && { moved_from_cents: from }),
      updated_at: now,
    })
    .where('partner_id', '=', partnerId)
    .where('domain', '=', domain)
    .compile()
}

export const sellInSandbox = prepared(
  (db, { partnerId, domain, now }: SandboxKey & { now: Date }) =>
    db
      .updateTable('sandbox_listings')
      .set({ status: 'sold', reserved_by: null, reserved_until: null, updated_at: now })
      .where('partner_id', '=', partnerId)
      .where('domain', '=', domain)
      .compile(),
)
