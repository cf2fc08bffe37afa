import { type Selectable, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import { advisoryLock } from '../../db/advisory-lock.ts'
import type { Schema } from '../../db/schema.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { isUnpaid } from '../ledger/unpaid-statements.ts'

/** What holds a partner's orders until an operator has looked at them; null where there is no such limit. */
export type PartnerLimits = Pick<
  Selectable<Schema['partners']>,
  'credit_limit_cents' | 'orders_per_hour'
>

export async function findLimits(
  tx: Pick<Tx, 'selectFrom'>,
  { partnerId }: Pick<Partner, 'partnerId'>,
): Promise<PartnerLimits> {
  return await tx
    .selectFrom('partners')
    .select(['credit_limit_cents', 'orders_per_hour'])
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow()
}

/**
 * Why an order of a partner is held by what the partner owes beyond what it has paid in advance, or by how many orders
 * it brings; null when it is within its limits, or has none.
 */
export async function limitReached(
  tx: Tx,
  now: Date,
  { partnerId, environment }: Partner,
  { credit_limit_cents, orders_per_hour }: PartnerLimits,
  owedByThis: number,
): Promise<'credit_limit' | 'velocity_limit' | null> {
  if (credit_limit_cents === null && orders_per_hour === null) return null
  // Orders that come at once would each find the others missing.
  await advisoryLock(tx, `limits ${partnerId} ${environment}`)
  const own = sql<boolean>`partner_id = ${partnerId} and environment = ${environment}`
  if (orders_per_hour !== null) {
    const recent = await tx
      .selectFrom('orders')
      .select('public_id')
      .where(own)
      .where('created_at', '>', after(now, -HOUR))
      .limit(orders_per_hour)
      .execute()
    if (recent.length >= orders_per_hour) return 'velocity_limit'
  }
  if (credit_limit_cents === null) return null
  const { rows } = await sql<{ cents: number }>`select
    (select coalesce(sum(gross_sold_cents - commission_retained_cents - received_cents), 0)
      from settlements where ${own} and ${isUnpaid})::bigint
    - (select coalesce(sum(received_cents), 0) from settlements where ${own} and status = 'open')::bigint
    + (select coalesce(sum(sale_price_cents - commission_cents), 0) from orders
      where ${own} and payment_model = 'partner_collected'
        and status in ('EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'))::bigint
    as cents`.execute(tx)
  return (rows[0]?.cents ?? 0) + owedByThis > credit_limit_cents ? 'credit_limit' : null
}
