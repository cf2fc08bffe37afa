import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { asOfNow } from '../../domain/offers/as-of-now.ts'
import type { Offer } from '../../domain/offers/offer.ts'
import { OFFER_PATH } from '../../domain/offers/offer-links.ts'
import { findByOfferLink, moveOfferByLink, promisedBy } from '../../domain/offers/offer-pages.ts'
import { payLink } from '../../domain/offers/pay-link.ts'
import type { Web } from '../../http/web.ts'
import { sendPage } from '../layout/frame.tsx'
import { type Message, type Sent, serveLinkPages } from '../layout/serve-link-pages.ts'
import { OfferPage } from './page.tsx'
import { doneText, readMove, withoutPrice } from './read-move.ts'

/** The page of an offer for each of its sides: anyone who has its link sees it, without a login. */
export function serveOfferPages(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { settings } = app
  serveLinkPages(fastify, app, web, {
    path: OFFER_PATH,
    operation: 'offer_page',
    find: (token) => findByOfferLink(app.db, token),
    async perform(call, token, { act, form }) {
      const { offer, side } = await findByOfferLink(app.db, token)
      const move = readMove(act, form, offer.currency)
      try {
        const input = () => ({ token, ...move })
        const { value } = await web.execute(moveOfferByLink, { ...call, input })
        return doneText(move.move, value.status)
      } catch (error) {
        const isMasked = settings.pagePrices === 'masked' && side === 'buyer'
        throw isMasked && error instanceof ApiError ? withoutPrice(error) : error
      }
    },
    tells: ({ code, status }) => code !== 'not_found' && status < 500,
    show,
  })

  async function show(
    reply: FastifyReply,
    token: string,
    message?: Message,
    sent?: Sent,
  ): Promise<FastifyReply> {
    const { offer: found, side } = await findByOfferLink(app.db, token)
    const now = app.clock.now()
    const [offer = found] = await asOfNow(app.db, now, [found])
    const promised = await promisedBy(app.db, now, offer)
    const leads = side === 'buyer' && (promised === 'reserved' || promised === 'bought')
    return sendPage(
      reply,
      { title: nameText(offer.domain), status: message?.status ?? 200, hidden: true },
      <OfferPage
        offer={offer}
        side={side}
        action={`${OFFER_PATH}/${token}`}
        promised={promised}
        checkoutUrl={leads ? await checkoutPath(offer) : null}
        message={message}
        sent={sent}
        isByLink
      />,
    )
  }

  /** Relative, so that the buyer stays on the host that they came to. */
  async function checkoutPath(offer: Offer): Promise<string | null> {
    const url = await payLink({ tx: app.db, app }, offer)
    return url?.slice(settings.baseUrl.length) ?? null
  }
}
