import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { after, MINUTE } from '../../lib/clock.ts'

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

const AT_ONCE = 50
/** Longer than a provider's call may take: until then nobody else is at it. */
export const CHARGE_LEASE_MS = 2 * MINUTE

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

/** Takes what is due for a while, so that no two instances are at the same charge. */
export async function claimDueCharges(db: Database, now: Date): Promise<Charge[]> {
  return await db
    .updateTable('charges')
    .set((row) => ({ due_at: after(now, CHARGE_LEASE_MS), attempts: row('attempts', '+', 1) }))
    .where((row) =>
      row(
        'id',
        'in',
        row
          .selectFrom('charges')
          .select('id')
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(AT_ONCE)
          .forUpdate()
          .skipLocked(),
      ),
    )
    .returningAll()
    .execute()
}
