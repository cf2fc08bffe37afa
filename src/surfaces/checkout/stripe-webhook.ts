import type { FastifyInstance } from 'fastify'
import { notFound, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { takeOutcome } from '../../modules/checkout/pay.ts'
import type { Web } from '../web.ts'

/** Where Stripe tells what became of payments. Its signature covers the raw body. */
export function serveStripeWebhook(app: FastifyInstance, house: House, web: Web): void {
  app.route({
    method: 'POST',
    url: '/webhooks/stripe',
    config: { operation: 'stripe_webhook' },
    handler: async (request, reply) => {
      const { stripe } = house.payments
      if (!stripe) throw notFound('path')
      const signature = request.headers['stripe-signature']
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
      const said = readOrRefuse(() =>
        stripe.readWebhook(body, typeof signature === 'string' ? signature : ''),
      )
      if ('problem' in said) {
        await web.countUnauthenticated(request, house.clock.now())
        throw new Refusal('invalid_signature', 'The Stripe-Signature does not fit this body.')
      }
      if (said.news) await takeOutcome(house, said.news.paymentId, said.news.outcome)
      return reply.send({ received: true })
    },
  })
}

function readOrRefuse<T>(read: () => T): { news: T } | { problem: unknown } {
  try {
    return { news: read() }
  } catch (problem) {
    return { problem }
  }
}
