import { readPage } from '../../kernel/cursor.ts'
import type { Database } from '../../kernel/database/dialect.ts'

const PAGE = 50

/** A user's renewals, by hand and by themselves, newest first. */
export async function listRenewals(db: Database, userId: string, cursor: string | undefined) {
  const query = db
    .selectFrom('renewals')
    .select(['id', 'domain', 'years', 'price_cents', 'currency', 'status'])
    .select(['automatic', 'reason', 'created_at'])
    .where('user_id', '=', userId)
  const bound = { list: 'renewals', user: userId }
  return await readPage(query, 'id', { cursor, limit: PAGE, bound })
}
