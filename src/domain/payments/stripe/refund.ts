import type { Stripe } from 'stripe'
import type { RefundPart } from '../provider.ts'
import { fromStripe } from './amount.ts'

/** As many as a page of Stripe's lists has. */
const MOST_REFUNDS = 100

/**
 * What has been sent back of a payment, by us or by others. One of ours is looked for among these before it is made:
 * Stripe forgets idempotency keys after a day, and a response may stay lost for longer.
 */
export async function refundsOf(stripe: Stripe, intent: string): Promise<Stripe.Refund[]> {
  const { data } = await stripe.refunds.list({ payment_intent: intent, limit: MOST_REFUNDS })
  return data
}

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
