import type { Database } from '../../kernel/database/dialect.ts'
import type { Environment, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { after, MINUTE } from '../../lib/clock.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    payments: {
      id: string
      session_id: string
      partner_id: string
      environment: Environment
      provider: ProviderName
      provider_ref: string | null
      amount_cents: number
      currency: string
      status: PaymentStatus
      reason: string | null
      refund_ref: string | null
      public_id: string | null
      due_at: Date | null
      attempts: number
      created_at: Date
      updated_at: Date
    }
  }
}

const AT_ONCE = 50
/** Longer than a provider's call may take: until then nobody else is at it. */
const LEASE_MS = MINUTE

export type ProviderName = 'test' | 'stripe'
type PaymentStatus =
  | 'started'
  | 'action_required'
  | 'processing'
  | 'succeeded'
  | 'failed'
  | 'refund_due'
  | 'refunded'
export type Payment = Schema['payments']

/** The payment's row, held for this transaction. */
export async function lockPayment(tx: Tx, id: string): Promise<Payment | undefined> {
  return await tx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function updatePayment(
  tx: Tx,
  id: string,
  now: Date,
  change: Partial<
    Pick<
      Payment,
      | 'status'
      | 'reason'
      | 'provider_ref'
      | 'refund_ref'
      | 'public_id'
      | 'amount_cents'
      | 'currency'
      | 'due_at'
      | 'attempts'
    >
  >,
): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
}

export async function insertPayment(tx: Tx, payment: Payment): Promise<void> {
  await tx.insertInto('payments').values(payment).execute()
}

/** What the buyer paid for an order goes back to the card, as soon as the provider takes the refund. */
export async function payBack(tx: Tx, now: Date, publicId: string, reason: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ status: 'refund_due', reason, due_at: now, attempts: 0, updated_at: now })
    .where('public_id', '=', publicId)
    .where('status', '=', 'succeeded')
    .execute()
}

/** Takes what is due for a while, so that no two instances ask about the same payment. */
export async function claimDue(db: Database, now: Date, only?: string): Promise<Payment[]> {
  return await db
    .updateTable('payments')
    .set((row) => ({ due_at: after(now, LEASE_MS), attempts: row('attempts', '+', 1) }))
    .where((row) =>
      row(
        'id',
        'in',
        row
          .selectFrom('payments')
          .select('id')
          .where('due_at', '<=', now)
          .$if(only !== undefined, (due) => due.where('id', '=', only ?? ''))
          .orderBy('due_at')
          .limit(AT_ONCE)
          .forUpdate()
          .skipLocked(),
      ),
    )
    .returningAll()
    .execute()
}
