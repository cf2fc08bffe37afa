import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { parseDomainName } from '../../lib/domain-name.ts'
import { openHouseSession } from '../../modules/checkout/open-house-session.ts'
import { inTransaction } from '../../modules/checkout/pay.ts'
import {
  findListing,
  type Listing,
  listingStatus,
  notListed,
} from '../../modules/inventory/listing.ts'
import { countVisit } from '../../modules/referrals/click.ts'
import { findByCode } from '../../modules/referrals/referral-link.ts'
import { clientOf } from '../client-address.ts'
import { sendPage } from '../pages/frame.tsx'
import { readForm } from '../pages/same-origin.ts'
import type { Web } from '../web.ts'
import { clickCookie, clickOf } from './click-cookie.ts'
import { Home, NamePage } from './names.tsx'

const SHOWN = 24

/** The house's own pages: what is for sale, each name's page, and the tracked links that lead there. */
export function serveNames(app: FastifyInstance, house: House, web: Web): void {
  const { clock, db, settings } = house

  route('GET', '/', 'page home', async (_request, reply) => {
    const live = await newest('live')
    const names = live.length > 0 ? live : await newest('sandbox')
    return sendPage(
      reply,
      { title: 'Names for sale', wide: true },
      <Home names={names} isTest={live.length === 0} />,
    )
  })

  route('GET', '/d/:name', 'page name', async (request, reply) => {
    const listing = await listingOf(request)
    const status = listingStatus(listing, clock.now())
    return sendPage(
      reply,
      { title: listing.domain, hidden: listing.environment === 'sandbox' },
      <NamePage listing={listing} status={status} />,
    )
  })

  route('POST', '/d/:name', 'page buy', async (request, reply) => {
    readForm(request, settings.baseUrl)
    const now = clock.now()
    const { environment, domain } = await listingOf(request)
    const click = clickOf(house, request, now)
    const url = await inTransaction(house, (tx) =>
      openHouseSession({ tx, now, house }, environment, domain, click),
    )
    // Relative, so that the buyer stays on the host that has the cookie.
    return reply.redirect(url.slice(settings.baseUrl.length), 303)
  })

  route('GET', '/r/:code', 'page link', async (request, reply) => {
    const now = clock.now()
    const link = await findByCode(db, (request.params as { code: string }).code)
    if (!link) throw notFound('link')
    const { headers } = request
    const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? ''
    const click = await inTransaction(house, (tx) =>
      countVisit(tx, house, now, link, {
        address: clientOf(request.ip),
        userAgent: headers['user-agent'] ?? '',
        isPrefetch: request.method === 'HEAD' || /prefetch|preview/i.test(String(purpose)),
        known: clickOf(house, request, now)?.visitor ?? null,
      }),
    )
    if (click) reply.header('set-cookie', clickCookie(house, click))
    return reply
      .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      .redirect(link.destination, 302)
  })

  function route(
    method: 'GET' | 'POST',
    url: string,
    operation: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ): void {
    app.route({
      method,
      url,
      config: { page: true, operation },
      handler: async (request, reply) => {
        await web.countUnauthenticated(request, clock.now())
        return await handler(request, reply)
      },
    })
  }

  /** The live listing, or else the sandbox's. */
  async function listingOf(request: FastifyRequest): Promise<Listing> {
    const text = (request.params as { name: string }).name
    const name = parseDomainName(text)
    if (!name) throw notFound('name')
    const found =
      (await findListing(db, 'live', name.domain)) ??
      (await findListing(db, 'sandbox', name.domain))
    if (!found) throw notListed(name.domain)
    return found
  }

  async function newest(environment: 'live' | 'sandbox') {
    const rows = await db
      .selectFrom('listings')
      .select('domain')
      .where('environment', '=', environment)
      .where('status', '=', 'listed')
      .orderBy('listed_at', 'desc')
      .orderBy('domain', 'desc')
      .limit(SHOWN)
      .execute()
    return rows.map(({ domain }) => domain)
  }
}
