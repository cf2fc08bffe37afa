import { inTransaction } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Job } from '../../kernel/jobs.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { type Charge, claimDueCharges, lockCharge, updateCharge } from '../payments/charge.ts'
import { findMethod } from '../payments/payment-method.ts'
import { retryDelay } from '../payments/retry.ts'
import { noteChargeRefund } from './charge-refund.ts'
import { settleCharge } from './settle-charge.ts'

/**
 * Takes a charge one step on, outside any transaction. A provider that does not answer leaves it as it is,
 * to be tried again, ever later.
 *
 * @param isTold whether its user reads the outcome in an answer, so that a failure needs no mail
 */
export async function advanceCharge(house: House, charge: Charge, isTold: boolean): Promise<void> {
  try {
    await advance(house, charge, isTold)
  } catch (error) {
    house.log.warn({ err: error, charge_id: charge.id }, 'charges: the provider did not answer')
    const wait = retryDelay(charge.attempts)
    const now = house.clock.now()
    await inTransaction(house, async (tx) => {
      // Unless a webhook has brought the answer meanwhile, or a bank holds the refund up.
      const { due_at } = await lockCharge(tx, charge.id)
      if (due_at) await updateCharge(tx, charge.id, now, { due_at: after(now, wait) })
    })
  }
}

async function advance(house: House, charge: Charge, isTold: boolean): Promise<void> {
  const { cards } = house.payments.byName(charge.provider)
  if (charge.status === 'refund_due') {
    const ref = await cards.refund(charge)
    const refund = { ref, amountCents: charge.refund_cents, failure: null }
    const now = house.clock.now()
    return await inTransaction(house, (tx) =>
      noteChargeRefund({ tx, now, house }, charge.id, refund, true),
    )
  }
  const method = await findMethod(house.db, charge.payment_method_id)
  if (!method) throw new Error(`charge ${charge.id} has no payment method`)
  // Whoever tried before may have been heard.
  const known = charge.attempts > 0 ? await cards.lookUpCharge(charge, method) : null
  const description = 'Renewal of domains'
  const outcome = known ?? (await cards.charge({ charge, method, description }))
  const now = house.clock.now()
  await inTransaction(house, (tx) => settleCharge({ tx, now }, charge.id, outcome, isTold))
}

/** Goes on with charges whose outcome is not known yet, and with what is to go back. */
export const advanceCharges: Job = {
  name: 'advance_charges',
  everyMs: SECOND,
  asksOthers: true,
  async run(house, signal) {
    for (const charge of await claimDueCharges(house.db, house.clock.now())) {
      if (signal.aborted) return
      await advanceCharge(house, charge, false)
    }
  },
}
