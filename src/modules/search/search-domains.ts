import { sql } from 'kysely'
import { z } from 'zod'
import { centsField } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { parseDomainName } from '../../lib/domain-name.ts'
import { isReserved, type Listing } from './listing.ts'

const MAX_RESULTS = 5
const MAX_WORDS = 12
const STOP_WORDS = new Set([
  'a',
  'an',
  'and',
  'at',
  'by',
  'for',
  'in',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
])

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
    results: z.array(
      z.object({
        domain: z.string(),
        tld: z.string(),
        price_cents: z.int(),
        currency: z.string(),
        available: z.boolean(),
        /** 0 to 1; higher fits better. */
        score: z.number(),
        why: z.string(),
      }),
    ),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now, partner }, { q, tld, max_price_cents }) {
    const words = wordsOf(q)
    const exact = parseDomainName(q)?.domain ?? null
    if (words.length === 0 && exact === null) return { query: q, count: 0, results: [] }

    const { rows } = await sql<Listing & { matched: string[] }>`
      select l.*, m.words as matched
      from listings l
      cross join lateral (
        select array_agg(w order by w) as words, sum(length(w)) as letters
        from unnest(${words}::text[]) as w where strpos(l.label, w) > 0
      ) m
      where l.status = 'listed' and l.environment = ${partner.environment}
        and (l.domain = ${exact} or l.label like any (${words.map((word) => `%${word}%`)}::text[]))
        and (${tld ?? null}::text is null or l.tld = ${tld ?? null})
        and (${max_price_cents ?? null}::bigint is null or l.price_cents <= ${max_price_cents ?? null})
      order by (l.domain = ${exact}) desc nulls last, cardinality(m.words) desc nulls last,
        m.letters::float / length(l.label) desc nulls last, length(l.label), l.domain
      limit ${MAX_RESULTS}`.execute(db)

    const results = rows.map((row) => ({
      domain: row.domain,
      tld: row.tld,
      price_cents: row.price_cents,
      currency: row.currency,
      available: !isReserved(row, now),
      score: row.domain === exact ? 1 : score(row.label, row.matched ?? [], words),
      why: row.domain === exact ? 'the name itself' : `matches ${(row.matched ?? []).join(', ')}`,
    }))
    return { query: q, count: results.length, results }
  },
})

/** The words that carry meaning; when there are only small ones, those. */
function wordsOf(query: string): string[] {
  const all = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const carrying = all.filter((word) => !STOP_WORDS.has(word))
  return [...new Set(carrying.length > 0 ? carrying : all)].slice(0, MAX_WORDS)
}

/** How much of the query the label has, and how little else. */
function score(label: string, matched: string[], words: string[]): number {
  const coverage = matched.length / words.length
  const letters = matched.reduce((sum, word) => sum + word.length, 0)
  const share = Math.min(1, letters / label.length)
  return Math.round((0.7 * coverage + 0.3 * share) * 1000) / 1000
}
