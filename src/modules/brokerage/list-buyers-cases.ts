import { sql } from 'kysely'
import { readPage } from '../../kernel/cursor.ts'
import type { Database } from '../../kernel/database/dialect.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx } from '../../kernel/operation.ts'
import { progressUrl } from './progress-link.ts'

const PAGE = 50

type CaseReader = Pick<House, 'db' | 'secrets' | 'settings'>

/** The cases of a buyer's address, newest first. The address must be confirmed to be the reader's. */
export async function listBuyersCases(
  house: CaseReader,
  email: string,
  cursor: string | undefined,
) {
  const buyer = email.toLowerCase()
  const query = house.db
    .selectFrom('brokerage_cases')
    .selectAll()
    .where(sql<string>`lower(buyer_email)`, '=', buyer)
  const bound = { list: 'buyers_cases', buyer }
  const { rows, next_cursor } = await readPage(query, 'case_id', { cursor, limit: PAGE, bound })
  const items = rows.map((row) => ({ ...row, progress_url: progressUrl(house, row) }))
  return { items, next_cursor }
}

/** How many cases of a buyer's address are running. */
export async function countRunning(db: Database | Tx, email: string): Promise<number> {
  const { count } = await db
    .selectFrom('brokerage_cases')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(sql<string>`lower(buyer_email)`, '=', email.toLowerCase())
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Where a case's buyer follows it; null once that link is revoked. */
export async function progressOf(house: CaseReader, caseId: string): Promise<string | null> {
  const row = await house.db
    .selectFrom('brokerage_cases')
    .selectAll()
    .where('case_id', '=', caseId)
    .executeTakeFirstOrThrow()
  return progressUrl(house, row)
}
