import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Waits for a turn in a line, which ends with the transaction. Those who share it run together; whoever wants it
 * alone comes after all who are in it, and before those who come later.
 */
export async function advisoryLock(
  tx: Kysely<Schema>,
  line: string,
  how: 'alone' | 'shared' = 'alone',
): Promise<void> {
  const lock = sql.raw(how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared')
  await sql`select ${lock}(hashtextextended(${line}, 0))`.execute(tx)
}
