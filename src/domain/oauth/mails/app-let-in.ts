import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Mandate } from '../mandate.ts'

/** Tells somebody that an app can spend their money, or change what is theirs, from now on. */
export function appLetInMail({
  name,
  mandate,
  manages,
  url,
}: {
  name: string
  mandate: Mandate | null
  manages: boolean
  /** The page that ends it. */
  url: string
}): Letter {
  return letter(`You gave ${name} access to your account`, [
    mandate
      ? `${name} can buy domains with your saved card, within the limits that you set. You get a mail for every purchase.`
      : `${name} can act in your account from now on.`,
    manages &&
      'It can change your domains, too: renew them with your saved card, and list them for sale.',
    mandate && {
      facts: [
        ['One purchase', `at most ${moneyText(mandate.max_per_order_cents, mandate.currency)}`],
        ['All purchases', `at most ${moneyText(mandate.max_total_cents, mandate.currency)}`],
        ['Until', mandate.expires_at.toISOString().slice(0, 10)],
      ],
    },
    'If this was not you, remove the app, and reset your password.',
    { button: 'See your apps', url },
  ])
}
