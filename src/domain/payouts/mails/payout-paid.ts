import { type Letter, letter } from '../../../core/letter.tsx'
import { listed } from '../../domains/mails/names.ts'

/**
 * Tells a seller that their money is on its way to their account.
 *
 * @param account the last four characters of the account that it went to; null where they are not known
 * @param sales each sale that it pays, such as `example.com: 85.00 USD`
 */
export function payoutPaidMail(payout: {
  id: string
  amount: string
  account: string | null
  sales: readonly string[]
}): Letter {
  const { id, amount, account, sales } = payout
  return letter(`Your payout of ${amount} was sent`, [
    'We have paid you for domains that you sold. Banks may need a few days to credit it.',
    {
      facts: [
        ['Amount', amount],
        ...(account === null ? [] : [['Account', `ends in ${account}`] as const]),
        ['Payout', id],
      ],
    },
    'It pays your share of these sales:',
    listed(sales),
  ])
}
