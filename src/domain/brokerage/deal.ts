import { partnerOf } from '../../core/caller.ts'
import { payableFrom, postCommissions } from '../ledger/commissions.ts'
import { post, transfer } from '../ledger/ledger.ts'
import type { Case } from './case.ts'
import type { MoveContext } from './status.ts'

/** A completed case in the ledger: the price that went from buyer to owner, and what the partner earned. */
export async function postDeal({ tx, now, app }: MoveContext, row: Case): Promise<void> {
  const partner = partnerOf(row)
  const commission = row.commission_cents ?? 0
  const deal = post(now, {
    ...partner,
    code: 'deal',
    source: row.case_id,
    settlementId: null,
    currency: row.currency,
    entries: transfer('brokered_funds', 'owner_proceeds', row.price_cents ?? 0),
  })
  await tx.executeQuery(deal)
  if (commission === 0) return
  const accrued = postCommissions(tx, now, partner, row.currency, [
    {
      type: 'accrued',
      kind: 'brokerage',
      saleId: row.case_id,
      cents: commission,
      payableAt: payableFrom(app.settings, row.environment, now),
    },
  ])
  await tx.executeQuery(accrued)
}
