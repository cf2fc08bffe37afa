import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import type { Payment } from '../payments/payment.ts'
import type { RefundPart } from '../payments/provider.ts'

export const GOODWILL_STATUSES = ['needs_approval', 'pending', 'sent', 'failed', 'closed'] as const
export type Goodwill = Schema['goodwill_refunds']

/** What of a payment was given back as goodwill, or is to be: all but what failed. */
export async function goodwillOf(
  db: Pick<Tx, 'selectFrom'>,
  paymentId: string,
): Promise<Goodwill[]> {
  return await db
    .selectFrom('goodwill_refunds')
    .selectAll()
    .where('payment_id', '=', paymentId)
    .where('status', 'not in', ['failed', 'closed'])
    .orderBy('goodwill_id')
    .execute()
}

/** What the provider has taken of it, as parts of the payment. */
export async function sentGoodwill(
  db: Pick<Tx, 'selectFrom'>,
  paymentId: string,
): Promise<RefundPart[]> {
  const given = await goodwillOf(db, paymentId)
  return given.flatMap(({ provider_ref, amount_cents }) =>
    provider_ref === null ? [] : [{ ref: provider_ref, amountCents: amount_cents }],
  )
}

/** What of these payments failed, and waits for an operator while the sale stands. */
export async function failedGoodwill(db: Database, payments: readonly Payment[]) {
  const standing = payments.filter(({ status }) => status === 'succeeded').map(({ id }) => id)
  if (standing.length === 0) return []
  return await db
    .selectFrom('goodwill_refunds')
    .select(['payment_id', 'goodwill_id', 'amount_cents', 'error'])
    .where('payment_id', 'in', standing)
    .where('status', '=', 'failed')
    .orderBy('goodwill_id')
    .execute()
}

/** A goodwill refund, held for this transaction. */
export async function lockGoodwill(tx: Tx, id: string): Promise<Goodwill | undefined> {
  return await tx
    .selectFrom('goodwill_refunds')
    .selectAll()
    .where('goodwill_id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function updateGoodwill(
  tx: Tx,
  now: Date,
  id: string,
  change: Partial<Goodwill>,
): Promise<Goodwill> {
  return await tx
    .updateTable('goodwill_refunds')
    .set({ ...change, updated_at: now })
    .where('goodwill_id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Ends what failed of a payment, since another takes its place. */
export async function closeFailedGoodwill(tx: Tx, now: Date, paymentId: string): Promise<void> {
  await tx
    .updateTable('goodwill_refunds')
    .set({ status: 'closed', updated_at: now })
    .where('payment_id', '=', paymentId)
    .where('status', '=', 'failed')
    .execute()
}
