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
  const query = purchasesOf(db, buyer)
    .select(['public_id', 'environment', 'domain', 'status', 'transfer_status', 'receipt_id'])
    .select(['sale_price_cents', 'currency', 'created_at'])
  const bound = { list: 'purchases', buyer }
  return await readPage(query, 'public_id', { cursor, limit: PAGE, bound })
}

/** Whether the address bought something by that id. */
export async function hasBought(db: Database, email: string, publicId: string): Promise<boolean> {
  const order = await purchasesOf(db, email.toLowerCase())
    .select('public_id')
    .where('public_id', '=', publicId)
    .executeTakeFirst()
  return order !== undefined
}

function purchasesOf(db: Database, buyer: string) {
  return db
    .selectFrom('orders')
    .where(sql<string>`lower(buyer->>'email')`, '=', buyer)
    .where('payment_model', '=', 'hosted_checkout')
}
