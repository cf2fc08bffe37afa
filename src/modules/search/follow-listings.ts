import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../kernel/database/dialect.ts'
import { ENVIRONMENTS } from '../../kernel/operation.ts'
import type { Ranker } from './ranker.ts'

const PAGE = 20_000

/** A listing as a line that `Ranker.apply` reads; the parts hold no tab and no line end. */
const LINE = sql`concat_ws(E'\t', environment, domain, status, price_cents,
  coalesce(array_to_string(tokens, ' '), ''))`

export interface Follower {
  /** Resolves once the ranker has every change that was committed before the call. */
  catchUp(): Promise<void>
}

/** Fills the ranker with all that is listed, and then follows what changes. */
export async function followListings(
  db: Database,
  ranker: Ranker,
  progress: (names: number) => void = () => {},
): Promise<Follower> {
  // What changes while the pages are read comes once more with the first look at what changed.
  let { seen } = await one<{ seen: string }>(db, sql`select pg_current_snapshot()::text as seen`)
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

  async function look(): Promise<void> {
    const { snapshot, lines } = await one<{ snapshot: string; lines: string | null }>(
      db,
      sql`with now as (select pg_current_snapshot() as snapshot)
        select snapshot::text, (
          select string_agg(${LINE}, E'\n') from listings
          where changed_in >= pg_snapshot_xmin(${seen}::pg_snapshot)
            and changed_in < pg_snapshot_xmax(snapshot)
            and not pg_visible_in_snapshot(changed_in, ${seen}::pg_snapshot)
        ) as lines from now`,
    )
    if (lines !== null) await ranker.apply(lines)
    seen = snapshot
  }

  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  function catchUp(): Promise<void> {
    if (!running) {
      running = look().finally(() => {
        running = undefined
      })
      return running
    }
    // One look at a time: whoever comes while one runs may have come after its snapshot.
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return catchUp()
      })
    return next
  }
  return { catchUp }
}

async function one<Row>(db: Database, query: RawBuilder<unknown>): Promise<Row> {
  const { rows } = await query.execute(db)
  return rows[0] as Row
}
