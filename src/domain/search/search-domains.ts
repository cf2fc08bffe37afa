import type { Filter, Found } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import {
  centsField,
  centsView,
  currencyView,
  domainView,
  queryField,
  tldField,
  tldView,
} from '../../core/fields.ts'
import { partnerRead, type ReadContext } from '../../core/operation.ts'
import { isHeldBack, isReserved, type Listing, listingsSeenBy } from '../listings/listing.ts'

const MAX_RESULTS = 5
/**
 * How many are ranked: more than are shown, and more again when too many of those are sold or held. What is sold in
 * a partner's sandbox is ranked all the same.
 */
const RANKED = { live: [MAX_RESULTS, 40], sandbox: [MAX_RESULTS, 40, 1_000] }
/** A name that somebody holds is worth a little less. */
const RESERVED_SHARE = 0.95

const resultView = z
  .object({
    domain: domainView,
    tld: tldView,
    price_cents: centsView(129_500).describe('The price to buy it now, in cents.'),
    currency: currencyView,
    available: z.boolean().meta({
      description: 'Whether it can be bought now: false while a quote or a payment reserves it.',
      example: true,
    }),
    score: z.number().meta({
      description:
        'How well it matches, from 0 to 1: 1 for the name itself, 0.99 for its label, less for the share of the ' +
        'query that the name covers.',
      example: 0.58,
    }),
    why: z.string().meta({
      description: 'The words or concepts of the query that matched.',
      example: 'matches pet for dog, pantry for food',
    }),
  })
  .meta({ id: 'SearchResult' })

export const searchDomains = partnerRead({
  name: 'search_domains',
  tag: 'Search',
  summary: 'Search the domains for sale',
  description:
    'Returns the five listed domains that match a query best, the best first. The query may be a name, a few ' +
    'words, or a sentence about what the buyer wants, in English or one of twelve other languages: names match by their ' +
    'words, by related words and by meaning. Reserved domains are shown as not available, and sold ones are left out. Nothing is ' +
    'reserved.',
  method: 'GET',
  path: '/domains/search',
  scope: 'search',
  onceAdmitted: true,
  input: z.object({
    q: queryField.meta({
      description: 'What the buyer looks for, in words, or a name.',
      example: 'dog food',
    }),
    tld: tldField
      .optional()
      .describe('Only names on this top-level domain or public suffix, such as com or co.uk.'),
    max_price_cents: centsField.optional().describe('Only names at this price or less, in cents.'),
  }),
  output: z.object({
    query: z.string().meta({ description: 'The query as it was read.', example: 'dog food' }),
    count: z.int().meta({ description: 'The number of results, 0 to 5.', example: 1 }),
    results: z.array(resultView).describe('The best match first.'),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler(context, { q, tld, max_price_cents }) {
    const filter = { tld, maxPriceCents: max_price_cents }
    const results = await findListings(context, context.partner, q, filter)
    return { query: q, count: results.length, results }
  },
})

/** The listings that fit a query best, the best first. */
export async function findListings(
  context: ReadContext,
  partner: Partner,
  q: string,
  filter: Filter,
): Promise<z.output<typeof resultView>[]> {
  let results: z.output<typeof resultView>[] = []
  for (const count of RANKED[partner.environment]) {
    const ranked = await context.app.search.rank(partner.environment, q, filter, count)
    results = await readListings(context, partner, ranked, filter)
    // Whoever was not ranked fits no better than the last who was.
    const others = ranked.length < count ? 0 : (ranked.at(-1)?.score ?? 0)
    if ((results[MAX_RESULTS - 1]?.score ?? 0) >= others) break
  }
  return results
}

type ReadListing = Pick<
  Listing,
  'domain' | 'tld' | 'price_cents' | 'currency' | 'reserved_by' | 'reserved_until' | 'sells_from'
> & { place: number }

/** The ranking may be a moment old; what is returned is what stands in the database now. */
async function readListings(
  { db, now }: ReadContext,
  partner: Partner,
  ranked: Found[],
  filter: Filter,
): Promise<z.output<typeof resultView>[]> {
  if (ranked.length === 0) return []
  const dearest = filter.maxPriceCents ?? null
  const { rows } = await sql<ReadListing>`
    select l.domain, l.tld, l.price_cents, l.currency, l.reserved_by, l.reserved_until,
      l.sells_from, r.place::int
    from unnest(${ranked.map(({ domain }) => domain)}::text[]) with ordinality as r (domain, place)
    join ${listingsSeenBy(partner)} l on l.environment = ${partner.environment} and l.domain = r.domain
    where l.status = 'listed' and (${dearest}::bigint is null or l.price_cents <= ${dearest})
    order by r.place`.execute(db)
  return rows
    .map((row) => {
      const { score = 0, why = '' } = ranked[row.place - 1] ?? {}
      const available = !isReserved(row, now) && !isHeldBack(row, now)
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
