import { nameText } from 'domain-marketplace-domain-names'
import { Stripe } from 'stripe'
import type { Settings } from '../../../core/settings.ts'
import { after, type Clock, unixSeconds } from '../../../lib/clock.ts'
import { type Payment, refundCents } from '../payment.ts'
import { type PaymentProvider, PaymentRejected } from '../provider.ts'
import { toStripe } from './amount.ts'
import { createStripeCards } from './cards.ts'
import { endpointProblems } from './check-endpoint.ts'
import { stripeClient } from './client.ts'
import { failureOf, partOf, refundsOf, roundOf } from './refund.ts'
import { PAGE_LIFETIME_MS, readSession, WITH_CARD } from './session.ts'
import { createStripeWebhook } from './webhook.ts'

/** Where Stripe asks for cards. */
const PAGES = 'https://checkout.stripe.com'

/**
 * Takes live payments on Stripe's own page, Checkout, so that no card number and no script of Stripe's
 * comes near ours. Every call carries an idempotency key made of the payment's id.
 */
export function createStripeProvider(
  settings: NonNullable<Settings['stripe']>,
  payoutRail: Settings['payoutRail'],
  clock: Clock,
): PaymentProvider {
  const stripe = stripeClient(settings)
  const api = new URL(settings.apiBase)

  return {
    id: 'stripe',
    label: 'Stripe',
    asksForCard: false,
    takesCards: settings.paymentMethods.includes('card'),
    confirmsHere: false,
    // Elsewhere, as in tests, the pages are where the API is.
    pageOrigins: [...new Set([PAGES, api.origin])],
    webhook: createStripeWebhook(stripe, settings.webhookSecrets, clock),
    cards: createStripeCards(stripe, clock),
    problems: (baseUrl) => endpointProblems(stripe, `${baseUrl}/webhooks/stripe`, payoutRail),
    async pay({ payment, domain, buyerEmail, returnUrl, cancelUrl }) {
      const session = stripe.checkout.sessions.create(
        {
          mode: 'payment',
          allowed_payment_method_types: settings.paymentMethods,
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
          // The same when the call is repeated with its key.
          expires_at: unixSeconds(after(payment.created_at, PAGE_LIFETIME_MS)),
        },
        { idempotencyKey: `pay-${payment.id}` },
      )
      return readSession(await session.catch(rejectedForGood), clock)
    },
    async lookUp(payment) {
      return readSession(await stripe.checkout.sessions.retrieve(refOf(payment), WITH_CARD), clock)
    },
    async refund(payment) {
      const intent = await intentOf(payment)
      const before = await refundsOf(stripe, intent)
      const known = before.find((refund) => roundOf(refund) === payment.refund_round)
      try {
        const refund = known ?? (await makeRefund(payment, intent))
        const failure = failureOf(refund)
        if (failure !== null) return { kind: 'rejected', ref: refund.id, reason: failure }
        const sent = partOf(refund)
        if (sent.amountCents >= refundCents(payment)) {
          return { kind: 'taken', ours: [sent], others: [] }
        }
      } catch (error) {
        // What is wrong with the request stays wrong; anything else may pass.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        if (error.code !== 'charge_already_refunded') {
          return { kind: 'rejected', ref: null, reason: error.message }
        }
      }
      // Somebody was faster, at Stripe itself, or we were and never heard of it.
      const made = await refundsOf(stripe, intent)
      const arrived = made.filter((refund) => failureOf(refund) === null)
      const isOurs = (refund: Stripe.Refund) => roundOf(refund) !== null
      return {
        kind: 'taken',
        ours: arrived.filter(isOurs).map(partOf),
        others: arrived.filter((refund) => !isOurs(refund)).map(partOf),
      }
    },
    async giveBack(payment, { id, amountCents }) {
      const intent = await intentOf(payment)
      const before = await refundsOf(stripe, intent)
      const known = before.find(({ metadata }) => metadata?.goodwill_id === id)
      if (known) return takenOf(known)
      try {
        // Without the number of a round it is, for our own webhooks, no refund of what is owed.
        const refund = await stripe.refunds.create(
          {
            payment_intent: intent,
            amount: toStripe(amountCents, payment.currency),
            metadata: { goodwill_id: id },
          },
          { idempotencyKey: `goodwill-${id}` },
        )
        return takenOf(refund)
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        return { kind: 'rejected', reason: error.message }
      }
    },
  }

  /** Sends back what is owed, or whatever is left where all of the payment is owed. */
  async function makeRefund(payment: Payment, intent: string): Promise<Stripe.Refund> {
    const { id, currency, refund_cents, refund_round } = payment
    return await stripe.refunds.create(
      {
        payment_intent: intent,
        ...(refund_cents !== null && { amount: toStripe(refund_cents, currency) }),
        metadata: { round: refund_round },
      },
      { idempotencyKey: `refund-${id}-${refund_round}` },
    )
  }

  /** What was paid on Stripe's page, or with a saved card. */
  async function intentOf(payment: Payment): Promise<string> {
    if (payment.payment_method_id !== null) return refOf(payment)
    const session = await stripe.checkout.sessions.retrieve(refOf(payment))
    return idOf(session.payment_intent)
  }
}

/** What is wrong with the request stays wrong; anything else may pass. */
function rejectedForGood(error: unknown): never {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
  throw new PaymentRejected(error.message, { cause: error })
}

function takenOf(refund: Stripe.Refund) {
  const failure = failureOf(refund)
  return failure === null
    ? { kind: 'taken' as const, ref: refund.id }
    : { kind: 'rejected' as const, reason: failure }
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
