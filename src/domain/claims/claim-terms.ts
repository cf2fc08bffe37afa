import { type Selectable, sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import type { AskingPrice } from '../listings/seller-listing.ts'

type Terms = Pick<
  Selectable<Schema['claims']>,
  'domain' | 'price_cents' | 'floor_price_cents' | 'offers' | 'min_offer_cents'
>

/** Of a claim whose user asks nothing yet. */
export const NO_TERMS = {
  price_cents: null,
  floor_price_cents: null,
  offers: null,
  min_offer_cents: null,
} satisfies Omit<Terms, 'domain'>

/** What a claim's user asks for the domain once it is proven; null is nothing. */
function termsOf(claim: Terms): AskingPrice | null {
  const { price_cents, floor_price_cents, offers, min_offer_cents } = claim
  if (price_cents === null || floor_price_cents === null || offers === null) return null
  return {
    priceCents: price_cents,
    floorPriceCents: floor_price_cents,
    offers,
    minOfferCents: min_offer_cents,
  }
}

/** Keeps with claims that are not proven what their user asks for the domains, or that they ask nothing. */
export async function keepTerms(
  tx: Tx,
  userId: string,
  terms: ReadonlyMap<string, AskingPrice | null>,
): Promise<void> {
  const asked = [...terms.values()]
  await sql`
    update claims as c set price_cents = n.price, floor_price_cents = n.floor, offers = n.offers,
      min_offer_cents = n.min_offer
    from unnest(${[...terms.keys()]}::text[], ${asked.map((each) => each?.priceCents ?? null)}::bigint[],
      ${asked.map((each) => each?.floorPriceCents ?? null)}::bigint[],
      ${asked.map((each) => each?.offers ?? null)}::text[],
      ${asked.map((each) => each?.minOfferCents ?? null)}::bigint[])
      as n (domain, price, floor, offers, min_offer)
    where c.user_id = ${userId} and c.domain = n.domain and c.status <> 'verified'`.execute(tx)
}

/** Takes what was asked for domains that are proven now: it is to be applied, and then forgotten. */
export async function takeTerms(
  tx: Tx,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, AskingPrice>> {
  const { rows } = await sql<Terms>`
    update claims as c set price_cents = null, floor_price_cents = null, offers = null, min_offer_cents = null
    from (
      select * from claims where user_id = ${userId} and domain = any(${[...domains]}::text[])
        and status = 'verified' and price_cents is not null
      order by domain for update
    ) as kept
    where c.user_id = kept.user_id and c.domain = kept.domain
    returning kept.domain, kept.price_cents, kept.floor_price_cents, kept.offers, kept.min_offer_cents`.execute(
    tx,
  )
  return new Map(
    rows.flatMap((row) => {
      const terms = termsOf(row)
      return terms ? [[row.domain, terms] as const] : []
    }),
  )
}
