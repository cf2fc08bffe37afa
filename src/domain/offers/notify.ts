import type { Letter } from '../../core/letter.tsx'
import { queueMail } from '../../core/mail.ts'
import { mustFindUser } from '../accounts/user.ts'
import { isFlooded } from '../brokerage/notify-buyer.ts'
import type { OfferEvent } from '../events/event-types.ts'
import { offerAcceptedMail } from './mails/offer-accepted.ts'
import { offerAgreedMail } from './mails/offer-agreed.ts'
import { offerCounteredMail } from './mails/offer-countered.ts'
import { offerEndedMail } from './mails/offer-ended.ts'
import { offerReceivedMail } from './mails/offer-received.ts'
import { offerSentMail } from './mails/offer-sent.ts'
import type { Offer, OfferContext } from './offer.ts'
import { offerUrl } from './offer-links.ts'
import { payLink } from './pay-link.ts'

/** Writes to each side what it has to know of a step, in the transaction of that step. */
export async function notifySides(
  context: OfferContext,
  offer: Offer,
  event: OfferEvent,
): Promise<void> {
  const { app } = context
  const [buyersPage, sellersPage] = [offerUrl(app, offer, 'buyer'), offerUrl(app, offer, 'seller')]
  // What was accepted in the same step is told by that.
  const isPassing = offer.status === 'accepted' && event !== 'offer.accepted'
  if (isPassing) return
  switch (event) {
    case 'offer.created':
      await tellBuyer(context, offer, offerSentMail(offer, buyersPage))
      return await tellSeller(context, offer, offerReceivedMail(offer, sellersPage))
    case 'offer.countered':
      if (offer.turn === 'seller') {
        return await tellSeller(context, offer, offerReceivedMail(offer, sellersPage))
      }
      return await tellBuyer(context, offer, offerCounteredMail(offer, buyersPage))
    case 'offer.accepted': {
      const mail = offerAcceptedMail(offer, await payLink(context, offer), buyersPage)
      await tellBuyer(context, offer, mail, { always: true })
      return await tellSeller(context, offer, offerAgreedMail(offer))
    }
    default:
      if (offer.closed_by !== 'buyer') {
        await tellBuyer(context, offer, offerEndedMail(offer, 'buyer'))
      }
      if (offer.closed_by !== 'seller') {
        await tellSeller(context, offer, offerEndedMail(offer, 'seller'))
      }
  }
}

async function tellBuyer(
  { tx, now }: OfferContext,
  offer: Offer,
  mail: Letter,
  { always = false } = {},
): Promise<void> {
  const to = offer.buyer.email
  if (!always && (await isFlooded(tx, now, to))) return
  await tx.executeQuery(queueMail(tx, now, { to, ...mail }, offer))
}

/** Names that operators imported have nobody to write to: operators see them in their queue. */
async function tellSeller({ tx, now }: OfferContext, offer: Offer, mail: Letter): Promise<void> {
  if (offer.seller_id === null) return
  const { email } = await mustFindUser(tx, offer.seller_id)
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }, offer))
}
