import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { asOfNow } from '../../domain/offers/as-of-now.ts'
import { payLink } from '../../domain/offers/notify.ts'
import type { Offer } from '../../domain/offers/offer.ts'
import { OFFER_PATH } from '../../domain/offers/offer-links.ts'
import { findByOfferLink, moveOfferByLink } from '../../domain/offers/offer-pages.ts'
import { readForm } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { setFlash, takeFlash } from '../layout/flash.ts'
import { sendPage } from '../layout/frame.tsx'
import { type Message, OfferPage, type Sent } from './page.tsx'
import { DONE, readMove } from './read-move.ts'

type Params = { token: string; act: string }

/** The page of an offer for each of its sides: anyone who has its link sees it, without a login. */
export function serveOfferPages(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { baseUrl } = app.settings
  const config = { page: true, operation: 'offer_page' } as const

  fastify.get<{ Params: Params }>(`${OFFER_PATH}/:token`, { config }, async (request, reply) => {
    await web.countUnauthenticated(request, app.clock.now())
    const text = takeFlash(request, reply, baseUrl)
    const message = text === null ? undefined : ({ kind: 'good', status: 200, text } as const)
    return show(reply, request.params.token, message)
  })

  // Where a rejected form leaves its sender: opened anew, it is the page.
  fastify.get<{ Params: Params }>(
    `${OFFER_PATH}/:token/:act`,
    { config },
    async (request, reply) => {
      await web.countUnauthenticated(request, app.clock.now())
      await findByOfferLink(app.db, request.params.token)
      return reply.redirect(`${OFFER_PATH}/${request.params.token}`, 303)
    },
  )

  fastify.post<{ Params: Params }>(
    `${OFFER_PATH}/:token/:act`,
    { config: { ...config, operation: 'offer_page_act' } },
    async (request, reply) => {
      const now = app.clock.now()
      await web.countUnauthenticated(request, now)
      const { token, act } = request.params
      const form = readForm(request, baseUrl)
      await findByOfferLink(app.db, token)
      try {
        const move = readMove(act, form)
        await web.execute(moveOfferByLink, {
          caller: { kind: 'page', user: null, partner: null },
          now,
          requestId: request.id,
          input: () => ({ token, ...move }),
        })
        setFlash(reply, baseUrl, DONE[move.move])
        return reply.redirect(`${OFFER_PATH}/${token}`, 303)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'not_found' || error.status >= 500) {
          throw error
        }
        const message = { kind: 'error', status: error.status, text: errorText(error) } as const
        return await show(reply, token, message, { act, form })
      }
    },
  )

  async function show(
    reply: FastifyReply,
    token: string,
    message?: Message,
    sent?: Sent,
  ): Promise<FastifyReply> {
    const { offer: found, side } = await findByOfferLink(app.db, token)
    const now = app.clock.now()
    const [offer = found] = await asOfNow(app.db, now, [found])
    return sendPage(
      reply,
      { title: nameText(offer.domain), status: message?.status ?? 200, hidden: true },
      <OfferPage
        offer={offer}
        side={side}
        action={`${OFFER_PATH}/${token}`}
        payUrl={side === 'buyer' ? await payPath(offer, now) : null}
        message={message}
        sent={sent}
        isByLink
      />,
    )
  }

  /** Relative, so that the buyer stays on the host that they came to. */
  async function payPath(offer: Offer, now: Date): Promise<string | null> {
    if (offer.status !== 'accepted' || offer.expires_at <= now) return null
    const url = await payLink({ tx: app.db, app }, offer)
    return url?.slice(baseUrl.length) ?? null
  }
}
