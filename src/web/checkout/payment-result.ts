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

export const NOT_SENT: PaymentResult = { card: null, problems: {}, status: 200 }
export const CHANGED =
  'The registrant was changed in the meantime. Nothing was charged. ' +
  'Please look at the details again before you pay.'
