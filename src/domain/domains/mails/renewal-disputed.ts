import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Charge } from '../../payments/charge.ts'
import { listed, namesInShort } from './names.ts'

/**
 * Tells a user that a bank took back the payment of renewals.
 *
 * @param card which is not charged any more; null when its owner had another one already, or none
 */
export function renewalDisputedMail(
  charge: Charge,
  domains: readonly string[],
  card: string | null,
): Letter {
  return letter(`Payment disputed: ${namesInShort(domains)}`, [
    'The cardholder asked the bank to take back the payment for these renewals, and it did. The names stay renewed.',
    listed(domains.map(nameText)),
    card !== null &&
      `${card} is not charged any more. To renew names, or to let them renew automatically, save a payment method in your account.`,
    {
      facts: [
        ['Paid', moneyText(charge.amount_cents, charge.currency)],
        ['Reference', charge.id],
      ],
    },
  ])
}
