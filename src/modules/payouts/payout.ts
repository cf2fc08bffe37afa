import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { Environment, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { COMMISSION_KINDS, COMMISSION_TYPES, type CommissionKind } from '../ledger/commissions.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    payouts: {
      id: string
      partner_id: string
      environment: Environment
      currency: string
      kind: CommissionKind
      amount_cents: number
      status: PayoutStatus
      reason: string | null
      created_at: Date
      updated_at: Date
      paid_at: Date | null
    }
    payout_lines: { payout_id: string; entry_id: string; active: boolean }
  }
}

export const PAYOUT_STATUSES = ['pending', 'processing', 'paid', 'failed', 'canceled'] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]
export type Payout = Schema['payouts']

export const PayoutView = z.object({
  id: z.string(),
  amount_cents: z.int(),
  currency: z.string(),
  status: z.enum(PAYOUT_STATUSES),
  /** What it pays: commissions on sales or on brokerage, or a seller's shares of sales. */
  kind: z.enum(COMMISSION_KINDS),
  created_at: timestamp,
  paid_at: timestamp.nullable(),
})

export function viewPayout(payout: Payout): z.output<typeof PayoutView> {
  return {
    id: payout.id,
    amount_cents: payout.amount_cents,
    currency: payout.currency,
    status: payout.status,
    kind: payout.kind,
    created_at: iso(payout.created_at),
    paid_at: iso(payout.paid_at),
  }
}

export const PayoutLineView = z.object({
  /** Of the commission ledger. */
  entry_id: z.string(),
  sale_id: z.string(),
  type: z.enum(COMMISSION_TYPES),
  amount_cents: z.int(),
  currency: z.string(),
  created_at: timestamp,
})

/** The commission entries that a payout pays, in the order in which they came. */
export async function readLines(db: Pick<Tx, 'selectFrom'>, payoutId: string) {
  return await db
    .selectFrom('payout_lines as l')
    .innerJoin('commission_entries as e', 'e.id', 'l.entry_id')
    .selectAll('e')
    .where('l.payout_id', '=', payoutId)
    .orderBy('e.position')
    .execute()
}

export async function lockPayout(tx: Tx, id: string): Promise<Payout> {
  const payout = await tx
    .selectFrom('payouts')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!payout) throw notFound('payout')
  return payout
}
