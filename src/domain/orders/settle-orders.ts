import { sql } from 'kysely'
import { partnerOf } from '../../core/caller.ts'
import { iso } from '../../core/fields.ts'
import { keysetBatches } from '../../core/keyset-batches.ts'
import type { Tx } from '../../core/operation.ts'
import { countSales } from '../ledger/sale-days.ts'
import { countedSale, type Order, type TimelineEntry } from './order.ts'

/**
 * Moves every delivered order of a period to SETTLED, all in this transaction; a settlement run's step. Returns them
 * as many at a time as a statement may change.
 */
export async function settleOrders(tx: Tx, now: Date, settlementId: string): Promise<Order[][]> {
  const step: TimelineEntry = { at: iso(now), type: 'order.settled', status: 'SETTLED', note: null }
  const delivered = sql`settlement_id = ${settlementId} and status = 'TRANSFER_COMPLETED'`
  const settled: Order[][] = []
  for (const slice of await keysetBatches(tx, 'orders', 'public_id', delivered)) {
    const orders = tx
      .updateTable('orders')
      .set({
        status: 'SETTLED',
        updated_at: now,
        timeline: sql`timeline || ${JSON.stringify([step])}::jsonb`,
      })
      .where(slice)
      .returningAll()
    settled.push(await orders.execute())
  }
  for (const [first, ...rest] of settled) {
    if (!first) continue
    const after = [first, ...rest].map(countedSale)
    const before = after.map((sale) => ({ ...sale, status: 'TRANSFER_COMPLETED' }))
    await tx.executeQuery(countSales(partnerOf(first), before, after))
  }
  return settled
}
