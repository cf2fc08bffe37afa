import type { Stripe } from 'stripe'
import type { RefundPart } from '../provider.ts'
import { fromStripe } from './amount.ts'

export function partOf({ id, amount, currency }: Stripe.Refund): RefundPart {
  return { ref: id, amountCents: fromStripe(amount, currency) }
}

/** Why it did not, or will not, reach the card; null as long as nothing is wrong. */
export function failureOf({ status, failure_reason }: Stripe.Refund): string | null {
  return status === 'failed' || status === 'canceled' ? (failure_reason ?? status) : null
}

/** Which of our refunds it is; null when somebody made it at Stripe itself. */
export function roundOf({ metadata }: Stripe.Refund): number | null {
  return metadata?.round === undefined ? null : Number(metadata.round)
}
