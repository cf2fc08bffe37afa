import { Stripe } from 'stripe'
import { after, type Clock, HOUR, unixSeconds } from '../../../lib/clock.ts'
import type { PaymentMethod } from '../payment-method.ts'
import { type ChargeOutcome, NOT_SAVED, type SavedCards, type SaveOutcome } from '../saved-cards.ts'
import { fromStripe, toStripe } from './amount.ts'
import { failureOf, refundsOf } from './refund.ts'
import { cardLabel, PAGE_LIFETIME_MS, POLL_MS } from './session.ts'

/** Stripe's clock may differ from ours by so much. */
const CLOCKS_DIFFER_MS = HOUR
const PAGE = 100

/**
 * Saves cards on Stripe's own page (Checkout in setup mode), and charges them off session. Every write
 * carries an idempotency key; since Stripe forgets keys after a day, a charge or refund whose response was lost
 * is looked for by the charge's id before it is sent again.
 */
export function createStripeCards(stripe: Stripe, clock: Clock): SavedCards {
  return {
    async save({ method, email, returnUrl, cancelUrl }) {
      const customer = await stripe.customers.create(
        { email, metadata: { user_id: method.user_id } },
        { idempotencyKey: `customer-${method.id}` },
      )
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'setup',
          client_reference_id: method.id,
          customer: customer.id,
          allowed_payment_method_types: ['card'],
          success_url: returnUrl,
          cancel_url: cancelUrl,
          expires_at: unixSeconds(after(method.created_at, PAGE_LIFETIME_MS)),
        },
        { idempotencyKey: `setup-${method.id}` },
      )
      return readSetup(session)
    },
    async lookUp(method) {
      if (method.setup_ref === null) return NOT_SAVED
      const session = await stripe.checkout.sessions.retrieve(method.setup_ref, {
        expand: ['setup_intent.payment_method'],
      })
      return readSetup(session)
    },
    async forget({ method_ref }) {
      if (method_ref === null) return
      try {
        await stripe.paymentMethods.detach(method_ref)
      } catch (error) {
        // It is detached already, or not there: what was wanted.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      }
    },
    async charge({ charge, method, description }) {
      try {
        const intent = await stripe.paymentIntents.create(
          {
            amount: toStripe(charge.amount_cents, charge.currency),
            currency: charge.currency.toLowerCase(),
            ...refsOf(method),
            off_session: true,
            confirm: true,
            ...(charge.manual_capture && { capture_method: 'manual' }),
            description,
            metadata: causeOf(charge.id),
          },
          { idempotencyKey: `charge-${charge.id}` },
        )
        return readIntent(intent, clock)
      } catch (error) {
        // What the bank said, and a card that Stripe does not have any more, are outcomes.
        if (error instanceof Stripe.errors.StripeCardError) {
          const ref = error.payment_intent?.id ?? null
          return declined(ref, error.code, error.message)
        }
        if (error instanceof Stripe.errors.StripeInvalidRequestError) {
          return failed(null, 'The saved card cannot be used any more.')
        }
        throw error
      }
    },
    async confirm({ charge, method, ourPage }) {
      const begun = charge.confirmation_ref
      if (begun !== null) {
        const session = await stripe.checkout.sessions.retrieve(begun, {
          expand: ['payment_intent'],
        })
        const outcome = readConfirmation(session, clock)
        if (outcome) return outcome
        if (session.status === 'open' && session.url) {
          return { kind: 'elsewhere', ref: session.id, url: session.url }
        }
      }
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: charge.id,
          customer: refsOf(method).customer,
          allowed_payment_method_types: ['card'],
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: charge.currency.toLowerCase(),
                unit_amount: toStripe(charge.amount_cents, charge.currency),
                product_data: { name: 'Renewal of domains' },
              },
            },
          ],
          payment_intent_data: {
            ...(charge.manual_capture && { capture_method: 'manual' }),
            metadata: { charge_id: charge.id },
          },
          metadata: { charge_id: charge.id },
          success_url: ourPage,
          cancel_url: ourPage,
          // Without a time, which would differ when the call is repeated with its key: Stripe rejects that.
        },
        { idempotencyKey: `confirm-${charge.id}-${begun ?? 'first'}` },
      )
      return { kind: 'elsewhere', ref: session.id, url: session.url ?? ourPage }
    },
    async lookUpConfirmation({ confirmation_ref }) {
      if (confirmation_ref === null) return null
      const session = await stripe.checkout.sessions.retrieve(confirmation_ref, {
        expand: ['payment_intent'],
      })
      return readConfirmation(session, clock)
    },
    async endConfirmation({ confirmation_ref }) {
      if (confirmation_ref === null) return
      try {
        await stripe.checkout.sessions.expire(confirmation_ref)
      } catch (error) {
        // It is over already, one way or the other.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      }
    },
    async lookUpCharge(charge, method) {
      if (charge.provider_ref !== null) {
        return readIntent(await stripe.paymentIntents.retrieve(charge.provider_ref), clock)
      }
      const since = after(charge.created_at, -CLOCKS_DIFFER_MS)
      const intents = stripe.paymentIntents.list({
        customer: refsOf(method).customer,
        created: { gte: unixSeconds(since) },
        limit: PAGE,
      })
      for await (const intent of intents) {
        const { charge_id, payment_id } = intent.metadata
        if ((charge_id ?? payment_id) === charge.id) return readIntent(intent, clock)
      }
      return null
    },
    async capture(charge) {
      const ref = charge.provider_ref ?? ''
      try {
        await stripe.paymentIntents.capture(
          ref,
          { amount_to_capture: toStripe(charge.capture_cents ?? 0, charge.currency) },
          { idempotencyKey: `capture-${charge.id}` },
        )
        return { kind: 'captured' }
      } catch (error) {
        if (!isFinal(error)) throw error
        // It was captured by a call whose response was lost, or the authorization has ended.
        const { status } = await stripe.paymentIntents.retrieve(ref)
        return status === 'succeeded'
          ? { kind: 'captured' }
          : { kind: 'failed', reason: `The authorization of the card has ended (${status}).` }
      }
    },
    async cancel(charge) {
      const ref = charge.provider_ref ?? ''
      try {
        await stripe.paymentIntents.cancel(ref, {}, { idempotencyKey: `cancel-${charge.id}` })
      } catch (error) {
        if (!isFinal(error)) throw error
        const { status } = await stripe.paymentIntents.retrieve(ref)
        if (status !== 'canceled') throw error
      }
    },
    async refund(charge) {
      const payment_intent = charge.provider_ref ?? ''
      const before = await refundsOf(stripe, payment_intent)
      const known = before
        .filter((refund) => failureOf(refund) === null)
        .find(({ metadata }) => metadata?.charge_id === charge.id)
      if (known) return known.id
      const refund = await stripe.refunds.create(
        {
          payment_intent,
          amount: toStripe(charge.refund_cents, charge.currency),
          metadata: { charge_id: charge.id },
        },
        { idempotencyKey: `refund-${charge.id}` },
      )
      const failure = failureOf(refund)
      if (failure !== null) throw new Error(`Stripe rejected the refund: ${failure}`)
      return refund.id
    },
  }
}

function readSetup(session: Stripe.Checkout.Session): SaveOutcome {
  const intent = session.setup_intent
  if (session.status === 'complete' && intent !== null && typeof intent === 'object') {
    const saved = intent.payment_method
    const customer = idOf(session.customer)
    if (customer === null || saved === null || typeof saved !== 'object') return NOT_SAVED
    const label = cardLabel(saved.card ?? { brand: 'Card', last4: '' })
    return { kind: 'saved', customerRef: customer, methodRef: saved.id, label }
  }
  if (session.status === 'open' && session.url) {
    return { kind: 'action_required', ref: session.id, url: session.url }
  }
  return NOT_SAVED
}

function readIntent(intent: Stripe.PaymentIntent, clock: Clock): ChargeOutcome {
  switch (intent.status) {
    case 'succeeded':
      return {
        kind: 'succeeded',
        ref: intent.id,
        amountCents: fromStripe(intent.amount_received, intent.currency),
        currency: intent.currency.toUpperCase(),
      }
    case 'requires_capture':
      return { kind: 'authorized', ref: intent.id }
    case 'processing':
      return { kind: 'processing', ref: intent.id, dueAt: after(clock.now(), POLL_MS) }
    default: {
      const { code, message = 'The card was declined.' } = intent.last_payment_error ?? {}
      return declined(intent.id, code, message)
    }
  }
}

/** What the bank says to a charge without its cardholder: a firm no, or that it wants to hear it from them. */
function declined(ref: string | null, code: string | undefined, reason: string): ChargeOutcome {
  return code === 'authentication_required'
    ? { kind: 'confirmation_due', ref, reason }
    : failed(ref, reason)
}

/** Null until the cardholder has paid on the page. */
function readConfirmation(session: Stripe.Checkout.Session, clock: Clock): ChargeOutcome | null {
  const intent = session.payment_intent
  if (session.status !== 'complete' || intent === null || typeof intent === 'string') return null
  return readIntent(intent, clock)
}

/** By what our webhooks know whose an intent is. */
function causeOf(id: string): Record<string, string> {
  return id.startsWith('pay_') ? { payment_id: id } : { charge_id: id }
}

/** Whether a repeat of the call would meet the same. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError
  )
}

function failed(ref: string | null, reason: string): ChargeOutcome {
  return { kind: 'failed', ref, reason }
}

function refsOf({ id, customer_ref, method_ref }: PaymentMethod) {
  if (customer_ref === null || method_ref === null) throw new Error(`${id} holds no card`)
  return { customer: customer_ref, payment_method: method_ref }
}

function idOf(thing: string | { id: string } | null): string | null {
  return thing === null || typeof thing === 'string' ? thing : thing.id
}
