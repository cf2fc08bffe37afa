import type { Stripe } from 'stripe'
import { after, type Clock, DAY, HOUR, MINUTE } from '../../../lib/clock.ts'
import type { Outcome } from '../provider.ts'
import { fromStripe } from './amount.ts'

/** How long a page of Stripe's is open, for a card or a payment: it takes 30 minutes to 24 hours. */
export const PAGE_LIFETIME_MS = HOUR
/** What a session is read with, so that it tells the card, and how its payment stands. */
export const WITH_CARD = { expand: ['payment_intent.payment_method'] }
export const POLL_MS = 15 * MINUTE
/** How long Stripe's slowest method of payment, a SEPA direct debit, may take. */
const SLOWEST_MS = 14 * DAY

/** A payment that was not made, and why. */
export function failed(session: Stripe.Checkout.Session, reason: string): Outcome {
  return { kind: 'failed', ref: session.id, reason }
}

/** How the payment on a page of Stripe's stands. */
export function readSession(session: Stripe.Checkout.Session, clock: Clock): Outcome {
  if (session.payment_status === 'paid') {
    const currency = session.currency ?? ''
    return {
      kind: 'succeeded',
      ref: session.id,
      amountCents: fromStripe(session.amount_total ?? 0, currency),
      currency: currency.toUpperCase(),
      card: cardOf(session),
    }
  }
  if (session.status === 'expired') return failed(session, 'The payment was not made in time.')
  const now = clock.now()
  const dueAt = after(now, POLL_MS)
  if (session.status === 'open' && session.url) {
    return { kind: 'action_required', ref: session.id, url: session.url, dueAt }
  }
  // A bank may reject a debit days after it was given, and the session never says so itself.
  const status = intentOf(session)?.status
  if (status === 'requires_payment_method' || status === 'canceled') {
    return failed(session, 'The payment failed.')
  }
  return { kind: 'processing', ref: session.id, dueAt, until: after(now, SLOWEST_MS) }
}

/** What the session is paid by, of one that was read with `WITH_CARD`. */
function intentOf({ payment_intent }: Stripe.Checkout.Session): Stripe.PaymentIntent | null {
  return typeof payment_intent === 'object' ? payment_intent : null
}

function cardOf(session: Stripe.Checkout.Session): string | undefined {
  const method = intentOf(session)?.payment_method
  const card = typeof method === 'object' ? method?.card : null
  return card ? cardLabel(card) : undefined
}

/** A card as its owner knows it: `Visa ending in 4242`. */
export function cardLabel({ brand, last4 }: { brand: string; last4: string }): string {
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`
}
