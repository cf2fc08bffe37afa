import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Offer } from '../offer.ts'
import { deadline } from '../offer-texts.ts'

/** Tells the seller that a price is agreed, and what happens next. */
export function offerAgreedMail({
  domain,
  amount_cents,
  currency,
  expires_at,
  closing_message,
  closed_by,
  offer_id,
}: Offer): Letter {
  const name = nameText(domain)
  const amount = moneyText(amount_cents, currency)
  return letter(`${name}: a price of ${amount} is agreed`, [
    closed_by === null
      ? `A buyer offered ${amount} for ${name}, which is not below the lowest price that you accept.`
      : `You and the buyer agreed on ${amount} for ${name}.`,
    closed_by === 'buyer' && closing_message ? { quote: closing_message } : null,
    `The name is reserved for the buyer until ${deadline(expires_at)}. We will write to you once they have paid; if they do not, it is for sale to everyone again.`,
    { facts: [['Offer', offer_id]] },
  ])
}
