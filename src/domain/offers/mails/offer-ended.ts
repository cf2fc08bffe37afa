import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { moneyText } from '../../../lib/money.ts'
import type { Offer, OfferSide } from '../offer.ts'
import { endedText } from '../offer-texts.ts'

/** Tells one side that an offer has ended without an agreement. */
export function offerEndedMail(offer: Offer, to: OfferSide): Letter {
  const name = nameText(offer.domain)
  const amount = moneyText(offer.amount_cents, offer.currency)
  return letter(`The offer for ${name} has ended`, [
    endedText(offer, to),
    offer.closing_message ? { quote: offer.closing_message } : null,
    {
      facts: [
        ['Last amount', amount],
        ['Offer', offer.offer_id],
      ],
    },
  ])
}
