import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Offer } from '../offer.ts'
import { deadline } from '../offer-texts.ts'

/** Tells the buyer what the seller asks for instead. */
export function offerCounteredMail(
  { domain, amount_cents, currency, expires_at, history, offer_id }: Offer,
  url: string,
): Letter {
  const name = nameText(domain)
  const amount = moneyText(amount_cents, currency)
  const message = history.at(-1)?.message
  return letter(`${name}: the seller asks for ${amount}`, [
    `The seller of ${name} would sell for ${amount}.`,
    message ? { quote: message } : null,
    `You can accept that, decline it, or offer another amount until ${deadline(expires_at)}.`,
    { button: 'Respond to the seller', url },
    { facts: [['Offer', offer_id]] },
  ])
}
