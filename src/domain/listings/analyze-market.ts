import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'

/** Fewer names change little of what the database's planner knows. */
const MANY = 5_000

/**
 * Renews the planner's statistics of the listings and their postings after many were imported. Autovacuum does so some
 * minutes later, and nothing does on the embedded database; until then a search reads the postings by the plan of a market
 * without names, which took three times as long.
 */
export async function analyzeMarket(
  { db, log }: Pick<AppContext, 'db' | 'log'>,
  imported: number,
): Promise<void> {
  if (imported < MANY) return
  try {
    await sql`select analyze_market()`.execute(db)
  } catch (error) {
    log.warn({ err: error }, 'import: the statistics of the listings are still those of before')
  }
}
