import { parseDomainName, partOfName } from 'domain-marketplace-domain-names'
import { type RawBuilder, sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Place } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import { inTransaction } from '../../db/transaction.ts'
import { batcher } from '../../lib/batcher.ts'
import { after, SECOND } from '../../lib/clock.ts'

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
  /** Microseconds since 1970: a Date would cut them off, and lose a row of the same millisecond. */
  listed_at_us: number
}

/** Each order's column beside the domain, which decides between equals, and its name in what is read. */
const ORDERS = {
  newest: {
    column: sql.ref('listed_at'),
    shown: 'listed_at_us',
    direction: sql`desc`,
    beyond: sql`<`,
  },
  price_asc: {
    column: sql.ref('price_cents'),
    shown: 'price_cents',
    direction: sql`asc`,
    beyond: sql`>`,
  },
  price_desc: {
    column: sql.ref('price_cents'),
    shown: 'price_cents',
    direction: sql`desc`,
    beyond: sql`<`,
  },
} as const

/** All as long as each other: a sealed price still shows how long it is. */
const KEY_DIGITS = 16

export function placeOf(row: MarketRow, sort: MarketSort, offset: number): Place {
  return { key: [String(row[ORDERS[sort].shown]).padStart(KEY_DIGITS, '0'), row.domain], offset }
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
  app: Pick<AppContext, 'db' | 'server'>,
  page: MarketPage,
  total: number,
): Promise<MarketRow[]> {
  const { db } = app
  const { filters, sort, after, skip, count } = page
  if (after && !isSelective(filters)) {
    return await walkerOf(db, { filters, sort, count })(after)
  }
  // Of what is rare, the order's index would be walked to its end: it has one of its own.
  const isRare = isSelective(filters) && total <= RARE
  const matched = sql`select environment, domain, listed_at, price_cents from listings
    where ${conditions(filters)}`
  const statement = sql<MarketRow>`
    with matched as ${isRare ? sql`materialized` : sql`not materialized`} (${matched}),
    shown as (
      select environment, domain from matched
      where ${after ? placeBefore(after) : sql`true`}
      order by ${inOrder(sort)} limit ${count} offset ${skip}
    )
    select ${SHOWN} from shown join listings using (environment, domain) order by ${inOrder(sort)}`
  // Short statements share connections, and would queue behind a long one: it has one of its own.
  const { rows } = await (skip > QUICK_SKIP
    ? inTransaction(app, (tx) => statement.execute(tx))
    : statement.execute(db))
  return rows

  function placeBefore({ key: [digits, domain] }: Place): RawBuilder<unknown> {
    return beyond(sort, sql`${Number(digits)}::bigint`, sql`${domain}::text`)
  }
}

function beyond(
  sort: MarketSort,
  value: RawBuilder<unknown>,
  domain: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { column, beyond } = ORDERS[sort]
  const from =
    sort === 'newest' ? sql`timestamptz 'epoch' + ${value} * interval '1 microsecond'` : value
  return sql`(${column}, domain) ${beyond} (${from}, ${domain})`
}

function inOrder(sort: MarketSort, column = ORDERS[sort].column): RawBuilder<unknown> {
  const { direction } = ORDERS[sort]
  return sql`${column} ${direction}, domain ${direction}`
}

const SHOWN = sql`
  domain, tld, price_cents, currency, (extract(epoch from listed_at) * 1000000)::bigint as listed_at_us`

type Walk = Pick<MarketPage, 'filters' | 'sort' | 'count'>
type Walker = (after: Place) => Promise<MarketRow[]>

const MAX_WALKERS = 1_000
/** Pages in one statement, and statements of one walk at once. */
const TOGETHER = { groupSize: 32, inFlight: 2 }
const walkersOf = perDatabase(() => new Map<string, Walker>())

/**
 * Who reads on along one order. Pages that are asked for at the same time are read together: two thirds of
 * what a page costs is asking for it. Each kind of walk has its own, so that none waits for a slower one.
 */
function walkerOf(db: Database, walk: Walk): Walker {
  const walkers = walkersOf(db)
  const kind = JSON.stringify(walk)
  const known = walkers.get(kind)
  if (known) return known
  const walker: Walker = batcher((places) => readOn(db, walk, places), TOGETHER)
  if (walkers.size >= MAX_WALKERS) walkers.clear()
  walkers.set(kind, walker)
  return walker
}

/** The rows behind each of the places. */
async function readOn(
  db: Database,
  { filters, sort, count }: Walk,
  places: Place[],
): Promise<MarketRow[][]> {
  const values = places.map(({ key: [digits] }) => Number(digits))
  const domains = places.map(({ key: [, domain] }) => domain)
  const { rows } = await sql<MarketRow & { index: number }>`
    select (place.number - 1)::int as index, page.*
    from unnest(${values}::bigint[], ${domains}::text[])
      with ordinality as place (value, name, number)
    cross join lateral (
      select ${SHOWN} from listings where ${conditions(filters)}
        and ${beyond(sort, sql`place.value`, sql`place.name`)}
      order by ${inOrder(sort)} limit ${count}
    ) as page
    order by place.number, ${inOrder(sort, sql.ref(ORDERS[sort].shown))}`.execute(db)
  const pages: MarketRow[][] = places.map(() => [])
  for (const row of rows) pages[row.index]?.push(row)
  return pages
}

/** Whether the filters may leave next to nothing of the orders that have indexes. */
export function isSelective({ q, maxLength }: MarketFilters): boolean {
  return q !== null || maxLength !== null
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
  const words = q.split(/[^\p{L}\p{M}\p{N}-]+/u)
  return [...new Set(words.filter((word) => word !== '').map(partOfName))]
}

/** A word is anywhere in the label. One too short for the index of trigrams begins it. */
function patternOf(word: string): string {
  return word.length < 3 ? `${word}%` : `%${word}%`
}

/** Up to so many rows are counted for every page; more only now and then. */
const COUNTED_AFRESH = 1_000
const COUNT_CACHE_MS = 10 * SECOND
const MAX_COUNTS = 1_000

interface Count {
  total: Promise<number>
  until: Date
}

const countsOf = perDatabase(() => new Map<string, Count>())

/**
 * How many listings the filters leave. A count over a million rows takes longer than the page it stands
 * on, and one over ten thousand five times as long: one that goes beyond a thousand holds for ten seconds.
 */
export async function countMarket(
  app: Pick<AppContext, 'db' | 'server'>,
  filters: MarketFilters,
  now: Date,
): Promise<number> {
  const { db } = app
  const known = countsOf(db)
  const key = JSON.stringify(filters)
  const kept = known.get(key)
  if (kept && kept.until > now) return await kept.total
  const some = await countUpTo(db, filters, COUNTED_AFRESH + 1)
  if (some <= COUNTED_AFRESH) return some
  // Whoever was first counts for all who are waiting.
  const since = known.get(key)
  if (since && since.until > now) return await since.total
  const total = countAll(app, filters)
  if (known.size >= MAX_COUNTS) known.clear()
  known.set(key, { total, until: after(now, COUNT_CACHE_MS) })
  total.catch(() => known.delete(key))
  return await total
}

async function countUpTo(db: Database, filters: MarketFilters, most: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*)::int as total from (
    select 1 from listings where ${conditions(filters)} limit ${most}
  ) as counted`.execute(db)
  return rows[0]?.total ?? 0
}

async function countAll(app: Pick<AppContext, 'server'>, filters: MarketFilters): Promise<number> {
  return await inTransaction(app, async (tx) => {
    const { rows } = await sql<{ total: number }>`select count(*)::int as total from listings
      where ${conditions(filters)}`.execute(tx)
    return rows[0]?.total ?? 0
  })
}
