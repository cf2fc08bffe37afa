import { parseDomainName } from 'domain-marketplace-domain-names'
import { splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import { type ApiError, conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { isReserved, type Listing } from './listing.ts'
import { postingColumns, postingKeys } from './postings.ts'
import { followWrite, NOTE_CHANGE, takeOffMarket } from './write-listings.ts'

/** What a user asks for a domain of their own. */
export interface AskingPrice {
  priceCents: number
  floorPriceCents: number
  /** Whether it takes offers, and the least that one may be; null is any amount. */
  offers: 'off' | 'open'
  minOfferCents: number | null
}

export interface Offering {
  /** From when on they can be bought; null is at once. */
  sellsFrom: Date | null
  /** The seller's words; null for none, and absent where they stay as they are. */
  description?: string | null | undefined
}

/** A row of the market, and whether a buyer is still to get the domain. */
export type MarketRow = Listing & { is_awaited: boolean }

/** The market's rows of these names, held for this transaction, whatever became of them. */
export async function lockMarket(tx: Tx, domains: string[]): Promise<Map<string, MarketRow>> {
  const { rows } = await sql<MarketRow>`
    select l.*, exists (
      select from orders o where o.environment = 'live' and o.domain = l.domain
        and o.status <> all (array['REFUNDED', 'CANCELLED', 'TRANSFER_COMPLETED', 'SETTLED'])
    ) as is_awaited
    from listings l where l.environment = 'live' and l.domain = any(${domains}::text[])
    order by l.domain for update of l`.execute(tx)
  return new Map(rows.map((row) => [row.domain, row]))
}

/** Why the domain's holder cannot put it on the market, or null. */
export function offerProblem(listing: MarketRow | undefined, sellerId: string): ApiError | null {
  // What an earlier holder had withdrawn binds nobody, and what was delivered is its new holder's to sell.
  if (listing?.frozen_at) return conflict('frozen', 'An operator has frozen it.')
  if (!listing || listing.status === 'delisted') return null
  if (listing.status === 'sold') return listing.is_awaited ? sold() : null
  if (listing.seller_id === sellerId) return null
  return conflict('listed_for_sale', 'The marketplace already offers it.')
}

/** Why a price cannot be set, or a listing withdrawn: it must be this user's, and on the market. */
export function listedProblem(
  listing: Listing | undefined,
  sellerId: string,
  notListed = 'It is not for sale. List it first.',
): ApiError | null {
  if (listing?.status === 'sold') return sold()
  const isListed = listing?.status === 'listed' && listing.seller_id === sellerId
  return isListed ? null : conflict('domain_not_for_sale', notListed)
}

export function withdrawProblem(
  listing: Listing | undefined,
  sellerId: string,
  now: Date,
): ApiError | null {
  const problem = listedProblem(listing, sellerId, 'It is not for sale.')
  if (problem !== null || !listing || !isReserved(listing, now)) return problem
  return conflict('domain_reserved', 'A buyer has it reserved for the moment.')
}

function sold(): ApiError {
  return conflict('domain_sold', 'It has been sold.')
}

/** Puts names that may be offered on the live market, or changes what is asked for those that are there. */
export async function offerDomains(
  tx: Tx,
  now: Date,
  sellerId: string,
  asked: ReadonlyMap<string, AskingPrice>,
  { sellsFrom, description }: Offering,
): Promise<void> {
  const names = [...asked].flatMap(([domain, price]) => {
    const name = parseDomainName(domain)
    if (!name) return []
    const words = splitLabel(name.label)
    return { ...name, ...price, words: words.join(' '), ...postingColumns('live', domain, words) }
  })
  await sql`
    insert into listings as l (environment, domain, label, tld, price_cents, floor_price_cents,
      currency, offers, min_offer_cents, status, metadata, tokens, posting_keys, posting_cost, listed_at, updated_at,
      seller_id, sells_from, description)
    select 'live', n.domain, n.label, n.tld, n.price, n.floor, ${HOME_CURRENCY}::text, n.offers,
      n.min_offer, 'listed', '{}'::json, string_to_array(n.words, ' '), ${postingKeys(sql`n.keys`)}, n.cost,
      ${now}::timestamptz, ${now}::timestamptz, ${sellerId}::text, ${sellsFrom}::timestamptz,
      ${description ?? null}::text
    from unnest(${names.map(({ domain }) => domain)}::text[], ${names.map(({ label }) => label)}::text[],
      ${names.map(({ tld }) => tld)}::text[],
      ${names.map(({ words }) => words)}::text[], ${names.map(({ keys }) => keys)}::text[],
      ${names.map(({ cost }) => cost)}::integer[], ${names.map(({ priceCents }) => priceCents)}::bigint[],
      ${names.map(({ floorPriceCents }) => floorPriceCents)}::bigint[],
      ${names.map(({ offers }) => offers)}::text[],
      ${names.map(({ minOfferCents }) => minOfferCents)}::bigint[])
      as n (domain, label, tld, words, keys, cost, price, floor, offers, min_offer)
    order by n.domain
    on conflict (environment, domain) do update set price_cents = excluded.price_cents,
      floor_price_cents = excluded.floor_price_cents, currency = excluded.currency,
      offers = excluded.offers, min_offer_cents = excluded.min_offer_cents,
      listed_at = case when l.status <> 'listed' then excluded.listed_at else l.listed_at end,
      status = 'listed', seller_id = excluded.seller_id,
      updated_at = excluded.updated_at, sells_from = excluded.sells_from,
      description = case when ${description === undefined}::boolean and l.seller_id = excluded.seller_id
        then l.description else excluded.description end, ${NOTE_CHANGE}
    where l.status <> 'listed' or l.seller_id = excluded.seller_id`.execute(tx)
  await followWrite('live', [...asked.keys()]).execute(tx)
}

export async function describeListing(
  tx: Tx,
  now: Date,
  domain: string,
  description: string | null,
): Promise<void> {
  await tx
    .updateTable('listings')
    .set({ description, updated_at: now })
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .execute()
}

export async function withdrawDomains(
  tx: Tx,
  now: Date,
  sellerId: string,
  domains: string[],
): Promise<void> {
  const withdrawn = tx
    .updateTable('listings')
    .set({ status: 'delisted', reserved_by: null, reserved_until: null, updated_at: now })
    .where('environment', '=', 'live')
    .where('domain', '=', sql<string>`any(${domains}::text[])`)
    .where('seller_id', '=', sellerId)
    .where('status', '=', 'listed')
  await takeOffMarket(withdrawn).execute(tx)
}

/** A sold domain has been delivered: its listing says that it was sold, and is its seller's no more. */
export async function soldByNobody(tx: Tx, domain: string): Promise<void> {
  await tx
    .updateTable('listings')
    .set({ seller_id: null })
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .execute()
}
