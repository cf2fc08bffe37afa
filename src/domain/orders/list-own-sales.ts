import { readPage } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'
import { sellerGivesCode } from './seller-code.ts'

const PAGE = 50

/** Whose domains were sold: a user's own, newest first. */
export async function listOwnSales(db: Database, seller: string, cursor: string | undefined) {
  const query = db
    .selectFrom('orders')
    .select(['public_id', 'domain', 'status', 'transfer_status', 'receipt_id'])
    .select(['sale_price_cents', 'seller_cents', 'currency', 'created_at', 'code_available_at'])
    .select(sellerGivesCode.as('seller_gives_code'))
    .where('seller_id', '=', seller)
  return await readPage(query, 'public_id', {
    cursor,
    limit: PAGE,
    bound: { list: 'own_sales', seller },
  })
}
