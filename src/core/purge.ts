import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/dialect.ts'
import type { Schema } from '../db/schema.ts'
import type { Tx } from './operation.ts'

const AT_ONCE = 20_000

/**
 * Removes the rows of a table that are of no use any more, some thousands at a time: a statement that runs
 * for seconds is given up as lost, together with the connections that it shares with all others.
 */
export async function purge(
  db: Database | Tx,
  table: keyof Schema,
  spent: RawBuilder<unknown>,
  signal?: AbortSignal,
  atOnce = AT_ONCE,
): Promise<void> {
  while (!signal?.aborted) {
    // The condition twice: a row may be in use again by the time that its turn comes.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${spent} and ctid = any (array(
        select ctid from ${sql.table(table)} where ${spent} limit ${atOnce}))`.execute(db)
    if (numAffectedRows < atOnce) return
  }
}
