import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Offer } from '../offer.ts'
import { deadline } from '../offer-texts.ts'

/**
 * Tells the buyer that the name is theirs to buy.
 *
 * @param payUrl the checkout of a buyer of our own pages; null where a partner takes the payment
 */
export function offerAcceptedMail(
  { domain, amount_cents, currency, expires_at, closing_message, closed_by, offer_id }: Offer,
  payUrl: string | null,
  offerUrl: string,
): Letter {
  const name = nameText(domain)
  const amount = moneyText(amount_cents, currency)
  return letter(`${name} is reserved for you at ${amount}`, [
    closed_by === 'buyer'
      ? `You accepted the price of ${amount} for ${name}.`
      : `Your offer of ${amount} for ${name} was accepted.`,
    closed_by === 'seller' && closing_message ? { quote: closing_message } : null,
    `The name is reserved for you at this price until ${deadline(expires_at)}.`,
    payUrl === null
      ? 'Complete the purchase with whoever made the offer for you.'
      : { button: 'Pay for the name', url: payUrl },
    payUrl === null && { button: 'See your offer', url: offerUrl },
    { facts: [['Offer', offer_id]] },
  ])
}
