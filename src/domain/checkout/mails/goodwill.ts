import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'

/** Tells a buyer that a part of the price comes back, and the domain stays theirs. */
export function goodwillMail(domain: string, cents: number, currency: string): Letter {
  const name = nameText(domain)
  return letter(`A part of your payment for ${name} comes back`, [
    'We give you back a part of what you paid, to the card that you paid with. The domain stays yours.',
    {
      facts: [
        ['Domain', name],
        ['Refund', moneyText(cents, currency)],
      ],
    },
  ])
}
