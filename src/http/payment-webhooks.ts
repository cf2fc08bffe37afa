import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import { applyLateUpdate, applyOutcome } from '../domain/checkout/pay.ts'
import { applyChargeUpdate } from '../domain/domains/charge-updates.ts'
import type { PaymentWebhook, WebhookUpdate } from '../domain/payments/provider.ts'
import { applyRailUpdate } from '../domain/payouts/rail-updates.ts'
import { bodyOf } from './input.ts'
import type { Web } from './web.ts'

/** Where payment providers say what became of payments. Their signatures cover the raw body. */
export function servePaymentWebhooks(fastify: FastifyInstance, app: AppContext, web: Web): void {
  for (const { id, label, webhook } of app.payments.all) {
    if (webhook) serve(id, label, webhook)
  }

  function serve(id: string, label: string, webhook: PaymentWebhook): void {
    fastify.route({
      method: 'POST',
      url: `/webhooks/${id}`,
      config: { operation: `${id}_webhook` },
      handler: async (request, reply) => {
        const opened = webhook.open(bodyOf(request), request.headers)
        if (!opened) {
          await web.countUnauthenticated(request, app.clock.now())
          request.log.warn(
            {},
            `payments: a signature of ${label} was rejected, see ${webhook.secretSetting}`,
          )
          throw new ApiError(
            'invalid_signature',
            `The signature of ${label} does not fit this body.`,
          )
        }
        try {
          const update = await opened.read()
          if (update) await apply(update)
        } catch (error) {
          if (!webhook.mayPass(error)) throw error
          app.log.warn({ err: error }, 'payments: the provider did not respond')
          throw new ApiError('unavailable', `${label} did not say more. Please send this again.`, {
            retryAfter: 60,
          })
        }
        return reply.send({ received: true })
      },
    })
  }

  async function apply(update: WebhookUpdate): Promise<void> {
    if ('charge' in update) await applyChargeUpdate(app, update.charge)
    else if ('rail' in update) await applyRailUpdate(app, update.rail)
    else if ('late' in update) await applyLateUpdate(app, update.late)
    else await applyOutcome(app, update.paymentId, update.outcome)
  }
}
