import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Charge } from '../../payments/charge.ts'
import { listed, namesInShort } from './names.ts'

/** Tells a user that all or a part of what renewals cost is refunded. */
export function renewalRefundedMail(
  charge: Charge,
  domains: readonly string[],
  cents: number,
): Letter {
  return letter(`Refunded: ${namesInShort(domains)}`, [
    'We refund what you paid for these renewals, or a part of it, to your card.',
    listed(domains.map(nameText)),
    {
      facts: [
        ['Refund', moneyText(cents, charge.currency)],
        ['Reference', charge.id],
      ],
    },
  ])
}
