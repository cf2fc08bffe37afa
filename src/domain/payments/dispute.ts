import { sql } from 'kysely'
import { type Environment, partnerOf } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { newId } from '../../lib/ids.ts'
import { type Account, type LedgerCode, post, transfer } from '../ledger/ledger.ts'

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
export interface DisputeUpdate {
  /** What the provider calls it. */
  ref: string
  amountCents: number
  reason: string
  status: DisputeStatus
  /** Whether the provider took the money from the marketplace, and whether it gave it back. */
  withdrawn: boolean
  reinstated: boolean
  dueAt: Date | null
}

export interface Dispute extends DisputeUpdate {
  id: string
}

const OVER: DisputeStatus[] = ['inquiry_closed', 'won', 'lost']

/** What a bank takes money back from, and in whose books. */
export interface Disputed {
  payment_id: string | null
  charge_id: string | null
  partner_id: string
  environment: Environment
  amount_cents: number
  currency: string
}

/** Where the money goes: to the bank, from there back to the marketplace, or to the buyer for good. */
export type DisputeStep = 'withdrawn' | 'reinstated' | 'lost'

interface Move {
  code: LedgerCode
  accounts: [debit: Account, credit: Account]
}

const MOVES: Record<DisputeStep, Move> = {
  withdrawn: { code: 'dispute', accounts: ['disputed_funds', 'card_funds'] },
  reinstated: { code: 'dispute_won', accounts: ['card_funds', 'disputed_funds'] },
  lost: { code: 'dispute_lost', accounts: ['dispute_losses', 'disputed_funds'] },
}
/** All that can still happen to what was lost is that the bank thinks better of it. */
const TURNED_ROUND: Move = { code: 'dispute_won', accounts: ['card_funds', 'dispute_losses'] }

/**
 * Takes in how a dispute stands, moves the money in the books, and returns what happened that was not known
 * before. News may come twice and out of order: what is over stays over, and money that was seen to move
 * has moved.
 */
export async function followDispute(
  tx: Tx,
  now: Date,
  disputed: Disputed,
  update: DisputeUpdate,
): Promise<{ dispute: Dispute; steps: DisputeStep[] }> {
  const { before, dispute } = await recordDispute(tx, now, disputed, update)
  const steps: DisputeStep[] = []
  if (dispute.withdrawn && !before?.withdrawn) steps.push('withdrawn')
  const wasLost = before?.withdrawn === true && before.status === 'lost'
  if (dispute.reinstated && !before?.reinstated) steps.push('reinstated')
  else if (dispute.withdrawn && dispute.status === 'lost' && !wasLost) steps.push('lost')
  for (const step of steps) {
    const { code, accounts } = wasLost ? TURNED_ROUND : MOVES[step]
    await moveFunds(tx, now, disputed, code, dispute.id, dispute.amountCents, accounts)
  }
  return { dispute, steps }
}

async function recordDispute(
  tx: Tx,
  now: Date,
  disputed: Disputed,
  update: DisputeUpdate,
): Promise<{ before: Dispute | null; dispute: Dispute }> {
  const row = await tx
    .selectFrom('disputes')
    .selectAll()
    .where('provider_ref', '=', update.ref)
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
  const reinstated = update.reinstated || (before?.reinstated ?? false)
  const dispute: Dispute = {
    ...update,
    id: before?.id ?? newId('dp', now),
    // The ledger is in the currency of what was paid, and no bank can take more than was paid.
    amountCents: before?.amountCents ?? Math.min(update.amountCents, disputed.amount_cents),
    status: reinstated
      ? 'won'
      : isOver && !OVER.includes(update.status)
        ? before.status
        : update.status,
    withdrawn: update.withdrawn || reinstated || (before?.withdrawn ?? false),
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
        payment_id: disputed.payment_id,
        charge_id: disputed.charge_id,
        provider_ref: update.ref,
        amount_cents: dispute.amountCents,
        currency: disputed.currency,
        reason: update.reason,
        created_at: now,
      })
      .execute()
  }
  return { before, dispute }
}

/** Moves money in the books of whoever a sale is credited to. */
export async function moveFunds(
  tx: Tx,
  now: Date,
  books: Pick<Disputed, 'partner_id' | 'environment' | 'currency'>,
  code: LedgerCode,
  source: string,
  cents: number,
  [debit, credit]: Move['accounts'],
): Promise<void> {
  const posting = post(now, {
    ...partnerOf(books),
    code,
    source,
    settlementId: null,
    currency: books.currency,
    entries: transfer(debit, credit, cents),
  })
  await tx.executeQuery(posting)
}

/** What the banks have, and whether they have decided: there may be several disputes over one payment, or charge. */
export async function takenBy(
  tx: Tx,
  whose: { payment_id: string } | { charge_id: string },
): Promise<{ count: number; cents: number; isUndecided: boolean }> {
  const disputes = await tx
    .selectFrom('disputes')
    .select(['status', 'amount_cents'])
    .where((row) => row.and({ ...whose, withdrawn: true, reinstated: false }))
    .execute()
  return {
    count: disputes.length,
    cents: disputes.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
    isUndecided: disputes.some(({ status }) => status !== 'lost'),
  }
}

/** How much of what a bank gave the buyer stands in the place of a refund that we owed. */
export async function refundedBy(tx: Tx, disputeId: string): Promise<number> {
  const moves = await tx
    .selectFrom('ledger_transactions as t')
    .innerJoin('ledger_entries as e', 'e.transaction_id', 't.id')
    .select(['t.code', 'e.amount_cents'])
    .where('t.source', '=', disputeId)
    .where('t.code', 'in', ['chargeback', 'chargeback_undone'])
    .where('e.amount_cents', '>', 0)
    .execute()
  return moves.length === 1 ? (moves[0]?.amount_cents ?? 0) : 0
}

/** Renewals are charged in the live environment only, so that is where disputes over them are. */
export const disputeEnvironment = sql<Environment>`coalesce(p.environment, 'live')`

/** How many disputes there are, by how they stand. */
export async function countDisputes(
  db: Database,
): Promise<{ environment: Environment; status: DisputeStatus; count: number }[]> {
  return await db
    .selectFrom('disputes as d')
    .leftJoin('payments as p', 'p.id', 'd.payment_id')
    .select([disputeEnvironment.as('environment'), 'd.status'])
    .select((row) => row.fn.countAll<number>().as('count'))
    .groupBy([disputeEnvironment, 'd.status'])
    .execute()
}
