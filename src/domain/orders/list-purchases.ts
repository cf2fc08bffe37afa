import { sql } from 'kysely'
import { readPage } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'

const PAGE = 50

/**
 * What was bought from the marketplace with an e-mail address, newest first. The address must be confirmed to be
 * the reader's.
 */
export async function listPurchases(db: Database, email: string, cursor: string | undefined) {
  const buyer = email.toLowerCase()
  const query = db
    .selectFrom('orders')
    .select(['public_id', 'environment', 'domain', 'status', 'transfer_status', 'receipt_id'])
    .select(['sale_price_cents', 'currency', 'created_at', 'checkout_session_id'])
    .where(sql<string>`lower(buyer->>'email')`, '=', buyer)
    .where('payment_model', '=', 'hosted_checkout')
  const bound = { list: 'purchases', buyer }
  return await readPage(query, 'public_id', { cursor, limit: PAGE, bound })
}

/** The checkout session of such a purchase; null where the address bought nothing by that id. */
export async function findPurchase(
  db: Database,
  email: string,
  publicId: string,
): Promise<string | null> {
  const order = await db
    .selectFrom('orders')
    .select('checkout_session_id')
    .where('public_id', '=', publicId)
    .where(sql<string>`lower(buyer->>'email')`, '=', email.toLowerCase())
    .where('payment_model', '=', 'hosted_checkout')
    .executeTakeFirst()
  return order?.checkout_session_id ?? null
}
