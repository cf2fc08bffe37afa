import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Offer } from '../offer.ts'
import { deadline } from '../offer-texts.ts'

/** Tells the buyer that their offer is with the seller. */
export function offerSentMail(
  { domain, amount_cents, currency, expires_at, offer_id }: Offer,
  url: string,
): Letter {
  const name = nameText(domain)
  const amount = moneyText(amount_cents, currency)
  return letter(`Your offer for ${name}`, [
    `You offered ${amount} for ${name}. The seller can respond until ${deadline(expires_at)}.`,
    'We will write to you as soon as they do. You pay nothing unless you both agree on a price.',
    { button: 'See your offer', url },
    'Anyone who has this link can see the offer and respond to it, so keep it to yourself.',
    { facts: [['Offer', offer_id]] },
    'If you did not make this offer, open the link and withdraw it, or ignore this mail.',
  ])
}
