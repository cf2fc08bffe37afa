import type { AppContext } from '../../core/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { applyAccount } from '../payees/connect-payee.ts'
import type { RailTransfer, RailUpdate } from '../payees/payout-rail.ts'
import { applyMove } from './move-payout.ts'

/** Takes in what a provider says of its own accord; said again, it changes nothing. */
export async function applyRailUpdate(app: AppContext, update: RailUpdate): Promise<void> {
  if (update.kind === 'account') await applyAccount(app, update.account)
  else await settleTransfer(app, update.transfer)
}

/** Marks a payout by how its transfer stands. One of another purpose is none of ours. */
export async function settleTransfer(
  app: AppContext,
  { payoutId, ref, status }: RailTransfer,
): Promise<void> {
  await inTransaction(app, async (tx) => {
    const now = app.clock.now()
    const payout = await tx
      .selectFrom('payouts')
      .selectAll()
      .where('id', '=', payoutId)
      .forUpdate()
      .executeTakeFirst()
    if (!payout || (payout.transfer_ref ?? ref) !== ref) return
    await tx.updateTable('payouts').set({ transfer_ref: ref }).where('id', '=', payoutId).execute()
    const held = { ...payout, transfer_ref: ref }
    if (status === 'paid') {
      if (held.status === 'processing') await applyMove({ tx, now, app }, held, 'paid', null)
    } else if (held.status === 'paid' || held.status === 'processing') {
      const move = held.status === 'paid' ? 'return' : 'fail'
      await applyMove({ tx, now, app }, held, move, 'The transfer was reversed.')
    }
  })
}
