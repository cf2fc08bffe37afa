import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Payment } from '../../payments/payment.ts'

/**
 * Tells a buyer that a payment bought nothing, and returns.
 *
 * @param reason why, in a sentence
 */
export function paymentRefundedMail(domain: string, payment: Payment, reason: string): Letter {
  const name = nameText(domain)
  return letter(`Your payment for ${name} is refunded`, [
    reason,
    'We refund your payment in full, to the card that you paid with.',
    {
      facts: [
        ['Domain', name],
        ['Refund', moneyText(payment.amount_cents, payment.currency)],
      ],
    },
  ])
}
