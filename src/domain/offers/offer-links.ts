import type { AppContext } from '../../core/context.ts'
import { newSecret } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import type { Offer, OfferSide } from './offer.ts'

/** Where either side responds without signing in; a token of 32 random bytes follows. */
export const OFFER_PATH = '/offers'

type Links = Pick<Offer, 'buyer_hash' | 'buyer_sealed' | 'seller_hash' | 'seller_sealed'>

/** The columns of links that nobody has seen yet. The database alone opens no page. */
export function newOfferLinks({ secrets }: Pick<AppContext, 'secrets'>, offerId: string): Links {
  const [buyer, seller] = [newSecret(), newSecret()]
  return {
    buyer_hash: hashOf(buyer),
    buyer_sealed: secrets.seal(buyer, buyerLinkPurpose(offerId)),
    seller_hash: hashOf(seller),
    seller_sealed: secrets.seal(seller, sellerLinkPurpose(offerId)),
  }
}

/** The page of one side. */
export function offerUrl(
  { secrets, settings }: Pick<AppContext, 'secrets' | 'settings'>,
  { offer_id, buyer_sealed, seller_sealed }: Pick<Offer, 'offer_id' | keyof Links>,
  side: OfferSide,
): string {
  const token =
    side === 'buyer'
      ? secrets.open(buyer_sealed, buyerLinkPurpose(offer_id))
      : secrets.open(seller_sealed, sellerLinkPurpose(offer_id))
  return `${settings.baseUrl}${OFFER_PATH}/${token}`
}

export function hashOf(token: string): Uint8Array {
  return sha256(Buffer.from(token))
}

/** What each is sealed for. */
export const buyerLinkPurpose = (offerId: string) => `offer buyer ${offerId}`
export const sellerLinkPurpose = (offerId: string) => `offer seller ${offerId}`
