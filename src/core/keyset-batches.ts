import { type RawBuilder, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { Tx } from './operation.ts'

/** Rows of a statement, which has twelve seconds. */
const AT_ONCE = 5_000

/**
 * The rows of a table that a condition finds, some thousands at a time, as conditions on their key: for what changes
 * hundreds of thousands in one transaction. What a range finds is the same whichever way it is looked for.
 *
 * @param key a column of text; rows that share one are in one slice
 */
export async function keysetBatches(
  tx: Tx,
  table: keyof Schema,
  key: string,
  whose: RawBuilder<unknown>,
): Promise<RawBuilder<boolean>[]> {
  const { rows } = await sql<{ last: string }>`
    select max(key) as last from (
      select key, row_number() over (order by key) as place
      from (select distinct ${sql.ref(key)} as key from ${sql.table(table)} where ${whose}) as keys
    ) as placed group by (place - 1) / ${AT_ONCE} order by last`.execute(tx)
  return rows.map(
    ({ last }, at) =>
      sql<boolean>`${sql.ref(key)} > ${rows[at - 1]?.last ?? ''} and ${sql.ref(key)} <= ${last} and ${whose}`,
  )
}
