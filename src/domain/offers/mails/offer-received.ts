import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Offer } from '../offer.ts'
import { deadline } from '../offer-texts.ts'

/** Tells the seller what a buyer offers, at first or in return. */
export function offerReceivedMail(
  { domain, amount_cents, currency, expires_at, history, offer_id }: Offer,
  url: string,
): Letter {
  const name = nameText(domain)
  const amount = moneyText(amount_cents, currency)
  const message = history.at(-1)?.message
  const isFirst = history.length === 1
  return letter(`${isFirst ? 'An offer' : 'A new offer'} of ${amount} for ${name}`, [
    isFirst
      ? `A buyer offers ${amount} for ${name}.`
      : `The buyer now offers ${amount} for ${name}.`,
    message ? { quote: message } : null,
    `You can accept it, decline it, or ask for another price until ${deadline(expires_at)}.`,
    { button: 'Respond to the offer', url },
    'Anyone who has this link can respond for you, so keep it to yourself. Your account lists the offer, too.',
    { facts: [['Offer', offer_id]] },
  ])
}
