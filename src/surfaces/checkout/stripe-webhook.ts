import type { FastifyInstance } from 'fastify'
import { notFound, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { takeLateNews, takeOutcome } from '../../modules/checkout/pay.ts'
import { takeChargeNews } from '../../modules/holdings/charge-news.ts'
import { isStripeError } from '../../modules/payments/stripe-provider.ts'
import { bodyOf } from '../input.ts'
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
      const body = bodyOf(request)
      const webhook = stripe.openWebhook(body, typeof signature === 'string' ? signature : '')
      if (!webhook) {
        await web.countUnauthenticated(request, house.clock.now())
        request.log.warn({}, 'payments: a Stripe signature was refused, see STRIPE_WEBHOOK_SECRET')
        throw new Refusal('invalid_signature', 'The Stripe-Signature does not fit this body.')
      }
      try {
        const news = await webhook.read()
        if (!news) return await reply.send({ received: true })
        if ('charge' in news) await takeChargeNews(house, news.charge)
        else if ('late' in news) await takeLateNews(house, news.late)
        else await takeOutcome(house, news.paymentId, news.outcome)
      } catch (error) {
        if (!isStripeError(error)) throw error
        // Stripe sends the webhook again.
        house.log.warn({ err: error }, 'payments: the provider did not answer')
        throw new Refusal('unavailable', 'Stripe did not say more. Please send this again.', {
          retryAfter: 60,
        })
      }
      return reply.send({ received: true })
    },
  })
}
