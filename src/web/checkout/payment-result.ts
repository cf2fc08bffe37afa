import { NOT_PAYABLE, PROVIDER_AWAY } from '../../domain/checkout/pay.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { Card } from '../../domain/payments/provider.ts'
import type { Problems } from './details.ts'

/** What became of a form that was to pay, where the buyer stays on its page. */
export interface PaymentResult {
  card: Card | null
  problems: Problems
  status: number
  /** Why nothing was charged, where no field is at fault. */
  rejected?: string
}

/** Why the last payment bought nothing, and whether another may; null where it did not fail. */
export function whyFailed(payment: Payment | undefined): string | null {
  if (payment?.status !== 'failed') return null
  const advice = ADVICE[payment.reason ?? ''] ?? 'Try again, or use another card.'
  return `${payment.reason} Nothing was charged. ${advice}`.trimEnd()
}

const ADVICE: Record<string, string> = {
  [NOT_PAYABLE]: '',
  [PROVIDER_AWAY]: 'Try again in a minute.',
}

export const NOT_SENT: PaymentResult = { card: null, problems: {}, status: 200 }
export const CHANGED =
  'The registrant was changed in the meantime. Nothing was charged. ' +
  'Please look at the details again before you pay.'
