import type { Tx } from '../../core/operation.ts'
import type { Order, TimelineEntry } from './order.ts'
import { writeOrder } from './status.ts'

/** Holds an order whose transfer has not started, unless it is held already; the step is kept in any case. */
export async function holdOrder(
  tx: Tx,
  now: Date,
  order: Order,
  reason: string,
  step: TimelineEntry,
): Promise<void> {
  const waits = order.status === 'PAID' && !order.held
  await writeOrder(tx, {
    ...order,
    ...(waits && { held: true, hold_reason: reason }),
    timeline: [...order.timeline, step],
    updated_at: now,
  })
}
