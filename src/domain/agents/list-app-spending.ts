import type { Database } from '../../db/dialect.ts'
import { findAppPurchases, spentBy } from '../checkout/buy-for-app.ts'
import { listGrants } from '../oauth/access.ts'
import type { Mandate } from '../oauth/mandate.ts'
import type { Order } from '../orders/order.ts'
import { isUnderWay } from './agent-order.ts'

/** So many of the latest purchases are shown. */
const PURCHASES = 50

/** The apps that a user let in, with what each may spend and has spent. */
export async function listAppSpending(db: Database, userId: string) {
  const grants = await listGrants(db, userId)
  const ids = grants.map(({ id }) => id)
  const [mandates, spent] = await Promise.all([mandatesOf(db, ids), spentBy(db, ids)])
  return grants.map((grant) => ({
    ...grant,
    mandate: mandates.get(grant.id) ?? null,
    spent_cents: spent.get(grant.id) ?? 0,
  }))
}

async function mandatesOf(db: Database, ids: readonly string[]): Promise<Map<string, Mandate>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('mandates').selectAll().where('grant_id', 'in', ids).execute()
  return new Map(rows.map(({ grant_id, ...mandate }) => [grant_id, mandate]))
}

/** What apps bought for a user, newest first, with what became of it. */
export async function listAppPurchases(db: Database, userId: string) {
  const purchases = await findAppPurchases(db, { app_user_id: userId }, PURCHASES)
  const ids = purchases.flatMap(({ public_id }) => public_id ?? [])
  const orders =
    ids.length === 0
      ? []
      : await db
          .selectFrom('orders')
          .select(['public_id', 'status', 'transfer_started_at'])
          .where('public_id', 'in', ids)
          .execute()
  return purchases.map((purchase) => {
    const order = orders.find(({ public_id }) => public_id === purchase.public_id)
    return {
      ...purchase,
      status:
        order?.status ?? (isUnderWay(purchase) ? ('processing' as const) : ('failed' as const)),
      can_cancel: order !== undefined && isCancellable(order),
    }
  })
}

/** Whether a user can take back an order: an app bought it for them, and its transfer has not started. */
export async function canCancel(
  db: Database,
  userId: string,
  order: Pick<Order, 'public_id' | 'status' | 'transfer_started_at'>,
): Promise<boolean> {
  if (!isCancellable(order)) return false
  const { public_id } = order
  return (await findAppPurchases(db, { app_user_id: userId, public_id })).length > 0
}

function isCancellable({
  status,
  transfer_started_at,
}: Pick<Order, 'status' | 'transfer_started_at'>) {
  return status === 'PAID' && transfer_started_at === null
}
