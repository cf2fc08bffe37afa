import { sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { readPage } from '../../core/cursor.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { progressUrl } from './progress-link.ts'

const PAGE = 50

type CaseReader = Pick<AppContext, 'db' | 'secrets' | 'settings'>

/** The cases of a buyer's address, newest first. The address must be confirmed to be the reader's. */
export async function listBuyersCases(app: CaseReader, email: string, cursor: string | undefined) {
  const buyer = email.toLowerCase()
  const query = app.db
    .selectFrom('brokerage_cases')
    .selectAll()
    .where(sql<string>`lower(buyer_email)`, '=', buyer)
  const bound = { list: 'buyers_cases', buyer }
  const { rows, next_cursor } = await readPage(query, 'case_id', { cursor, limit: PAGE, bound })
  const items = rows.map((row) => ({ ...row, progress_url: progressUrl(app, row) }))
  return { items, next_cursor }
}

/** How many cases of a buyer's address a partner has running. */
export async function countRunning(
  db: Database | Tx,
  { partnerId, environment }: Partner,
  email: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('brokerage_cases')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .where(sql<string>`lower(buyer_email)`, '=', email.toLowerCase())
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Where a case's buyer follows it; null once that link is revoked. */
export async function progressOf(app: CaseReader, caseId: string): Promise<string | null> {
  const row = await app.db
    .selectFrom('brokerage_cases')
    .selectAll()
    .where('case_id', '=', caseId)
    .executeTakeFirstOrThrow()
  return progressUrl(app, row)
}
