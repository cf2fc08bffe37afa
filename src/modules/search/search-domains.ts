import { sql } from 'kysely'
import { z } from 'zod'
import { centsField } from '../../kernel/fields.ts'
import { type Environment, partnerRead, type ReadContext } from '../../kernel/operation.ts'
import { isReserved, type Listing } from '../inventory/listing.ts'

const MAX_RESULTS = 5
/** How many are ranked: more than are shown, since some may have been sold in this moment. */
const MAX_RANKED = 40
/** A name that somebody holds is worth a little less. */
const RESERVED_SHARE = 0.95

const resultView = z.object({
  domain: z.string(),
  tld: z.string(),
  price_cents: z.int(),
  currency: z.string(),
  available: z.boolean(),
  /** 0 to 1; higher fits better. */
  score: z.number(),
  why: z.string(),
})

export const searchDomains = partnerRead({
  name: 'search_domains',
  summary: 'The at most five domains that fit a query best',
  method: 'GET',
  path: '/domains/search',
  scope: 'search',
  input: z.object({
    q: z.string().trim().min(1, 'must say what to look for').max(500),
    tld: z
      .string()
      .transform((tld) => tld.toLowerCase().replace(/^\./, ''))
      .optional(),
    max_price_cents: centsField.optional(),
  }),
  output: z.object({
    query: z.string(),
    count: z.int(),
    results: z.array(resultView),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler(context, { q, tld, max_price_cents }) {
    const filter = { tld, maxPriceCents: max_price_cents }
    const results = await findListings(context, context.partner.environment, q, filter)
    return { query: q, count: results.length, results }
  },
})

/** The listings that fit a query best, the best first. */
export async function findListings(
  { db, now, house }: ReadContext,
  environment: Environment,
  q: string,
  filter: { tld?: string | undefined; maxPriceCents?: number | undefined },
): Promise<z.output<typeof resultView>[]> {
  const ranked = await house.search.rank(environment, q, filter, MAX_RANKED)
  if (ranked.length === 0) return []
  const { maxPriceCents = null } = filter
  // The ranking may be a moment old; what is answered is what stands in the database now.
  const { rows } = await sql<Listing & { place: number }>`
    select l.*, r.place::int
    from unnest(${ranked.map(({ domain }) => domain)}::text[]) with ordinality as r (domain, place)
    join listings l on l.environment = ${environment} and l.domain = r.domain
    where l.status = 'listed' and (${maxPriceCents}::bigint is null or l.price_cents <= ${maxPriceCents})
    order by r.place`.execute(db)
  return rows
    .map((row) => {
      const { score = 0, why = '' } = ranked[row.place - 1] ?? {}
      const available = !isReserved(row, now)
      return {
        domain: row.domain,
        tld: row.tld,
        price_cents: row.price_cents,
        currency: row.currency,
        available,
        score: available ? score : Math.round(score * RESERVED_SHARE * 1000) / 1000,
        why,
      }
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
}
