import { readPage } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'

const PAGE = 50

/** A user's renewals, by hand and by themselves, newest first. */
export async function listRenewals(db: Database, userId: string, cursor: string | undefined) {
  const query = db
    .selectFrom('renewals')
    .select(['id', 'domain', 'years', 'price_cents', 'currency', 'status'])
    .select(['automatic', 'reason', 'created_at'])
    // The charge that waits for its cardholder.
    .select((row) =>
      row
        .selectFrom('charges as c')
        .select('c.id')
        .whereRef('c.id', '=', 'renewals.charge_id')
        .where('c.status', '=', 'confirmation_due')
        .as('to_confirm'),
    )
    // Only where the bank has the money, or had the last word.
    .select((row) =>
      row
        .selectFrom('disputes as d')
        .select('d.status')
        .whereRef('d.charge_id', '=', 'renewals.charge_id')
        .where('d.withdrawn', '=', true)
        .where('d.status', '<>', 'won')
        .orderBy('d.id', 'desc')
        .limit(1)
        .as('dispute'),
    )
    .where('user_id', '=', userId)
  const bound = { list: 'renewals', user: userId }
  return await readPage(query, 'id', { cursor, limit: PAGE, bound })
}
