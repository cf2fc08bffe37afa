import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { moveFunds } from './dispute.ts'
import type { Payment } from './payment.ts'

/** Goodwill is booked under its payment, so that it can be added up. */
export function sourceOf({ id }: Payment, ref: string): string {
  return `${id}:${ref}`
}

/** What the buyer has of external refunds that stands in no refund's place; below zero when more was applied than arrived. */
export async function unmatchedExternalRefund(tx: Tx, payment: Payment): Promise<number> {
  const { rows } = await sql<{ cents: number }>`
    select coalesce(sum(e.amount_cents), 0)::bigint as cents
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.code in ('goodwill_refund', 'goodwill_failed', 'goodwill_applied', 'goodwill_missed')
      and e.account = 'goodwill_refunds' and starts_with(t.source, ${sourceOf(payment, '')})`.execute(
    tx,
  )
  return rows[0]?.cents ?? 0
}

/** Puts external refunds in the place of what is owed, as far as they go, and returns how much of it that is. */
export async function applyExternalRefunds(
  tx: Tx,
  now: Date,
  payment: Payment,
  ref: string,
  owed: number,
): Promise<number> {
  if (owed === 0) return 0
  const applied = Math.min(owed, Math.max(0, await unmatchedExternalRefund(tx, payment)))
  await moveFunds(tx, now, payment, 'goodwill_applied', sourceOf(payment, ref), applied, [
    'buyer_refunds',
    'goodwill_refunds',
  ])
  return applied
}
