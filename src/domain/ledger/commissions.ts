import { type CompiledQuery, sql } from 'kysely'
import { type Environment, type Partner, partnerOf } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { after, DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Account, LedgerCode } from './ledger.ts'

export const COMMISSION_TYPES = ['accrued', 'pending', 'paid_out', 'reversed'] as const
export type CommissionType = (typeof COMMISSION_TYPES)[number]

/** What was earned: a commission on sales, one on brokerage, or a seller's share of a sale. */
export const COMMISSION_KINDS = ['commission', 'brokerage', 'sale'] as const
export type CommissionKind = (typeof COMMISSION_KINDS)[number]

/** One movement of one sale's commission. */
export interface CommissionMove {
  type: CommissionType
  kind: CommissionKind
  /** The order or the case that earned it. */
  saleId: string
  /** What moved it, if not the sale itself: its id makes the posting unique. */
  cause?: string
  /** How much moves, as it was accrued: of a reversal that stands in a payout it is negative. */
  cents: number
  payoutId?: string
  /** The entry that a payout takes up, which makes its posting unique. */
  entryId?: string
  /** The payout came back: its posting is another one. */
  isReturn?: boolean
  payableAt?: Date
}

/** When a commission that is earned now may be paid out: live ones are held, for refunds and disputes. */
export function payableFrom(
  { commissionHoldDays }: Pick<Settings, 'commissionHoldDays'>,
  environment: Environment,
  now: Date,
): Date {
  return environment === 'live' ? after(now, commissionHoldDays * DAY) : now
}

interface Rule {
  code: LedgerCode
  debit: Account
  credit: Account
  /** What it does to the balance that the marketplace owes. */
  sign: 1 | 0 | -1
}

/** Which accounts each type moves money between. A place in a payout still is owed, so it adds nothing. */
const RULES: Record<CommissionType, Rule> = {
  accrued: { code: 'commission', debit: 'commission_cost', credit: 'commission_payable', sign: 1 },
  reversed: { code: 'reversal', debit: 'commission_payable', credit: 'commission_cost', sign: -1 },
  pending: {
    code: 'payout_pending',
    debit: 'commission_payable',
    credit: 'payouts_pending',
    sign: 0,
  },
  paid_out: { code: 'payout_paid', debit: 'payouts_pending', credit: 'bank', sign: -1 },
}

/** A seller's share is no cost of a commission: it is what the sale brought in. */
const SHARE_RULES: Partial<Record<CommissionType, Rule>> = {
  accrued: { ...RULES.accrued, code: 'seller_share', debit: 'seller_proceeds' },
  reversed: { ...RULES.reversed, code: 'seller_share_reversed', credit: 'seller_proceeds' },
}

function ruleOf({ type, kind }: CommissionMove): Rule {
  return (kind === 'sale' && SHARE_RULES[type]) || RULES[type]
}

/** With the ledger's code, what makes a posting unique. */
function sourceOf({ saleId, cause, payoutId, entryId, isReturn }: CommissionMove): string {
  if (payoutId === undefined) return cause ?? saleId
  return `${payoutId}:${entryId}${isReturn ? ':returned' : ''}`
}

/**
 * The statement that writes commission movements: each a ledger transaction, and an entry with the
 * balance after it. Positions and balances are given out under the row lock of the partner's balance,
 * which holds to the commit, so they follow the order of commits. A repeat fails, by the ledger's code
 * and source: whoever posts holds the order, case or payout that it is about.
 */
export function postCommissions(
  tx: Tx,
  now: Date,
  { partnerId, environment }: Partner,
  currency: string,
  moves: CommissionMove[],
): CompiledQuery {
  const rows = moves.map((move) => {
    const { code, debit, credit, sign } = ruleOf(move)
    return {
      ...move,
      code,
      debit,
      credit,
      change: sign * move.cents,
      source: sourceOf(move),
    }
  })
  const texts = (pick: (row: (typeof rows)[number]) => string | null) =>
    sql`${rows.map(pick)}::text[]`
  const total = rows.reduce((sum, { change }) => sum + change, 0)
  // By its row lock positions and balances follow the order of commits.
  const balanceBefore = sql`
      insert into commission_balances as b
        (partner_id, environment, currency, balance_cents, last_position)
      values (${partnerId}, ${environment}, ${currency}, ${total}, ${rows.length})
      on conflict (partner_id, environment, currency) do update
        set balance_cents = b.balance_cents + excluded.balance_cents,
          last_position = b.last_position + excluded.last_position
      returning balance_cents - ${total}::bigint as cents,
        last_position - ${rows.length}::bigint as position`
  // As arrays, so that the statement's text is the same however many there are.
  const allMoves = sql`
      select m.*, m.change::bigint as change_cents
      from unnest(${texts(() => newId('txn', now))}, ${texts(() => newId('cme', now))},
        ${texts(({ code }) => code)}, ${texts(({ source }) => source)}, ${texts(({ type }) => type)},
        ${texts(({ kind }) => kind)}, ${texts(({ saleId }) => saleId)},
        ${texts(({ payoutId }) => payoutId ?? null)}, ${texts(({ debit }) => debit)},
        ${texts(({ credit }) => credit)}, ${rows.map(({ cents }) => cents)}::bigint[],
        ${rows.map(({ change }) => change)}::bigint[],
        ${texts(({ payableAt }) => payableAt?.toISOString() ?? null)})
        with ordinality as m (transaction_id, id, code, source, type, kind, sale_id, payout_id, debit,
          credit, cents, change, payable_at, place)`
  // Where a repeat fails: code and source are unique.
  const transactions = sql`
      insert into ledger_transactions
        (id, environment, partner_id, code, source, settlement_id, currency, at)
      select transaction_id, ${environment}, ${partnerId}, code, source, null, ${currency}, ${now}
      from moves
      returning id`
  // Two of each transaction, which add up to zero; a movement of nothing has none.
  const lines = sql`
      insert into ledger_entries (transaction_id, account, amount_cents)
      select transaction_id, e.account, e.amount_cents
      from moves join transactions on transactions.id = moves.transaction_id,
        lateral (values (debit, cents), (credit, -cents)) as e (account, amount_cents)
      where e.amount_cents <> 0`
  return sql`
    with balance_before as (${balanceBefore}), moves as (${allMoves}),
      transactions as (${transactions}), lines as (${lines})
    insert into commission_entries (id, transaction_id, partner_id, environment, currency, position, type,
      kind, amount_cents, balance_cents, sale_id, payout_id, payable_at, created_at)
    select moves.id, transaction_id, ${partnerId}, ${environment}, ${currency}, position + place, type,
      kind, change_cents, balance_before.cents + sum(change_cents) over (order by place), sale_id,
      payout_id, payable_at::timestamptz, ${now}
    from moves, balance_before
    order by place`.compile(tx)
}

/** Notes up to which position payouts have taken up commissions; whoever does holds the balance. */
export async function takeUpTo(
  tx: Tx,
  { partnerId, environment }: Partner,
  currency: string,
  position: number,
): Promise<void> {
  await tx
    .updateTable('commission_balances')
    .set({ taken_up_position: position })
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .where('currency', '=', currency)
    .execute()
}

/**
 * Takes back what a sale earned its partner, or the user whose domain it was, as far as it has not been
 * taken back, or gives back what was taken. The balance may fall below zero; later sales make up for it.
 * Returns by how much the sale earns more than before. The cause is whatever is behind it, once each.
 */
export async function changeEarned(
  tx: Tx,
  now: Date,
  saleId: string,
  type: 'reversed' | 'accrued',
  cause: string = saleId,
  whose: 'partner' | 'seller' = 'partner',
): Promise<number> {
  const rows = await tx
    .selectFrom('commission_entries')
    .selectAll()
    .where('sale_id', '=', saleId)
    .where('type', 'in', ['accrued', 'reversed'])
    .where('kind', whose === 'seller' ? '=' : '<>', 'sale')
    .orderBy('position')
    .execute()
  const [first] = rows
  const earned = rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  if (!first || (type === 'reversed') !== earned > 0) return 0
  const cents = first.amount_cents
  const statement = postCommissions(tx, now, partnerOf(first), first.currency, [
    {
      type,
      kind: first.kind,
      saleId,
      cause,
      cents,
      // Not before what it takes back, or it would be kept back from other commissions meanwhile.
      ...(first.payable_at && { payableAt: first.payable_at }),
    },
  ])
  await tx.executeQuery(statement)
  return type === 'reversed' ? -cents : cents
}
