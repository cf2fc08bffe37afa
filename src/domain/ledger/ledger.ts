import { type CompiledQuery, sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import { prepared } from '../../db/prepared.ts'
import { newId } from '../../lib/ids.ts'

/**
 * The accounts, each kept per partner, environment and currency. Debits are positive.
 *
 * - `partner_funds`: what the partner holds of the marketplace's money, buyers' payments that it collected.
 * - `undelivered_sales`: what the marketplace owes buyers, as domains still to be delivered.
 * - `sales`: what the marketplace earned by delivering.
 * - `partner_commission`: what the partner keeps of it.
 * - `partner_receivable`: what closed statements say that the partner owes.
 * - `bank_receipts`: what of it partners have paid into the marketplace's bank account.
 * - `card_funds`: what payment providers hold for the marketplace, buyers' payments that it collected.
 * - `buyer_refunds`: what the marketplace owes buyers whose payment bought nothing, or whose order was taken back.
 * - `goodwill_refunds`: what operators gave buyers back at the payment provider itself, beside what was owed.
 * - `bank_refunds`: what of `buyer_refunds` has left the marketplace's bank account, since no card would take it.
 * - `disputed_funds`: what banks took from `card_funds` while they decide who is right.
 * - `dispute_losses`: what they gave to the buyers for good.
 * - `commission_cost`: what commissions on the marketplace's own collections and deals cost it.
 * - `commission_payable`: what it owes the partner of them, or a user who sold a domain.
 * - `payouts_pending`: the part of it that stands in payouts under way.
 * - `bank`: what has left the marketplace's bank account for the partner.
 * - `brokered_funds`: what buyers paid for domains that the marketplace brokered.
 * - `owner_proceeds`: what of it is their former owners'.
 * - `tax_payable`: what buyers paid as tax, which the marketplace owes a tax office.
 * - `renewals`: what the marketplace earned by renewing its users' domains.
 * - `seller_proceeds`: what of `sales` is the share of the users whose domains were sold.
 */
export type Account =
  | 'partner_funds'
  | 'undelivered_sales'
  | 'sales'
  | 'partner_commission'
  | 'partner_receivable'
  | 'bank_receipts'
  | 'card_funds'
  | 'buyer_refunds'
  | 'goodwill_refunds'
  | 'bank_refunds'
  | 'disputed_funds'
  | 'dispute_losses'
  | 'commission_cost'
  | 'commission_payable'
  | 'payouts_pending'
  | 'bank'
  | 'brokered_funds'
  | 'owner_proceeds'
  | 'tax_payable'
  | 'renewals'
  | 'seller_proceeds'

/** What moved money, one word a cause: with its source it is unique. */
export type LedgerCode =
  | 'sale'
  | 'delivery'
  | 'refund'
  | 'settlement'
  | 'receipt'
  | 'charge'
  | 'unsold_charge'
  | 'card_refund'
  | 'card_refund_failed'
  | 'bank_refund'
  | 'goodwill_refund'
  | 'goodwill_failed'
  | 'goodwill_applied'
  | 'goodwill_missed'
  | 'dispute'
  | 'dispute_won'
  | 'dispute_lost'
  | 'chargeback'
  | 'chargeback_undone'
  | 'commission'
  | 'reversal'
  | 'payout_pending'
  | 'payout_paid'
  | 'payout_returned'
  | 'tax'
  | 'tax_refund'
  | 'deal'
  | 'renewal_charge'
  | 'renewal_refund'
  | 'renewal_refund_failed'
  | 'seller_share'
  | 'seller_share_reversed'

interface Entry {
  account: Account
  amount_cents: number
}

/** The two entries by which an amount goes to one account from another; they add up to zero. */
export function transfer(debit: Account, credit: Account, cents: number): Entry[] {
  return [
    { account: debit, amount_cents: cents },
    { account: credit, amount_cents: -cents },
  ]
}

export interface Posting {
  environment: Environment
  partnerId: string
  code: LedgerCode
  /** The id of what caused it, such as an order's, a payment's or a settlement's. */
  source: string
  /** The statement that it belongs to. */
  settlementId: string | null
  currency: string
  entries: Entry[]
}

/**
 * The statement that writes a balanced transaction. Posting the same code and source again changes
 * nothing; neither does a posting of nothing.
 */
export function post(now: Date, { entries, ...posting }: Posting): CompiledQuery {
  const moved = entries.filter(({ amount_cents }) => amount_cents !== 0)
  return insertTransaction({
    ...posting,
    now,
    id: newId('txn', now),
    isSomething: moved.length > 0,
    accounts: moved.map(({ account }) => account),
    amounts: moved.map(({ amount_cents }) => amount_cents),
  })
}

interface Entered extends Omit<Posting, 'entries'> {
  now: Date
  id: string
  isSomething: boolean
  accounts: Account[]
  amounts: number[]
}

const insertTransaction = prepared((db, values: Entered) =>
  sql`
    with entered as (
      insert into ledger_transactions
        (id, environment, partner_id, code, source, settlement_id, currency, at)
      select ${values.id}, ${values.environment}, ${values.partnerId}, ${values.code},
        ${values.source}, ${values.settlementId}, ${values.currency}, ${values.now}
      where ${values.isSomething}::boolean
      on conflict (code, source) do nothing
      returning id
    )
    insert into ledger_entries (transaction_id, account, amount_cents)
    select entered.id, e.account, e.amount_cents
    from entered, unnest(${values.accounts}::text[], ${values.amounts}::bigint[])
      as e (account, amount_cents)`.compile(db),
)
