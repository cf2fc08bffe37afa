import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import { after, SECOND } from '../../lib/clock.ts'

/** Names in one file of the sitemap. The format allows 50,000, whose file would take half a second to write. */
export const NAMES_A_FILE = 10_000
/** What comes on the market may make the last file longer, until the files are parted anew. */
const MOST_IN_A_FILE = 50_000
/** How long the files stay parted as they are; the names in them are read afresh each time. */
const PARTED_MS = 30 * SECOND

/** The first name of a file, in the order in which names came on the market. */
interface Start {
  domain: string
  /** Microseconds since 1970. */
  listed_at_us: number
}

interface ListedName {
  domain: string
  listed_at: Date
}

const partedOf = perDatabase(() => ({ starts: Promise.resolve<Start[]>([]), until: new Date(0) }))

/** How many files the names of the live market take. */
export async function countNameFiles(db: Database, now: Date): Promise<number> {
  return (await startsOf(db, now)).length
}

/** The names of one file, from 1 on; null where there is no such file. */
export async function namesInFile(
  db: Database,
  now: Date,
  number: number,
): Promise<ListedName[] | null> {
  const starts = await startsOf(db, now)
  const [start, end] = [starts[number - 1], starts[number]]
  if (!start) return null
  const { rows } = await sql<ListedName>`
    select domain, listed_at from listings
    where ${ON_MARKET} and ${place} >= ${placeOf(start)} and ${end ? sql`${place} < ${placeOf(end)}` : sql`true`}
    order by listed_at, domain limit ${MOST_IN_A_FILE}`.execute(db)
  return rows
}

const ON_MARKET = sql`environment = 'live' and status = 'listed'`
const place = sql`(listed_at, domain)`

function placeOf({ listed_at_us, domain }: Start): RawBuilder<unknown> {
  return sql`(timestamptz 'epoch' + ${listed_at_us}::bigint * interval '1 microsecond', ${domain}::text)`
}

/** By age, so that what is new goes into the last file and the others stay as they are. */
async function startsOf(db: Database, now: Date): Promise<Start[]> {
  const parted = partedOf(db)
  if (parted.until <= now) {
    parted.until = after(now, PARTED_MS)
    parted.starts = readStarts(db)
    parted.starts.catch(() => {
      parted.until = new Date(0)
    })
  }
  return await parted.starts
}

/** File by file, each in a short statement along the index. */
async function readStarts(db: Database): Promise<Start[]> {
  const starts: Start[] = []
  for (let last: Start | undefined; ; ) {
    const { rows } = await sql<Start>`
      select domain, (extract(epoch from listed_at) * 1000000)::bigint as listed_at_us from listings
      where ${ON_MARKET} and ${last ? sql`${place} >= ${placeOf(last)}` : sql`true`}
      order by listed_at, domain offset ${last ? NAMES_A_FILE : 0} limit 1`.execute(db)
    last = rows[0]
    if (!last) return starts
    starts.push(last)
  }
}
