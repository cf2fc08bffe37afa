import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { type Listing, listingStatus } from '../../domain/listings/listing.ts'
import type { NameViews } from '../../domain/listings/name-days.ts'
import { publicPrice } from '../../domain/listings/public-price.ts'
import { hostOf, isForService, landerAt } from '../../http/hosts.ts'
import { isCounted } from '../../http/visit.ts'
import type { Web } from '../../http/web.ts'
import { sendPage } from '../layout/frame.tsx'
import { headOf } from '../market/name-head.ts'
import { Lander } from './lander.tsx'

/** What a page asks its own host for: a lander's, and the one that says that a host is not served. */
const SHARED = /^\/(?:pages|brand)\/|^\/favicon\.ico$/

/**
 * Responds to requests by their `Host`: those for a name on the market with its lander, those for the service by its
 * routes, and others with 421 (contract, section 18). A lander is whatever path is asked for, and no API. The look of
 * pages is served at any host: visitors of a name that has been sold see a page that says so.
 */
export function serveLanders(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  views: NameViews,
): void {
  const { settings, clock } = app

  fastify.addHook('onRequest', async (request, reply) => {
    if (isForService(request, settings)) return undefined
    const { url = '' } = request.routeOptions
    if (!request.is404 && SHARED.test(url)) return undefined
    await web.countUnauthenticated(request, clock.now())
    const lander = await landerAt(app, hostOf(request))
    if (!lander) {
      throw new ApiError(
        'misdirected_request',
        'This host is neither the address of the service nor a domain that is for sale here.',
      )
    }
    // The name is somebody else's before long: nothing may bind browsers to what it does today.
    reply.header('cache-control', 'no-store')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.header('Allow', 'GET, HEAD')
      throw new ApiError('method_not_allowed', 'This host serves GET, HEAD.')
    }
    if (lander.isWww) return toBareName(request, reply)
    if (url === '/robots.txt') {
      return reply.type('text/plain; charset=utf-8').send('User-agent: *\nAllow: /\n')
    }
    const { listing } = lander
    if (isCounted(request)) views.note(listing.domain, 'lander', clock.now())
    return sendLander(reply, listing)
  })
  fastify.addHook('onSend', async (request, reply) => {
    if (!isForService(request, settings)) reply.removeHeader('strict-transport-security')
  })

  function sendLander(reply: FastifyReply, listing: Listing): FastifyReply {
    const { domain, seller_id, description, offers } = listing
    const status = listingStatus(listing, clock.now())
    const priced = settings.pagePrices === 'shown'
    const price = publicPrice({ kind: 'anonymous', priced }, listing)
    return sendPage(
      reply,
      {
        title: `${nameText(domain)} is for sale`,
        wide: true,
        abroad: true,
        ...headOf(domain, status, price, app),
      },
      <Lander
        domain={domain}
        status={status}
        price={price}
        description={description}
        isSellersOwn={seller_id !== null}
        takesOffers={offers === 'open'}
      />,
    )
  }
}

/** With the port and the rest of the address as they were. */
function toBareName(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const host = (request.headers.host ?? '').toLowerCase().replace(/^www\./, '')
  const { url = '/' } = request.raw
  return reply.redirect(`${request.protocol}://${host}${url.startsWith('/') ? url : '/'}`, 302)
}
