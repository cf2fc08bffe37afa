import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { centsView, createdAt, currencyView, idField, iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { COMMISSION_KINDS, COMMISSION_TYPES } from '../ledger/commissions.ts'

export const PAYOUT_STATUSES = ['pending', 'processing', 'paid', 'failed', 'canceled'] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]
export type Payout = Schema['payouts']

export const PayoutView = z
  .object({
    id: idField('po').describe('The id of the payout.'),
    amount_cents: centsView(12_950).describe('The amount, in cents.'),
    currency: currencyView,
    status: z
      .enum(PAYOUT_STATUSES)
      .describe(
        '`pending` and `processing` until the money is sent; then `paid`, `failed` or `canceled`.',
      ),
    kind: z
      .enum(COMMISSION_KINDS)
      .describe("What it pays: commissions on sales, on brokerage, or a seller's shares of sales."),
    created_at: createdAt,
    paid_at: timestamp
      .nullable()
      .meta({ description: 'When it was paid, in UTC; null until then.', example: null }),
  })
  .meta({ id: 'PayoutSummary', description: 'A payment of what you earned.' })

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

export const PayoutLineView = z
  .object({
    entry_id: idField('cme').describe('The entry of your commissions that it pays.'),
    sale_id: idField('ord').describe(
      'What earned it: the `public_id` of an order, or the `case_id` of a brokerage case.',
    ),
    type: z
      .enum(COMMISSION_TYPES)
      .describe('`accrued` by a sale, or `reversed` when it was undone.'),
    amount_cents: centsView(12_950).describe('What it adds to the payout, in cents.'),
    currency: currencyView,
    created_at: createdAt,
  })
  .meta({ id: 'PayoutLine' })

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
