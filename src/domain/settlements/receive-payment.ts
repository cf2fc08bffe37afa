import { z } from 'zod'
import { partnerOf } from '../../core/caller.ts'
import { conflict, invalid, notAllowedNow, notFound } from '../../core/errors.ts'
import { centsField, lineField, timestampField } from '../../core/fields.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { openSettlement } from '../ledger/settlement-period.ts'
import { isUnpaid } from '../ledger/unpaid-statements.ts'
import { AdminStatementView, viewForOperator } from './operate-settlements.ts'

/**
 * A partner's payment of a statement. What is above it pays the statements that follow, and what is above all of them
 * is credit of the open period (contract, section 17).
 */
export const receiveSettlement = adminWrite({
  name: 'receive_settlement',
  roles: FINANCE,
  recent: true,
  summary: 'Record what a partner has paid of a statement',
  description:
    'The reference of the bank is unique per partner: the same payment recorded twice is `conflict`. What is above the ' +
    'amount owed pays the statements after it, and then stands as credit in the open period.',
  method: 'POST',
  path: '/settlements/{id}/receipts',
  input: z.object({
    id: z.string().describe('The id of the statement.'),
    amount_cents: centsField.describe('What arrived, in cents of the currency of the statement.'),
    reference: lineField(140)
      .min(1, 'must not be empty')
      .describe('What the bank calls the payment, such as its end-to-end id.'),
    at: timestampField.nullish().describe('When it arrived. Absent: now.'),
  }),
  output: AdminStatementView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { id, amount_cents, reference, at }) {
    if (at && at > now) throw invalid({ field: 'at', issue: 'must not be in the future' })
    const settlement = await lockSettlement(tx, id)
    if (settlement.status === 'open') {
      throw notAllowedNow('settlement', 'open', 'The period is open: close it first.')
    }
    const { partner_id, environment, currency } = settlement
    const receipt = {
      receipt_id: newId('rcp', now),
      settlement_id: id,
      partner_id,
      environment,
      currency,
      amount_cents,
      reference,
      received_at: at ?? now,
      created_at: now,
    }
    const added = await tx
      .insertInto('settlement_receipts')
      .values(receipt)
      .onConflict((known) => known.columns(['partner_id', 'reference']).doNothing())
      .returning('receipt_id')
      .executeTakeFirst()
    if (!added) {
      throw conflict(
        'already_exists',
        `The payment ${reference} of this partner is recorded already.`,
      )
    }
    await tx.executeQuery(
      post(now, {
        ...partnerOf(settlement),
        code: 'receipt',
        source: receipt.receipt_id,
        settlementId: null,
        currency,
        entries: transfer('bank_receipts', 'partner_receivable', amount_cents),
      }),
    )
    await apply(tx, now, settlement, amount_cents)
    const [view] = await viewForOperator(tx, [await lockSettlement(tx, id)], now)
    if (!view) throw notFound('settlement')
    return view
  },
})

async function lockSettlement(tx: Tx, id: string): Promise<Schema['settlements']> {
  const settlement = await tx
    .selectFrom('settlements')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!settlement) throw notFound('settlement')
  return settlement
}

/** To the statement itself, then to those after it, in their order; the rest is credit of the open period. */
async function apply(
  tx: Tx,
  now: Date,
  settlement: Schema['settlements'],
  amountCents: number,
): Promise<void> {
  const later = await tx
    .selectFrom('settlements')
    .selectAll()
    .where('partner_id', '=', settlement.partner_id)
    .where('environment', '=', settlement.environment)
    .where('currency', '=', settlement.currency)
    .where('id', '>', settlement.id)
    .where(isUnpaid)
    .orderBy('id')
    .forUpdate()
    .execute()
  let left = amountCents
  for (const statement of [settlement, ...later]) {
    const taken = Math.min(left, openCents(statement))
    if (taken > 0) await add(tx, statement.id, taken)
    left -= taken
  }
  if (left === 0) return
  const open = await openSettlement(tx, settlement, settlement.currency, now)
  await add(tx, open.id, left)
}

function openCents(statement: Schema['settlements']): number {
  const { gross_sold_cents, commission_retained_cents, received_cents } = statement
  return Math.max(0, (gross_sold_cents ?? 0) - (commission_retained_cents ?? 0) - received_cents)
}

async function add(tx: Tx, id: string, cents: number): Promise<void> {
  await tx
    .updateTable('settlements')
    .set((row) => ({ received_cents: row('received_cents', '+', cents) }))
    .where('id', '=', id)
    .execute()
}
