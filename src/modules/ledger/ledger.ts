import { type CompiledQuery, sql } from 'kysely'
import type { Environment, Tx } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    ledger_transactions: {
      id: string
      environment: Environment
      partner_id: string
      code: LedgerCode
      source: string
      settlement_id: string | null
      currency: string
      at: Date
    }
    ledger_entries: { transaction_id: string; account: Account; amount_cents: number }
  }
}

/**
 * The accounts, each kept per partner, environment and currency. Debits are positive.
 *
 * - `partner_funds`: what the partner holds of the house's money, buyers' payments that it collected.
 * - `undelivered_sales`: what the house owes buyers, as domains still to be delivered.
 * - `sales`: what the house earned by delivering.
 * - `partner_commission`: what the partner keeps of it.
 * - `partner_receivable`: what closed statements say that the partner owes.
 * - `card_funds`: what payment providers hold for the house, buyers' payments that it collected.
 * - `buyer_refunds`: what the house owes buyers whose payment bought nothing.
 * - `commission_cost`: what commissions on the house's own collections and deals cost it.
 * - `commission_payable`: what it owes the partner of them.
 * - `payouts_pending`: the part of it that stands in payouts under way.
 * - `bank`: what has left the house's bank account for the partner.
 * - `brokered_funds`: what buyers paid for domains that the house brokered.
 * - `owner_proceeds`: what of it is their former owners'.
 */
export type Account =
  | 'partner_funds'
  | 'undelivered_sales'
  | 'sales'
  | 'partner_commission'
  | 'partner_receivable'
  | 'card_funds'
  | 'buyer_refunds'
  | 'commission_cost'
  | 'commission_payable'
  | 'payouts_pending'
  | 'bank'
  | 'brokered_funds'
  | 'owner_proceeds'

/** What moved money, one word a cause: with its source it is unique. */
export type LedgerCode =
  | 'sale'
  | 'delivery'
  | 'refund'
  | 'settlement'
  | 'charge'
  | 'unsold_charge'
  | 'unsold_refund'
  | 'commission'
  | 'reversal'
  | 'payout_pending'
  | 'payout_paid'
  | 'payout_returned'
  | 'deal'

export interface Posting {
  environment: Environment
  partnerId: string
  code: LedgerCode
  /** The id of what caused it: an order's, a case's or a settlement's. */
  source: string
  /** The statement that it belongs to. */
  settlementId: string | null
  currency: string
  entries: { account: Account; amount_cents: number }[]
}

/**
 * The statement that writes a balanced transaction. Posting the same code and source again changes
 * nothing; neither does a posting of nothing.
 */
export function post(tx: Tx, now: Date, posting: Posting): CompiledQuery {
  const entries = posting.entries.filter(({ amount_cents }) => amount_cents !== 0)
  return sql`
    with entered as (
      insert into ledger_transactions
        (id, environment, partner_id, code, source, settlement_id, currency, at)
      select ${newId('txn', now)}, ${posting.environment}, ${posting.partnerId}, ${posting.code},
        ${posting.source}, ${posting.settlementId}, ${posting.currency}, ${now}
      where ${entries.length}::int > 0
      on conflict (code, source) do nothing
      returning id
    )
    insert into ledger_entries (transaction_id, account, amount_cents)
    select entered.id, e.account, e.amount_cents
    from entered, unnest(${entries.map(({ account }) => account)}::text[],
      ${entries.map(({ amount_cents }) => amount_cents)}::bigint[]) as e (account, amount_cents)`.compile(
    tx,
  )
}
