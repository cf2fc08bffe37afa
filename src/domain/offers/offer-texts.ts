import { nameText } from 'domain-marketplace-domain-names'
import { iso } from '../../core/fields.ts'
import type { Offer, OfferSide } from './offer.ts'

/** A moment in words for mails and pages: `2026-01-05 09:30 UTC`. */
export function deadline(moment: Date): string {
  return `${iso(moment).slice(0, 16).replace('T', ' ')} UTC`
}

/** Why an offer ended without an agreement, for one of its sides. */
export function endedText(offer: Offer, to: OfferSide): string {
  const name = nameText(offer.domain)
  const isOwn = offer.closed_by === to
  switch (offer.status) {
    case 'withdrawn':
      return isOwn
        ? `You withdrew your offer for ${name}.`
        : `The buyer withdrew the offer for ${name}.`
    case 'expired':
      return `The offer for ${name} expired without a response.`
    default:
      if (offer.closed_by === null)
        return `${name} has been sold or is no longer for sale, so the offer has ended.`
      if (isOwn) return `You declined the offer for ${name}.`
      return to === 'buyer'
        ? `The seller declined your offer for ${name}.`
        : `The buyer declined your price for ${name}.`
  }
}
