import { sql } from 'kysely'
import type { Database } from '../../db/dialect.ts'
import { type Follower, followChanges, one, snapshotNow } from './follow-changes.ts'
import type { Ranker } from './ranker.ts'

const PAGE = 20_000

/** Words and the code of their vector as a line that `Ranker.applyCodes` reads. */
const LINE = sql`words || E'\t' || translate(encode(code, 'base64'), E'\n', '')`

/** Fills the ranker with the codes of a model's vectors, and then follows those that come. */
export async function followVectors(
  db: Database,
  ranker: Ranker,
  model: string,
): Promise<Follower> {
  const seen = await snapshotNow(db)
  for (let after: string | null = ''; after !== null; ) {
    const page: { lines: string | null; count: number; last: string | null } = await one(
      db,
      sql`select string_agg(line, E'\n') as lines, count(*)::int as count, max(words) as last from (
        select words, ${LINE} as line from label_vectors
        where model = ${model} and words > ${after} order by words limit ${PAGE}) page`,
    )
    if (page.lines !== null) await ranker.applyCodes(page.lines)
    after = page.count < PAGE ? null : page.last
  }
  const where = sql`model = ${model}`
  const rows = { table: sql`label_vectors`, key: sql`words`, line: LINE, where }
  return followChanges(db, seen, rows, (lines) => ranker.applyCodes(lines))
}
