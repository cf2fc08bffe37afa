import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MINUTE } from '../../lib/clock.ts'
import {
  forgetLater,
  isAbandoned,
  methodsToForget,
  noteForgotten,
  type PaymentMethod,
  pendingMethods,
  settleMethod,
} from './payment-method.ts'
import { NOT_SAVED, type SaveOutcome } from './saved-cards.ts'

/** Takes in what became of saving a card; the one that it replaces is forgotten. */
export async function settleSaving(
  app: AppContext,
  id: string,
  outcome: SaveOutcome,
): Promise<void> {
  const now = app.clock.now()
  const replaced = await inTransaction(app, (tx) => settleMethod(tx, now, id, outcome))
  if (replaced) await app.payments.byId(replaced.provider).cards.forget(replaced)
}

/** Has providers forget cards that were removed. One that is away is not waited for: nothing charges them any more. */
export async function forgetCards(app: AppContext, cards: PaymentMethod[]): Promise<void> {
  for (const card of cards) {
    try {
      await app.payments.byId(card.provider).cards.forget(card)
    } catch (error) {
      app.log.warn({ err: error, payment_method_id: card.id }, 'cards: one was not forgotten')
    }
  }
}

/** Has providers forget the cards of people who were erased, however long one of them is away. */
export const forgetErasedCards: Job = {
  name: 'forget_erased_cards',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run({ db, clock, log, payments }, signal) {
    for (const card of await methodsToForget(db, clock.now())) {
      if (signal.aborted) return
      try {
        await payments.byId(card.provider).cards.forget(card)
        await noteForgotten(db, clock.now(), card.id)
      } catch (error) {
        log.warn({ err: error, payment_method_id: card.id }, 'cards: one was not forgotten')
        await forgetLater(db, clock.now(), card.id)
      }
    }
  },
}

/** Whoever saved a card and did not come back has it none the less. */
export const settlePendingCards: Job = {
  name: 'settle_pending_cards',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    for (const method of await pendingMethods(app.db)) {
      if (signal.aborted) return
      try {
        await settlePending(app, method)
      } catch (error) {
        // Its provider is away, or knows it no more: that holds up no other card.
        const { id } = method
        app.log.warn({ err: error, payment_method_id: id }, 'cards: one was not looked up')
      }
    }
  },
}

async function settlePending(app: AppContext, method: PaymentMethod): Promise<void> {
  const isOver = isAbandoned(method, app.clock.now())
  // Its page is being made just now.
  if (method.setup_ref === null && !isOver) return
  const lookedUp = app.payments.byId(method.provider).cards.lookUp(method)
  const outcome = await (isOver ? lookedUp.catch(() => NOT_SAVED) : lookedUp)
  const isOpen = outcome.kind === 'action_required'
  await settleSaving(app, method.id, isOver && isOpen ? NOT_SAVED : outcome)
}
