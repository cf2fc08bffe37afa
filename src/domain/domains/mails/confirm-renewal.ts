import { nameText } from 'domain-marketplace-domain-names'
import { dateOf } from '../../../core/fields.ts'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Charge } from '../../payments/charge.ts'
import { listed, namesInShort } from './names.ts'

/**
 * Asks a user to confirm a renewal, since the bank wants to hear it from them.
 *
 * @param until when it is given up
 */
export function confirmRenewalMail(
  charge: Pick<Charge, 'id' | 'amount_cents' | 'currency'>,
  domains: readonly string[],
  until: Date,
  baseUrl: string,
): Letter {
  return letter(`Confirm a renewal: ${namesInShort(domains)}`, [
    'Your bank wants you to confirm this payment before it lets us renew:',
    listed(domains.map(nameText)),
    { button: 'Confirm the payment', url: `${baseUrl}/account/renewals/${charge.id}` },
    {
      facts: [
        ['Amount', moneyText(charge.amount_cents, charge.currency)],
        ['Confirm by', dateOf(until)],
      ],
    },
    'Nothing is charged until then.',
  ])
}
