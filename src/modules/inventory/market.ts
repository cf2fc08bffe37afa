import { domainToASCII } from 'node:url'
import { type RawBuilder, sql } from 'kysely'
import type { Place } from '../../kernel/cursor.ts'
import type { Database } from '../../kernel/database/dialect.ts'
import type { Tx } from '../../kernel/operation.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { parseDomainName } from '../../lib/domain-name.ts'

/** Which listings of the live market: what a cursor is bound to, with the sort. */
export interface MarketFilters {
  q: string | null
  tld: string | null
  min: number | null
  max: number | null
  maxLength: number | null
}

export const MARKET_SORTS = ['newest', 'price_asc', 'price_desc'] as const
export type MarketSort = (typeof MARKET_SORTS)[number]

interface MarketRow {
  domain: string
  tld: string
  price_cents: number
  currency: string
  listed_at: Date
  /** Microseconds since 1970: a Date would cut them off, and lose a row of the same millisecond. */
  listed_at_us: number
}

/** Each order's column beside the domain, which decides between equals. */
const ORDERS = {
  newest: { column: sql.ref('listed_at'), direction: sql`desc`, beyond: sql`<` },
  price_asc: { column: sql.ref('price_cents'), direction: sql`asc`, beyond: sql`>` },
  price_desc: { column: sql.ref('price_cents'), direction: sql`desc`, beyond: sql`<` },
} as const

const MICROSECONDS = sql`(extract(epoch from listed_at) * 1000000)::bigint`

/** All as long as each other: a sealed price still shows how long it is. */
const KEY_DIGITS = 16

export function placeOf(row: MarketRow, sort: MarketSort, offset: number): Place {
  const value = sort === 'newest' ? row.listed_at_us : row.price_cents
  return { key: [String(value).padStart(KEY_DIGITS, '0'), row.domain], offset }
}

interface MarketPage {
  filters: MarketFilters
  sort: MarketSort
  /** The row that the page follows; it need not be there any more. */
  after: Place | null
  skip: number
  count: number
}

/** Matches that are rather sorted than looked for along the index of the order. */
const RARE = 10_000
/** Beyond this the rows skipped take longer than a page may. */
const QUICK_SKIP = 10_000

/**
 * Reads a page. An index is walked from the place where it starts, so depth costs nothing by cursor, and
 * by offset the rows skipped are counted in the index; only those shown are read.
 */
export async function readMarket(
  db: Database,
  page: MarketPage,
  total: number,
): Promise<MarketRow[]> {
  const { column, direction, beyond } = ORDERS[page.sort]
  const filter = conditions(page.filters)
  // Of what is rare, the order's index would be walked to its end: it has one of its own.
  const isRare = isSelective(page.filters) && total <= RARE
  const matched = sql`select environment, domain, listed_at, price_cents from listings
    where ${filter}`
  const order = sql`order by ${column} ${direction}, domain ${direction}`
  const statement = sql<MarketRow>`
    with matched as ${isRare ? sql`materialized` : sql`not materialized`} (${matched}),
    shown as (
      select environment, domain from matched where ${beyondPlace()}
      ${order} limit ${page.count} offset ${page.skip}
    )
    select domain, tld, price_cents, currency, listed_at, ${MICROSECONDS} as listed_at_us
    from shown join listings using (environment, domain) ${order}`
  const { rows } = await (page.skip > QUICK_SKIP
    ? apart(db, (tx) => statement.execute(tx))
    : statement.execute(db))
  return rows

  function beyondPlace(): RawBuilder<unknown> {
    if (!page.after) return sql`true`
    const [digits, domain] = page.after.key
    const value = Number(digits)
    const from =
      page.sort === 'newest'
        ? sql`timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond'`
        : sql`${value}::bigint`
    return sql`(${column}, domain) ${beyond} (${from}, ${domain}::text)`
  }
}

/** Whether the filters may leave next to nothing of the orders that have indexes. */
export function isSelective({ q, maxLength }: MarketFilters): boolean {
  return q !== null || maxLength !== null
}

/** Short statements share connections, and would queue behind a long one: it has one of its own. */
async function apart<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return await db.transaction().execute(work)
}

function conditions({ q, tld, min, max, maxLength }: MarketFilters): RawBuilder<unknown> {
  const name = q === null ? null : parseDomainName(q.trim())
  const words = name === null ? wordsOf(q ?? '') : []
  const all = [
    sql`environment = 'live' and status = 'listed'`,
    ...(tld === null ? [] : [sql`tld = ${tld}`]),
    ...(min === null ? [] : [sql`price_cents >= ${min}`]),
    ...(max === null ? [] : [sql`price_cents <= ${max}`]),
    ...(maxLength === null ? [] : [sql`char_length(label) <= ${sql.lit(maxLength)}`]),
    ...(name === null ? [] : [sql`domain = ${name.domain}`]),
    ...words.map((word) => sql`label like ${patternOf(word)}`),
  ]
  return sql.join(all, sql` and `)
}

/** The words of a query, in what names are made of (A-labels): none of it is a wildcard. */
export function wordsOf(q: string): string[] {
  const words = q
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}-]+/u)
    .map((word) => domainToASCII(word))
  return [...new Set(words.filter((word) => /^[a-z0-9-]+$/.test(word)))]
}

/** A word is anywhere in the label. One too short for the index of trigrams begins it. */
function patternOf(word: string): string {
  return word.length < 3 ? `${word}%` : `%${word}%`
}

/** Up to so many rows are counted for every page; more only now and then. */
const COUNTED_AFRESH = 1_000
const COUNT_KEPT_MS = 10 * SECOND
const MAX_COUNTS = 1_000

interface Count {
  total: Promise<number>
  until: Date
}

const counts = new WeakMap<Database, Map<string, Count>>()

/**
 * How many listings the filters leave. A count over a million rows takes longer than the page it stands
 * on, and one over ten thousand five times as long: one that goes beyond a thousand holds for ten seconds.
 */
export async function countMarket(
  db: Database,
  filters: MarketFilters,
  now: Date,
): Promise<number> {
  const known = counts.get(db) ?? new Map<string, Count>()
  counts.set(db, known)
  const key = JSON.stringify(filters)
  const kept = known.get(key)
  if (kept && kept.until > now) return await kept.total
  const some = await countUpTo(db, filters, COUNTED_AFRESH + 1)
  if (some <= COUNTED_AFRESH) return some
  // Whoever was first counts for all who are waiting.
  const since = known.get(key)
  if (since && since.until > now) return await since.total
  const total = countAll(db, filters)
  if (known.size >= MAX_COUNTS) known.clear()
  known.set(key, { total, until: after(now, COUNT_KEPT_MS) })
  total.catch(() => known.delete(key))
  return await total
}

async function countUpTo(db: Database, filters: MarketFilters, most: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*)::int as total from (
    select 1 from listings where ${conditions(filters)} limit ${most}
  ) as counted`.execute(db)
  return rows[0]?.total ?? 0
}

async function countAll(db: Database, filters: MarketFilters): Promise<number> {
  return await apart(db, async (tx) => {
    const { rows } = await sql<{ total: number }>`select count(*)::int as total from listings
      where ${conditions(filters)}`.execute(tx)
    return rows[0]?.total ?? 0
  })
}
