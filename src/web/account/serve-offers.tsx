import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { listBuyersCases } from '../../domain/brokerage/list-buyers-cases.ts'
import { asOfNow } from '../../domain/offers/as-of-now.ts'
import { readOffersPage } from '../../domain/offers/list-offers.ts'
import { offerUrl } from '../../domain/offers/offer-links.ts'
import { findOwnOffer, moveOfferForSeller, promisedBy } from '../../domain/offers/offer-pages.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import type { PageContext, signedInPages } from '../layout/page-context.ts'
import type { Message, Sent } from '../layout/serve-link-pages.ts'
import { OfferPage } from '../offers/page.tsx'
import { doneText, readMove } from '../offers/read-move.ts'
import { sendAccountPage } from './account-page.tsx'
import { OffersToMe, OwnOffers } from './offers.tsx'
import { OFFERS } from './paths.ts'
import { Offers } from './purchases.tsx'

const PAGE = 20
const NO_ITEMS = { items: [], next_cursor: null }
const NO_ROWS = { rows: [], next_cursor: null }

/** Offers for a user's domains, to respond to; and those that they made, or had a broker make. */
export function serveOffers(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
): void {
  const { db } = app

  pages.get(OFFERS, async (page) => {
    const { cursor, made, to_me } = page.query
    const { user } = page.session
    // What was written to an address is shown to whoever has shown that it is theirs.
    const email = user.email_confirmed_at === null ? null : user.email
    const [toMe, own, cases] = await Promise.all([
      readOffersPage(db, page.now, { seller_id: user.id }, { limit: PAGE, cursor: to_me }),
      email === null
        ? NO_ROWS
        : readOffersPage(db, page.now, { buyer_email: email }, { limit: PAGE, cursor: made }),
      email === null ? NO_ITEMS : listBuyersCases(app, email, cursor),
    ])
    const links = new Map(own.rows.map((row) => [row.offer_id, offerUrl(app, row, 'buyer')]))
    return sendAccountPage(
      page,
      { title: 'Offers', at: OFFERS },
      <>
        <OffersToMe rows={toMe.rows} cursor={to_me} next={toMe.next_cursor} />
        <OwnOffers rows={own.rows} links={links} cursor={made} next={own.next_cursor} />
        <h2>Names that a broker asks for</h2>
        <Offers path={OFFERS} rows={cases.items} cursor={cursor} next={cases.next_cursor} />
      </>,
    )
  })

  pages.get(`${OFFERS}/:id`, (page) => {
    const { note } = page
    const message = note === null ? undefined : ({ kind: 'good', status: 200, text: note } as const)
    return show({ ...page, note: null }, message)
  })

  pages.get(`${OFFERS}/:id/:act`, async ({ params, goOn }) => goOn(`${OFFERS}/${params.id}`))

  pages.post(`${OFFERS}/:id/:act`, async (page) => {
    const { session, params, form, now, request } = page
    const { id = '', act = '' } = params
    const { currency } = await findOwnOffer(db, id, session.user.id)
    try {
      const { move, ...rest } = readMove(act, form, currency)
      if (move === 'withdraw') throw new ApiError('not_found', 'There is no such response.')
      const { value } = await web.execute(moveOfferForSeller, {
        caller: { kind: 'page', user: session.user, partner: null },
        now,
        requestId: request.id,
        input: () => ({ offer_id: id, move, ...rest }),
      })
      return page.goOn(`${OFFERS}/${id}`, doneText(move, value.status))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'not_found' || error.status >= 500) {
        throw error
      }
      const message = { kind: 'error', status: error.status, text: errorText(error) } as const
      return await show(page, message, { act, form })
    }
  })

  async function show(page: PageContext, message?: Message, sent?: Sent): Promise<FastifyReply> {
    const { session, params, now } = page
    const found = await findOwnOffer(db, params.id ?? '', session.user.id)
    const [offer = found] = await asOfNow(db, now, [found])
    return sendAccountPage(
      page,
      { title: `Offer for ${nameText(offer.domain)}`, at: OFFERS, status: message?.status ?? 200 },
      <OfferPage
        offer={offer}
        side="seller"
        action={`${OFFERS}/${offer.offer_id}`}
        promised={await promisedBy(db, now, offer)}
        checkoutUrl={null}
        message={message}
        sent={sent}
        isByLink={false}
      />,
    )
  }
}
