import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { countClick } from '../../domain/referrals/click.ts'
import { findByCode } from '../../domain/referrals/referral-link.ts'
import { clientOf } from '../../http/client-address.ts'
import { isPrefetch } from '../../http/visit.ts'
import type { Web } from '../../http/web.ts'
import { clickCookie, clickOf } from './click-cookie.ts'

/** The tracked links that lead to the marketplace's own pages. */
export function serveLinks(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { clock } = app
  const config = { page: true, operation: 'page link' } as const

  fastify.get<{ Params: { code: string } }>('/r/:code', { config }, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const { headers } = request
    const { link, click } = await inTransaction(app, async (tx) => {
      const found = await findByCode(tx, request.params.code)
      if (!found) throw notFound('link')
      const counted = await countClick(tx, app, now, found, {
        address: clientOf(request.ip),
        userAgent: headers['user-agent'] ?? '',
        isPrefetch: isPrefetch(request),
        known: clickOf(app, found.environment, request, now)?.visitor ?? null,
      })
      return { link: found, click: counted }
    })
    if (click) reply.header('set-cookie', clickCookie(app, link.environment, click))
    return reply
      .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      .redirect(link.destination, 302)
  })
}
