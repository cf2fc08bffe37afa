import type { FastifyInstance } from 'fastify'
import { inTransaction } from '../../kernel/database/transaction.ts'
import { notFound } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { countVisit } from '../../modules/referrals/click.ts'
import { findByCode } from '../../modules/referrals/referral-link.ts'
import { clientOf } from '../client-address.ts'
import type { Web } from '../web.ts'
import { clickCookie, clickOf } from './click-cookie.ts'

/** The tracked links that lead to the house's own pages. */
export function serveLinks(app: FastifyInstance, house: House, web: Web): void {
  const { clock } = house
  const config = { page: true, operation: 'page link' } as const

  app.get<{ Params: { code: string } }>('/r/:code', { config }, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const { headers } = request
    const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? ''
    const { link, click } = await inTransaction(house, async (tx) => {
      const found = await findByCode(tx, request.params.code)
      if (!found) throw notFound('link')
      const visit = await countVisit(tx, house, now, found, {
        address: clientOf(request.ip),
        userAgent: headers['user-agent'] ?? '',
        isPrefetch: request.method === 'HEAD' || /prefetch|preview/i.test(String(purpose)),
        known: clickOf(house, found.environment, request, now)?.visitor ?? null,
      })
      return { link: found, click: visit }
    })
    if (click) reply.header('set-cookie', clickCookie(house, link.environment, click))
    return reply
      .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      .redirect(link.destination, 302)
  })
}
