import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/dialect.ts'

export interface Follower {
  /** Resolves once every change that was committed before the call has been taken in. */
  catchUp(): Promise<void>
}

/** Rows of a table whose `changed_in` is the transaction that last changed them, as lines of text. */
export interface FollowedRows {
  table: RawBuilder<unknown>
  /** What tells them apart, as text. */
  key: RawBuilder<unknown>
  line: RawBuilder<unknown>
  where: RawBuilder<unknown>
}

/**
 * As many rows as an import commits at once: however much has changed, no statement takes longer than one may on
 * a shared connection. Of what one transaction changed each page sorts all that is left, 2 s for a million.
 */
const PAGE = 20_000

interface Page {
  snapshot: string
  lines: string | null
  /** The last row's, when more may follow. */
  changed_in: string | null
  key: string | null
}

/** What is visible now: where a follower that reads everything first begins to follow. */
export async function snapshotNow(db: Database): Promise<string> {
  return (await one<{ now: string }>(db, sql`select pg_current_snapshot()::text as now`)).now
}

/** Hands over what was committed since a snapshot, in whatever order the commits come. */
export function followChanges(
  db: Database,
  since: string,
  { table, key, line, where }: FollowedRows,
  apply: (lines: string) => Promise<void>,
): Follower {
  let seen = since
  async function look(): Promise<void> {
    let page = await readPage()
    const { snapshot } = page
    for (; page.lines !== null; page = await readPage(page)) {
      await apply(page.lines)
      if (page.key === null) break
    }
    seen = snapshot
  }

  /** What changes while the pages are read is in a later transaction, which the next look sees. */
  async function readPage(before?: Page): Promise<Page> {
    // What `seen` does not see, for the index: when an old transaction still runs, all that came since is no news.
    const [, from, running] = seen.split(':')
    const place = sql`${before?.changed_in ?? '0'}::xid8`
    return await one<Page>(
      db,
      sql`with now as (
        select coalesce(${before?.snapshot ?? null}::pg_snapshot, pg_current_snapshot()) as snapshot
      ), reach as (
        select changed_in from ${table}
        where ${where} and changed_in >= ${from}::xid8 and changed_in > ${place}
          and changed_in < pg_snapshot_xmax((select snapshot from now))
        order by changed_in offset ${PAGE} limit 1
      ), changed as (
        select * from ${table} where changed_in >= ${from}::xid8
          and changed_in <= coalesce((select changed_in from reach), (select pg_snapshot_xmax(snapshot) from now))
        union all
        select * from ${table} where changed_in = any(string_to_array(${running}, ',')::xid8[])
      ), page as materialized (
        select changed_in, ${key} as key, ${line} as line from changed
        where ${where} and changed_in < pg_snapshot_xmax((select snapshot from now))
          and changed_in >= ${place} and (changed_in, ${key}) > (${place}, ${before?.key ?? ''})
        order by changed_in, key limit ${PAGE}
      )
      select now.snapshot::text, (select string_agg(line, E'\n') from page) as lines,
        last.changed_in::text, last.key
      from now left join (
        select changed_in, key from page order by changed_in desc, key desc limit 1
      ) last on (select count(*) from page) = ${PAGE}`,
    )
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

export async function one<Row>(db: Database, query: RawBuilder<unknown>): Promise<Row> {
  const { rows } = await query.execute(db)
  return rows[0] as Row
}
