import { post } from '../ledger/ledger.ts'
import { type Case, partnerOf } from './case.ts'
import type { MoveContext } from './status.ts'

/** A completed case in the ledger: the price that went from buyer to owner, and what the partner earned. */
export async function postDeal({ tx, now }: MoveContext, row: Case): Promise<void> {
  const price = row.price_cents ?? 0
  const commission = row.commission_cents ?? 0
  const posting = {
    ...partnerOf(row),
    source: row.case_id,
    settlementId: null,
    currency: row.currency,
  }
  await tx.executeQuery(
    post(tx, now, {
      ...posting,
      code: 'deal',
      entries: [
        { account: 'brokered_funds', amount_cents: price },
        { account: 'owner_proceeds', amount_cents: -price },
      ],
    }),
  )
  await tx.executeQuery(
    post(tx, now, {
      ...posting,
      code: 'commission',
      entries: [
        { account: 'commission_cost', amount_cents: commission },
        { account: 'commission_payable', amount_cents: -commission },
      ],
    }),
  )
}
