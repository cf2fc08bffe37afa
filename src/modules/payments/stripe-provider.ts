import { Stripe } from 'stripe'
import type { Settings } from '../../kernel/settings.ts'
import { after, type Clock, HOUR, MINUTE } from '../../lib/clock.ts'
import type { Payment } from './payment.ts'
import type { Outcome, PaymentProvider } from './provider.ts'

/** Stripe takes 30 minutes to 24 hours. */
const PAGE_LIFETIME_MS = HOUR
const ASK_AGAIN_MS = 15 * MINUTE
const TIMEOUT_MS = 15_000
const RETRIES = 2
/** How old a webhook's signature may be. */
const TOLERANCE_SECONDS = 300

export interface StripeProvider extends PaymentProvider {
  /** Reads a webhook, signature first; null when it says nothing of a payment of ours. */
  readWebhook(body: Uint8Array, signature: string): { paymentId: string; outcome: Outcome } | null
}

/**
 * Takes live payments on Stripe's own page, Checkout, so that no card number and no script of theirs comes
 * near ours. Every call carries an idempotency key made of the payment's id.
 */
export function createStripeProvider(
  settings: NonNullable<Settings['stripe']>,
  clock: Clock,
): StripeProvider {
  const api = new URL(settings.apiBase)
  const stripe = new Stripe(settings.secretKey, {
    host: api.hostname,
    protocol: api.protocol === 'http:' ? 'http' : 'https',
    ...(api.port !== '' && { port: api.port }),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })

  return {
    name: 'stripe',
    asksForCard: false,
    async pay({ payment, domain, buyerEmail, returnUrl, cancelUrl }) {
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: payment.id,
          customer_email: buyerEmail,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: payment.currency.toLowerCase(),
                unit_amount: payment.amount_cents,
                product_data: { name: domain },
              },
            },
          ],
          payment_intent_data: { metadata: { payment_id: payment.id } },
          success_url: returnUrl,
          cancel_url: cancelUrl,
          expires_at: Math.floor(after(clock.now(), PAGE_LIFETIME_MS).getTime() / 1000),
        },
        { idempotencyKey: `pay-${payment.id}` },
      )
      return readSession(session, clock)
    },
    async lookUp(payment) {
      return readSession(await stripe.checkout.sessions.retrieve(refOf(payment)), clock)
    },
    async refund(payment) {
      const session = await stripe.checkout.sessions.retrieve(refOf(payment))
      const refund = await stripe.refunds.create(
        { payment_intent: idOf(session.payment_intent) },
        { idempotencyKey: `refund-${payment.id}` },
      )
      if (refund.status === 'failed' || refund.status === 'canceled') {
        throw new Error(`stripe refused the refund: ${refund.failure_reason ?? refund.status}`)
      }
      return refund.id
    },
    readWebhook(body, signature) {
      const event = stripe.webhooks.constructEvent(
        Buffer.from(body),
        signature,
        settings.webhookSecret,
        TOLERANCE_SECONDS,
        undefined,
        clock.now().getTime(),
      )
      switch (event.type) {
        case 'checkout.session.completed':
        case 'checkout.session.async_payment_succeeded':
          return of(event.data.object, readSession(event.data.object, clock))
        case 'checkout.session.async_payment_failed':
          return of(event.data.object, failed(event.data.object, 'The payment failed.'))
        case 'checkout.session.expired':
          return of(
            event.data.object,
            failed(event.data.object, 'The payment was not made in time.'),
          )
        default:
          return null
      }
    },
  }
}

function of(session: Stripe.Checkout.Session, outcome: Outcome) {
  return session.client_reference_id ? { paymentId: session.client_reference_id, outcome } : null
}

function failed(session: Stripe.Checkout.Session, reason: string): Outcome {
  return { kind: 'failed', ref: session.id, reason }
}

function readSession(session: Stripe.Checkout.Session, clock: Clock): Outcome {
  if (session.payment_status === 'paid') {
    return {
      kind: 'succeeded',
      ref: session.id,
      amountCents: session.amount_total ?? 0,
      currency: (session.currency ?? '').toUpperCase(),
    }
  }
  if (session.status === 'expired') return failed(session, 'The payment was not made in time.')
  if (session.status === 'open' && session.url) {
    return { kind: 'action_required', ref: session.id, url: session.url }
  }
  return { kind: 'processing', ref: session.id, dueAt: after(clock.now(), ASK_AGAIN_MS) }
}

function refOf(payment: Payment): string {
  if (payment.provider_ref === null)
    throw new Error(`payment ${payment.id} has no session at Stripe`)
  return payment.provider_ref
}

function idOf(intent: string | { id: string } | null): string {
  if (intent === null) throw new Error('the session at Stripe has no payment')
  return typeof intent === 'string' ? intent : intent.id
}
