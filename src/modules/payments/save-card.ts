import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Job } from '../../kernel/jobs.ts'
import { MINUTE } from '../../lib/clock.ts'
import { isGivenUp, type PaymentMethod, pendingMethods, settleMethod } from './payment-method.ts'
import { NOT_SAVED, type SaveOutcome } from './saved-cards.ts'

/** Takes in what became of saving a card; the one that it replaces is forgotten. */
export async function settleSaving(house: House, id: string, outcome: SaveOutcome): Promise<void> {
  const now = house.clock.now()
  const replaced = await inTransaction(house, (tx) => settleMethod(tx, now, id, outcome))
  if (replaced) await house.payments.byName(replaced.provider).cards.forget(replaced)
}

/** Whoever saved a card and did not come back has it none the less. */
export const settlePendingCards: Job = {
  name: 'settle_pending_cards',
  everyMs: MINUTE,
  asksOthers: true,
  async run(house, signal) {
    for (const method of await pendingMethods(house.db)) {
      if (signal.aborted) return
      try {
        await settlePending(house, method)
      } catch (error) {
        // Its provider is away, or knows it no more: that holds up no other card.
        const { id } = method
        house.log.warn({ err: error, payment_method_id: id }, 'cards: one was not looked up')
      }
    }
  },
}

async function settlePending(house: House, method: PaymentMethod): Promise<void> {
  const isOver = isGivenUp(method, house.clock.now())
  const lookedUp = house.payments.byName(method.provider).cards.lookUp(method)
  const outcome = await (isOver ? lookedUp.catch(() => NOT_SAVED) : lookedUp)
  const isOpen = outcome.kind === 'action_required'
  await settleSaving(house, method.id, isOver && isOpen ? NOT_SAVED : outcome)
}
