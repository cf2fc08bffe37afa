import type { Database } from '../../kernel/database/dialect.ts'
import type { Environment } from '../../kernel/operation.ts'
import { readSession, type Session } from '../../modules/checkout/session.ts'
import type { OrderRow } from '../../modules/orders/order.ts'
import { lastPayment } from '../../modules/payments/payment.ts'

/** What the pages of a checkout look up. */
export function createReaders(db: Database) {
  return {
    session: ({ id }: Session) => readSession(db, id),
    async order({ public_id }: Session): Promise<OrderRow | undefined> {
      if (public_id === null) return undefined
      return await db
        .selectFrom('orders')
        .selectAll()
        .where('public_id', '=', public_id)
        .executeTakeFirst()
    },
    lastPayment: ({ id }: Session) => lastPayment(db, id),
    async isSold({ environment, domain }: Session): Promise<boolean> {
      const listing = await db
        .selectFrom('listings')
        .select('status')
        .where('environment', '=', environment)
        .where('domain', '=', domain)
        .executeTakeFirst()
      return listing?.status !== 'listed'
    },
    async link(environment: Environment, id: string) {
      return await db
        .selectFrom('referral_links')
        .select('id')
        .where('id', '=', id)
        .where('environment', '=', environment)
        .executeTakeFirst()
    },
  }
}
