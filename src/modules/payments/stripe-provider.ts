import { Stripe } from 'stripe'
import type { Settings } from '../../kernel/settings.ts'
import { after, type Clock, unixSeconds } from '../../lib/clock.ts'
import { nameText } from '../../lib/domain-name.ts'
import type { DisputeNews, DisputeStatus } from './dispute.ts'
import { type Payment, refundCents } from './payment.ts'
import type { ChargeNews, LateNews, Outcome, PaymentProvider, RefundPart } from './provider.ts'
import { fromStripe, toStripe } from './stripe-amount.ts'
import { ASK_AGAIN_MS, createStripeCards, PAGE_LIFETIME_MS } from './stripe-cards.ts'

const TIMEOUT_MS = 15_000
const RETRIES = 2
/** How old a webhook's signature may be. */
const TOLERANCE_SECONDS = 300
/** As many as a page of Stripe's lists has. */
const MOST_REFUNDS = 100

type WebhookNews =
  | { paymentId: string; outcome: Outcome }
  | { late: LateNews }
  | { charge: ChargeNews }

export interface StripeProvider extends PaymentProvider {
  /**
   * A webhook to be read, which may ask Stripe; null when its signature is false. What says nothing of a
   * payment of ours reads as null.
   */
  openWebhook(body: Uint8Array, signature: string): { read(): Promise<WebhookNews | null> } | null
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
    cards: createStripeCards(stripe, clock),
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
                unit_amount: toStripe(payment.amount_cents, payment.currency),
                product_data: { name: nameText(domain) },
              },
            },
          ],
          payment_intent_data: { metadata: { payment_id: payment.id } },
          success_url: returnUrl,
          cancel_url: cancelUrl,
          expires_at: unixSeconds(after(clock.now(), PAGE_LIFETIME_MS)),
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
      const intent = idOf(session.payment_intent)
      try {
        const refund = await stripe.refunds.create(
          {
            payment_intent: intent,
            ...(payment.refund_cents !== null && {
              amount: toStripe(payment.refund_cents, payment.currency),
            }),
            metadata: { round: payment.refund_round },
          },
          { idempotencyKey: `refund-${payment.id}-${payment.refund_round}` },
        )
        const failure = failureOf(refund)
        if (failure !== null) return { kind: 'refused', ref: refund.id, reason: failure }
        const sent = partOf(refund)
        if (sent.amountCents >= refundCents(payment)) {
          return { kind: 'taken', ours: [sent], others: [] }
        }
      } catch (error) {
        // What is wrong with the request stays wrong; anything else may pass.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        if (error.code !== 'charge_already_refunded') {
          return { kind: 'refused', ref: null, reason: error.message }
        }
      }
      // Somebody was faster, at Stripe itself, or we were and never heard of it.
      const { data } = await stripe.refunds.list({ payment_intent: intent, limit: MOST_REFUNDS })
      const arrived = data.filter((refund) => failureOf(refund) === null)
      const isOurs = (refund: Stripe.Refund) => roundOf(refund) !== null
      return {
        kind: 'taken',
        ours: arrived.filter(isOurs).map(partOf),
        others: arrived.filter((refund) => !isOurs(refund)).map(partOf),
      }
    },
    openWebhook(body, signature) {
      let event: Stripe.Event
      try {
        event = stripe.webhooks.constructEvent(
          Buffer.from(body),
          signature,
          settings.webhookSecret,
          TOLERANCE_SECONDS,
          undefined,
          clock.now().getTime(),
        )
      } catch {
        return null
      }
      return { read: () => readEvent(event) }
    },
  }

  async function readEvent(event: Stripe.Event): Promise<WebhookNews | null> {
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
        return of(event.data.object, readSession(event.data.object, clock))
      case 'checkout.session.async_payment_failed':
        return of(event.data.object, failed(event.data.object, 'The payment failed.'))
      case 'checkout.session.expired':
        return of(event.data.object, failed(event.data.object, 'The payment was not made in time.'))
      case 'refund.created':
      case 'refund.failed':
      case 'refund.updated':
      case 'charge.refund.updated':
        return await readRefund(event.data.object.id)
      case 'charge.dispute.created':
      case 'charge.dispute.updated':
      case 'charge.dispute.funds_withdrawn':
      case 'charge.dispute.funds_reinstated':
      case 'charge.dispute.closed':
        return await readDispute(event.data.object.id)
      default:
        return null
    }
  }

  /** Events come in any order, so what counts is how the refund stands now. */
  async function readRefund(id: string): Promise<WebhookNews | null> {
    const refund = await stripe.refunds.retrieve(id, { expand: ['payment_intent', 'charge'] })
    const { paymentId, chargeId } = causeOf(refund.payment_intent)
    const news = { ...partOf(refund), failure: failureOf(refund) }
    if (chargeId !== null) return { charge: { kind: 'refund', chargeId, refund: news } }
    if (paymentId === null) return null
    const { charge, currency } = refund
    const total = typeof charge === 'object' && charge ? charge.amount_refunded : refund.amount
    const totalCents = fromStripe(total, currency)
    const more = { round: roundOf(refund), totalCents }
    return { late: { kind: 'refund', paymentId, refund: { ...news, ...more } } }
  }

  async function readDispute(id: string): Promise<WebhookNews | null> {
    const dispute = await stripe.disputes.retrieve(id, { expand: ['payment_intent'] })
    const { paymentId, chargeId } = causeOf(dispute.payment_intent)
    const moved = dispute.balance_transactions
    const dueBy = dispute.evidence_details?.due_by ?? null
    const news: DisputeNews = {
      ref: dispute.id,
      amountCents: fromStripe(dispute.amount, dispute.currency),
      reason: dispute.reason,
      status: statusOf(dispute.status),
      withdrawn: dispute.status === 'lost' || moved.some(({ amount }) => amount < 0),
      reinstated: moved.some(({ amount }) => amount > 0),
      dueAt: dueBy === null ? null : new Date(dueBy * 1_000),
    }
    if (chargeId !== null) return { charge: { kind: 'dispute', chargeId, dispute: news } }
    return paymentId === null ? null : { late: { kind: 'dispute', paymentId, dispute: news } }
  }
}

function partOf({ id, amount, currency }: Stripe.Refund): RefundPart {
  return { ref: id, amountCents: fromStripe(amount, currency) }
}

/** Why it did not, or will not, reach the card; null as long as nothing is wrong. */
function failureOf({ status, failure_reason }: Stripe.Refund): string | null {
  return status === 'failed' || status === 'canceled' ? (failure_reason ?? status) : null
}

/** Which of our refunds it is; null when somebody made it at Stripe itself. */
function roundOf({ metadata }: Stripe.Refund): number | null {
  return metadata?.round === undefined ? null : Number(metadata.round)
}

/** The payment or the charge that Stripe's intent is about; both null when it is none of ours. */
function causeOf(intent: string | Stripe.PaymentIntent | null | undefined) {
  const metadata = typeof intent === 'object' ? intent?.metadata : undefined
  return { paymentId: metadata?.payment_id ?? null, chargeId: metadata?.charge_id ?? null }
}

const STATUSES: Partial<Record<string, DisputeStatus>> = {
  needs_response: 'needs_response',
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
}

/** What Stripe ends without taking money is an inquiry that was closed. */
function statusOf(status: string): DisputeStatus {
  return STATUSES[status] ?? 'inquiry_closed'
}

/** Whether Stripe did not answer, or not as it should. */
export function isStripeError(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError
}

function of(session: Stripe.Checkout.Session, outcome: Outcome) {
  return session.client_reference_id ? { paymentId: session.client_reference_id, outcome } : null
}

function failed(session: Stripe.Checkout.Session, reason: string): Outcome {
  return { kind: 'failed', ref: session.id, reason }
}

function readSession(session: Stripe.Checkout.Session, clock: Clock): Outcome {
  if (session.payment_status === 'paid') {
    const currency = session.currency ?? ''
    return {
      kind: 'succeeded',
      ref: session.id,
      amountCents: fromStripe(session.amount_total ?? 0, currency),
      currency: currency.toUpperCase(),
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
