import { claimDue } from '../../core/claim-due.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { CHARGE_LEASE, type Charge, lockCharge, updateCharge } from '../payments/charge.ts'
import { findMethod, type PaymentMethod } from '../payments/payment-method.ts'
import { retryDelay } from '../payments/retry.ts'
import type { ChargeOutcome } from '../payments/saved-cards.ts'
import { captureCharge } from './capture-charge.ts'
import { recordChargeRefund } from './charge-refund.ts'
import { endConfirmation } from './confirm-renewal.ts'
import { NOT_CONNECTED } from './registrar.ts'
import { settleOutcome } from './settle-charge.ts'

/**
 * Takes a charge one step on, outside any transaction. A provider that does not respond leaves it as it is,
 * to be tried again, ever later.
 *
 * @param isTold whether its user reads the outcome in a response, so that a failure needs no mail
 */
export async function advanceCharge(
  app: AppContext,
  charge: Charge,
  isTold: boolean,
): Promise<void> {
  try {
    await advance(app, charge, isTold)
  } catch (error) {
    app.log.warn({ err: error, charge_id: charge.id }, 'charges: the provider did not respond')
    const wait = retryDelay(charge.attempts)
    const now = app.clock.now()
    await inTransaction(app, async (tx) => {
      // Unless a webhook has brought the response by now, or a bank holds the refund up.
      const { due_at } = await lockCharge(tx, charge.id)
      if (due_at) await updateCharge(tx, charge.id, now, { due_at: after(now, wait) })
    })
  }
}

async function advance(app: AppContext, charge: Charge, isTold: boolean): Promise<void> {
  const { cards } = app.payments.byId(charge.provider)
  if (charge.status === 'refund_due') {
    const ref = await cards.refund(charge)
    const refund = { ref, amountCents: charge.refund_cents, failure: null }
    const now = app.clock.now()
    return await inTransaction(app, (tx) =>
      recordChargeRefund({ tx, now, app }, charge.id, refund, true),
    )
  }
  if (charge.status === 'capture_due') return await captureCharge(app, charge)
  if (charge.status === 'confirmation_due') {
    return await settleOutcome(app, charge.id, await endConfirmation(app, charge), isTold)
  }
  const method = await findMethod(app.db, charge.payment_method_id)
  if (!method) throw new Error(`charge ${charge.id} has no payment method`)
  // Whoever tried before may have been heard.
  const known = charge.attempts > 0 ? await cards.lookUpCharge(charge, method) : null
  const outcome = known ?? (await chargeOrFail(app, charge, method))
  await settleOutcome(app, charge.id, outcome, isTold)
}

/** Charges nothing for what nothing can perform any more. */
async function chargeOrFail(
  app: AppContext,
  charge: Charge,
  method: PaymentMethod,
): Promise<ChargeOutcome> {
  if (app.settings.registry === 'live' && !charge.manual_capture) {
    return { kind: 'failed', ref: null, reason: NOT_CONNECTED }
  }
  const { cards } = app.payments.byId(charge.provider)
  return await cards.charge({ charge, method, description: 'Renewal of domains' })
}

/** Goes on with charges whose outcome is not known yet, and with what is to go back. */
export const advanceCharges: Job = {
  name: 'advance_charges',
  everyMs: SECOND,
  queriesUpstream: true,
  async run(app, signal) {
    for (const charge of await claimDue(app.db, 'charges', app.clock.now(), CHARGE_LEASE)) {
      if (signal.aborted) return
      await advanceCharge(app, charge, false)
    }
  },
}
