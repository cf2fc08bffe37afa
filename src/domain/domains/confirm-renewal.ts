import type { AppContext } from '../../core/context.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Charge, findCharge, lockCharge, updateCharge } from '../payments/charge.ts'
import { findMethod } from '../payments/payment-method.ts'
import type { ChargeOutcome } from '../payments/saved-cards.ts'
import { settleOutcome } from './settle-charge.ts'

/** A user's charge; `not_found` for that of anybody else. */
export async function ownCharge(app: AppContext, userId: string, id: string): Promise<Charge> {
  const charge = await findCharge(app.db, { id })
  if (charge?.user_id !== userId) throw notFound('renewal')
  return charge
}

/**
 * The cardholder confirms a charge that the bank asked about. Returns the provider's page, or null once nothing is to be
 * confirmed any more.
 *
 * @param ourPage where they come back to
 */
export async function confirmCharge(
  app: AppContext,
  charge: Charge,
  ourPage: string,
): Promise<string | null> {
  if (charge.status !== 'confirmation_due') return null
  const { cards, label } = app.payments.byId(charge.provider)
  const method = await findMethod(app.db, charge.payment_method_id)
  if (!method) throw new Error(`charge ${charge.id} has no payment method`)
  const step = await cards.confirm({ charge, method, ourPage }).catch((error: unknown) => {
    app.log.warn({ err: error, charge_id: charge.id }, 'charges: the provider did not respond')
    throw new ApiError('unavailable', `${label} did not respond. Please try again.`)
  })
  if (step.kind !== 'elsewhere') {
    await settleOutcome(app, charge.id, step, false)
    return null
  }
  const { ref, url } = step
  const isOpen = await inTransaction(app, async (tx) => {
    const { status } = await lockCharge(tx, charge.id)
    if (status !== 'confirmation_due') return false
    await updateCharge(tx, charge.id, app.clock.now(), { confirmation_ref: ref })
    return true
  })
  if (isOpen) return url
  // It ended while the page was made: nobody may pay there any more.
  await cards.endConfirmation({ ...charge, confirmation_ref: ref })
  return null
}

/** Takes in how the confirmation of a charge stands; what the provider does not say now is asked again. */
export async function lookUpConfirmation(app: AppContext, charge: Charge): Promise<void> {
  if (charge.status !== 'confirmation_due') return
  try {
    const { cards } = app.payments.byId(charge.provider)
    const outcome = await cards.lookUpConfirmation(charge)
    if (outcome) await settleOutcome(app, charge.id, outcome, false)
  } catch (error) {
    app.log.warn({ err: error, charge_id: charge.id }, 'charges: the provider did not respond')
  }
}

/** The cardholder would rather not: nothing is charged, and the names can be renewed with another card. */
export async function declineConfirmation(app: AppContext, charge: Charge): Promise<void> {
  if (charge.status !== 'confirmation_due') return
  await settleOutcome(app, charge.id, await endConfirmation(app, charge), true)
}

/** Its time is over: nobody can confirm it any more, unless somebody just has. */
export async function endConfirmation(app: AppContext, charge: Charge): Promise<ChargeOutcome> {
  const { cards } = app.payments.byId(charge.provider)
  await cards.endConfirmation(charge)
  return (
    (await cards.lookUpConfirmation(charge)) ?? {
      kind: 'failed',
      ref: null,
      reason: 'The payment was not confirmed in time.',
    }
  )
}
