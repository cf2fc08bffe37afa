import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/dialect.ts'
import type { Schema } from '../db/schema.ts'
import { after } from '../lib/clock.ts'

/** Tables of what is handed to somebody outside, and tried again until it is known what became of it. */
const KEYS = {
  payments: 'id',
  charges: 'id',
  goodwill_refunds: 'goodwill_id',
  payouts: 'id',
} as const

/**
 * Takes the rows that are due for a while, and counts the attempt: no two instances are at the same row, and one that
 * dies meanwhile leaves it to the next.
 *
 * @param leaseMs longer than the call to the outside takes
 * @param only one row, whatever else is due
 */
export async function claimDue<Table extends keyof typeof KEYS>(
  db: Database,
  table: Table,
  now: Date,
  { leaseMs, atOnce, only }: { leaseMs: number; atOnce: number; only?: string | undefined },
): Promise<Selectable<Schema[Table]>[]> {
  const key = sql.ref(KEYS[table])
  const { rows } = await sql<Selectable<Schema[Table]>>`
    update ${sql.table(table)} set due_at = ${after(now, leaseMs)}, attempts = attempts + 1
    where ${key} in (
      select ${key} from ${sql.table(table)}
      where due_at <= ${now} and ${only === undefined ? sql`true` : sql`${key} = ${only}`}
      order by due_at limit ${atOnce} for update skip locked)
    returning *`.execute(db)
  return rows
}
