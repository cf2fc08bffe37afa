import type { Environment, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'

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
