import type { Database } from '../../kernel/database/dialect.ts'
import type { Environment, Tx } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { type Account, type LedgerCode, post } from '../ledger/ledger.ts'
import type { Payment } from './payment.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    disputes: {
      id: string
      payment_id: string
      provider_ref: string
      amount_cents: number
      currency: string
      reason: string
      status: DisputeStatus
      withdrawn: boolean
      reinstated: boolean
      due_at: Date | null
      created_at: Date
      updated_at: Date
    }
  }
}

/** An inquiry asks without taking the money; it may become a dispute. */
export const DISPUTE_STATUSES = [
  'inquiry',
  'inquiry_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
] as const
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number]

/** How a dispute stands, in the words of no provider. */
export interface DisputeNews {
  /** What the provider calls it. */
  ref: string
  amountCents: number
  reason: string
  status: DisputeStatus
  /** Whether the provider took the money from the house, and whether it gave it back. */
  withdrawn: boolean
  reinstated: boolean
  dueAt: Date | null
}

export interface Dispute extends DisputeNews {
  id: string
}

const OVER: DisputeStatus[] = ['inquiry_closed', 'won', 'lost']

/**
 * Takes in how a dispute stands, and answers how it stood before and stands now. News may come twice and
 * out of order: what is over stays over, and money that was seen to move has moved.
 */
export async function noteDispute(
  tx: Tx,
  now: Date,
  payment: Payment,
  news: DisputeNews,
): Promise<{ before: Dispute | null; dispute: Dispute }> {
  const row = await tx
    .selectFrom('disputes')
    .selectAll()
    .where('provider_ref', '=', news.ref)
    .forUpdate()
    .executeTakeFirst()
  const before: Dispute | null = row
    ? {
        id: row.id,
        ref: row.provider_ref,
        amountCents: row.amount_cents,
        reason: row.reason,
        status: row.status,
        withdrawn: row.withdrawn,
        reinstated: row.reinstated,
        dueAt: row.due_at,
      }
    : null
  const isOver = before !== null && OVER.includes(before.status)
  const reinstated = news.reinstated || (before?.reinstated ?? false)
  const dispute: Dispute = {
    ...news,
    id: before?.id ?? newId('dp', now),
    // The ledger is in the payment's currency, and no bank can take more than was paid.
    amountCents: before?.amountCents ?? Math.min(news.amountCents, payment.amount_cents),
    status: reinstated
      ? 'won'
      : isOver && !OVER.includes(news.status)
        ? before.status
        : news.status,
    withdrawn: news.withdrawn || reinstated || (before?.withdrawn ?? false),
    reinstated,
  }
  const state = {
    status: dispute.status,
    withdrawn: dispute.withdrawn,
    reinstated,
    due_at: dispute.dueAt,
    updated_at: now,
  }
  if (before) {
    await tx.updateTable('disputes').set(state).where('id', '=', dispute.id).execute()
  } else {
    await tx
      .insertInto('disputes')
      .values({
        ...state,
        id: dispute.id,
        payment_id: payment.id,
        provider_ref: news.ref,
        amount_cents: dispute.amountCents,
        currency: payment.currency,
        reason: news.reason,
        created_at: now,
      })
      .execute()
  }
  return { before, dispute }
}

/** Moves money of a payment in the books of whoever the sale is credited to. */
export async function moveFunds(
  tx: Tx,
  now: Date,
  payment: Payment,
  code: LedgerCode,
  source: string,
  cents: number,
  [debit, credit]: [debit: Account, credit: Account],
): Promise<void> {
  const posting = post(now, {
    partnerId: payment.partner_id,
    environment: payment.environment,
    code,
    source,
    settlementId: null,
    currency: payment.currency,
    entries: [
      { account: debit, amount_cents: cents },
      { account: credit, amount_cents: -cents },
    ],
  })
  await tx.executeQuery(posting)
}

/** The buyer is owed a refund and has the money already, from the bank: that is the refund. */
export async function settleByBank(tx: Tx, now: Date, payment: Payment): Promise<void> {
  const lost = await tx
    .selectFrom('disputes')
    .select(['id', 'amount_cents'])
    .where('payment_id', '=', payment.id)
    .where('status', '=', 'lost')
    .execute()
  const accounts: [Account, Account] = ['buyer_refunds', 'dispute_losses']
  for (const { id, amount_cents } of lost) {
    await moveFunds(tx, now, payment, 'chargeback', id, amount_cents, accounts)
  }
}

/** How many disputes there are, by how they stand. */
export async function countDisputes(
  db: Database,
): Promise<{ environment: Environment; status: DisputeStatus; count: number }[]> {
  return await db
    .selectFrom('disputes as d')
    .innerJoin('payments as p', 'p.id', 'd.payment_id')
    .select(['p.environment', 'd.status', (row) => row.fn.countAll<number>().as('count')])
    .groupBy(['p.environment', 'd.status'])
    .execute()
}
