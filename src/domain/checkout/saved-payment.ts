import type { AppContext } from '../../core/context.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import { LONGEST_HOLD_MS, type Payment } from '../payments/payment.ts'
import { findMethod } from '../payments/payment-method.ts'
import type { Outcome } from '../payments/provider.ts'
import type { Chargeable, ChargeOutcome } from '../payments/saved-cards.ts'

/** Its buyer has confirmed the price for so long: what was not charged by then is not charged. */
export const SAVED_PAYMENT_MS = 10 * MINUTE
/** Longer than the call to the provider takes: from then on the job asks what became of it. */
export const SAVED_LEASE_MS = MINUTE

/** What a payment says of which the bank wants to hear from the cardholder, who is not there (3-D Secure). */
export const CARDHOLDER_ASKED = 'The bank wants the cardholder to confirm this payment.'

/** Charges the saved card that a payment names, outside any transaction. It may be repeated with the same effect. */
export async function chargeSaved(app: AppContext, payment: Payment): Promise<Outcome> {
  const { cards, method } = await cardOf(app, payment)
  const description = `Purchase of ${await domainOf(app, payment)}`
  return asOutcome(
    app,
    payment,
    await cards.charge({ charge: chargeOf(payment), method, description }),
  )
}

/**
 * How a payment stands, by whichever way it was made. One with a saved card that never reached the provider, since the
 * service stopped in between, is charged now, or fails when its time is over.
 */
export async function lookUpPayment(app: AppContext, payment: Payment): Promise<Outcome> {
  if (payment.payment_method_id === null) {
    return await app.payments.byId(payment.provider).lookUp(payment)
  }
  const { cards, method } = await cardOf(app, payment)
  const known = await cards.lookUpCharge(chargeOf(payment), method)
  if (known) return asOutcome(app, payment, known)
  if (after(payment.created_at, SAVED_PAYMENT_MS) > app.clock.now()) {
    return await chargeSaved(app, payment)
  }
  return { kind: 'failed', ref: null, reason: 'The card was not charged in time.' }
}

async function cardOf(app: AppContext, payment: Payment) {
  const method = await findMethod(app.db, payment.payment_method_id ?? '')
  if (!method) throw new Error(`payment ${payment.id} has no saved card`)
  return { cards: app.payments.byId(payment.provider).cards, method }
}

async function domainOf({ db }: AppContext, { session_id }: Payment): Promise<string> {
  const { domain } = await db
    .selectFrom('checkout_sessions')
    .select('domain')
    .where('id', '=', session_id)
    .executeTakeFirstOrThrow()
  return domain
}

function chargeOf(payment: Payment): Chargeable {
  return { ...payment, manual_capture: false }
}

/** Nobody is there to confirm it, so a bank that asks for that has declined it: this charge is never made. */
function asOutcome(app: AppContext, payment: Payment, outcome: ChargeOutcome): Outcome {
  switch (outcome.kind) {
    case 'processing':
      return { ...outcome, until: after(payment.created_at, LONGEST_HOLD_MS) }
    case 'confirmation_due':
      return { kind: 'failed', ref: outcome.ref, reason: CARDHOLDER_ASKED }
    case 'authorized':
      app.log.error({ payment_id: payment.id }, 'payments: a purchase was authorized only')
      return { kind: 'failed', ref: outcome.ref, reason: 'The card was not charged.' }
    default:
      return outcome
  }
}
