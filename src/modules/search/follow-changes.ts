import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../kernel/database/dialect.ts'

export interface Follower {
  /** Resolves once every change that was committed before the call has been taken in. */
  catchUp(): Promise<void>
}

/** Rows of a table whose `changed_in` is the transaction that last changed them, as lines of text. */
export interface FollowedRows {
  table: RawBuilder<unknown>
  line: RawBuilder<unknown>
  where: RawBuilder<unknown>
}

/** What is visible now: where a follower that reads everything first begins to follow. */
export async function snapshotNow(db: Database): Promise<string> {
  return (await one<{ now: string }>(db, sql`select pg_current_snapshot()::text as now`)).now
}

/** Hands over what was committed since a snapshot, in whatever order the commits come. */
export function followChanges(
  db: Database,
  since: string,
  { table, line, where }: FollowedRows,
  apply: (lines: string) => Promise<void>,
): Follower {
  let seen = since
  async function look(): Promise<void> {
    const { snapshot, lines } = await one<{ snapshot: string; lines: string | null }>(
      db,
      sql`with now as (select pg_current_snapshot() as snapshot)
        select snapshot::text, (
          select string_agg(${line}, E'\n') from ${table}
          where ${where} and changed_in >= pg_snapshot_xmin(${seen}::pg_snapshot)
            and changed_in < pg_snapshot_xmax(snapshot)
            and not pg_visible_in_snapshot(changed_in, ${seen}::pg_snapshot)
        ) as lines from now`,
    )
    if (lines !== null) await apply(lines)
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

export async function one<Row>(db: Database, query: RawBuilder<unknown>): Promise<Row> {
  const { rows } = await query.execute(db)
  return rows[0] as Row
}
