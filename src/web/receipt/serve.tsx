import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance } from 'fastify'
import Negotiator from 'negotiator'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { claimsOf, environmentOf, findReceipt } from '../../domain/orders/delivery-receipt.ts'
import type { Web } from '../../http/web.ts'
import { sendPage } from '../layout/frame.tsx'
import { ReceiptPage } from './page.tsx'

const JWT = 'application/jwt'
const HTML = 'text/html'
const MAX_AGE_SECONDS = 300

/** A delivery receipt for anyone who has its address: a page for people, the signed token for programs. */
export function serveReceipts(fastify: FastifyInstance, app: AppContext, web: Web): void {
  fastify.get<{ Params: { id: string } }>(
    '/receipts/:id',
    { config: { operation: 'delivery_receipt' } },
    async (request, reply) => {
      await web.countUnauthenticated(request, app.clock.now())
      reply.header('vary', 'Accept')
      const { id } = request.params
      const isId = /^rct_[0-9a-z]{26}$/.test(id)
      const receipt = isId ? await findReceipt(app.db, id) : undefined
      if (!receipt) throw notFound('receipt')
      if (new Negotiator(request).mediaType([HTML, JWT]) === JWT) {
        return reply
          .headers({
            'content-type': JWT,
            'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
            'access-control-allow-origin': '*',
            'x-robots-tag': 'noindex, nofollow',
          })
          .send(receipt.token)
      }
      const claims = claimsOf(receipt)
      return sendPage(
        reply,
        {
          title: `Delivery receipt for ${nameText(claims.domain)}`,
          hidden: true,
          scripts: ['page'],
        },
        <ReceiptPage
          claims={claims}
          token={receipt.token}
          isTest={environmentOf(receipt) === 'sandbox'}
          baseUrl={app.settings.baseUrl}
        />,
      )
    },
  )
}
