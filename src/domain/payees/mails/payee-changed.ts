import { iso } from '../../../core/fields.ts'
import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a partner that its money will go elsewhere, while there is time to object. */
export function payeeChangedMail(
  partnerName: string,
  payee: {
    name: string
    account_last4: string
    currency: string
    usable_from: Date
    created_by: string
  },
): Letter {
  return letter('The account that your payouts go to was changed', [
    `${payee.created_by} changed where payouts of ${partnerName} go.`,
    {
      facts: [
        ['Holder', payee.name],
        ['Account', `ends in ${payee.account_last4}`],
        ['Currency', payee.currency],
        ['Used for payouts from', iso(payee.usable_from)],
      ],
    },
    'If this was not you, tell us before then: payouts that were made earlier keep the account before it.',
  ])
}
