import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { MINUTE } from '../../lib/clock.ts'

/**
 * - `confirmation_due`: the bank wants to hear it from the cardholder.
 * - `authorized`: the money is held, and the registrars are asked to renew; `capture_due`: they have ended.
 * - `refund_due`: a part is on its way back, or waits for a bank's decision; `refunded`: it has gone back.
 * - `refund_failed`: it did not arrive, and waits for an operator.
 */
export type ChargeStatus =
  | 'started'
  | 'processing'
  | 'confirmation_due'
  | 'authorized'
  | 'capture_due'
  | 'succeeded'
  | 'failed'
  | 'refund_due'
  | 'refunded'
  | 'refund_failed'
export type Charge = Schema['charges']

/** Longer than a provider's call may take: until then nobody else is at it. */
export const CHARGE_LEASE = { leaseMs: 2 * MINUTE, atOnce: 50 }

export async function insertCharge(tx: Tx, charge: Charge): Promise<void> {
  await tx.insertInto('charges').values(charge).execute()
}

export async function findCharge(
  db: Pick<Tx, 'selectFrom'>,
  by: { id: string } | { request_key: string },
): Promise<Charge | undefined> {
  return await db
    .selectFrom('charges')
    .selectAll()
    .where((row) => row.and(by))
    .executeTakeFirst()
}

/** The charge's row, held for this transaction. */
export async function lockCharge(tx: Tx, id: string): Promise<Charge> {
  return await tx
    .selectFrom('charges')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateCharge(
  tx: Pick<Tx, 'updateTable'>,
  id: string,
  now: Date,
  change: Partial<Omit<Charge, 'id' | 'user_id' | 'created_at' | 'updated_at'>>,
): Promise<void> {
  await tx
    .updateTable('charges')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
}
