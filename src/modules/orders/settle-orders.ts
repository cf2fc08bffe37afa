import { sql } from 'kysely'
import { iso } from '../../kernel/fields.ts'
import { partnerOf, type Tx } from '../../kernel/operation.ts'
import { countSales } from '../ledger/sale-days.ts'
import { countedSale, type Order, type TimelineEntry } from './order.ts'

/** Moves every delivered order of a period to SETTLED, all at once; a settlement run's step. */
export async function settleOrders(tx: Tx, now: Date, settlementId: string): Promise<Order[]> {
  const step: TimelineEntry = { at: iso(now), type: 'order.settled', status: 'SETTLED', note: null }
  const settled = await tx
    .updateTable('orders')
    .set({
      status: 'SETTLED',
      updated_at: now,
      timeline: sql`timeline || ${JSON.stringify([step])}::jsonb`,
    })
    .where('settlement_id', '=', settlementId)
    .where('status', '=', 'TRANSFER_COMPLETED')
    .returningAll()
    .execute()
  const [first] = settled
  if (first) {
    const after = settled.map(countedSale)
    const before = after.map((sale) => ({ ...sale, status: 'TRANSFER_COMPLETED' }))
    await tx.executeQuery(countSales(partnerOf(first), before, after))
  }
  return settled
}
