import { sql } from 'kysely'
import { ENVIRONMENTS } from '../../core/caller.ts'
import type { Database } from '../../db/dialect.ts'
import { type Follower, followChanges, one, snapshotNow } from './follow-changes.ts'
import type { Ranker } from './ranker.ts'

const PAGE = 20_000

/** A listing as a line that `Ranker.apply` reads; the parts hold no tab and no line end. */
const LINE = sql`concat_ws(E'\t', environment, domain, status, price_cents,
  coalesce(array_to_string(tokens, ' '), ''))`

/** Fills the ranker with all that is listed, and then follows what changes. */
export async function followListings(
  db: Database,
  ranker: Ranker,
  progress: (names: number) => void = () => {},
): Promise<Follower> {
  // What changes while the pages are read comes once more with the first look at what changed.
  const seen = await snapshotNow(db)
  let names = 0
  for (const environment of ENVIRONMENTS) {
    for (let after: string | null = ''; after !== null; ) {
      const page: { lines: string | null; count: number; last: string | null } = await one(
        db,
        sql`select string_agg(line, E'\n') as lines, count(*)::int as count, max(domain) as last from (
          select domain, ${LINE} as line from listings
          where environment = ${environment} and domain > ${after} and status = 'listed'
          order by domain limit ${PAGE}) page`,
      )
      if (page.lines !== null) await ranker.apply(page.lines)
      names += page.count
      progress(names)
      after = page.count < PAGE ? null : page.last
    }
  }
  const key = sql`environment || ' ' || domain`
  const rows = { table: sql`listings`, key, line: LINE, where: sql`true` }
  return followChanges(db, seen, rows, (lines) => ranker.apply(lines))
}
