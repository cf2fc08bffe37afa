import { Stripe } from 'stripe'
import { type Clock, unixSeconds } from '../../../lib/clock.ts'
import type { DisputeStatus, DisputeUpdate } from '../dispute.ts'
import type { Outcome, PaymentWebhook, WebhookUpdate } from '../provider.ts'
import { fromStripe } from './amount.ts'
import { readAccount, readTransfer } from './payout-rail.ts'
import { failureOf, partOf, roundOf } from './refund.ts'
import { failed, readSession, WITH_CARD } from './session.ts'

/** How old a webhook's signature may be. */
const TOLERANCE_SECONDS = 300

/** The timestamp of a signature, in Unix seconds. */
function signedAt(signature: string | string[] | undefined): number {
  return Number(/(?:^|,)t=(\d+)/.exec(String(signature))?.[1] ?? 0)
}

/** Stripe signs the raw body, in `Stripe-Signature`. */
export function createStripeWebhook(
  stripe: Stripe,
  secrets: readonly string[],
  clock: Clock,
): PaymentWebhook {
  return {
    secretSetting: 'STRIPE_WEBHOOK_SECRET',
    open(body, { 'stripe-signature': signature }) {
      // The library looks at the age alone: a signature from the future would be good for as long.
      if (signedAt(signature) > unixSeconds(clock.now()) + TOLERANCE_SECONDS) return null
      for (const secret of secrets) {
        const event = openedWith(secret, body, signature)
        if (event) return { read: () => readEvent(event) }
      }
      return null
    },
    mayPass: (error) => error instanceof Stripe.errors.StripeError,
  }

  function openedWith(
    secret: string,
    body: Uint8Array,
    signature: string | string[] | undefined,
  ): Stripe.Event | null {
    try {
      return stripe.webhooks.constructEvent(
        Buffer.from(body),
        typeof signature === 'string' ? signature : '',
        secret,
        TOLERANCE_SECONDS,
        undefined,
        clock.now().getTime(),
      )
    } catch {
      return null
    }
  }

  async function readEvent(event: Stripe.Event): Promise<WebhookUpdate | null> {
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded': {
        const chargeId = event.data.object.metadata?.charge_id
        if (chargeId) return { charge: { kind: 'confirmed', chargeId } }
        return await readPaid(event.data.object)
      }
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
      case 'transfer.created':
      case 'transfer.reversed':
        return { rail: { kind: 'transfer', transfer: readTransfer(event.data.object) } }
      case 'account.updated':
        return { rail: { kind: 'account', account: readAccount(event.data.object) } }
      case 'radar.early_fraud_warning.created':
        return await suspect(event.data.object.payment_intent, 'fraud_warning')
      case 'review.opened':
        return await suspect(event.data.object.payment_intent, 'payment_review')
      default:
        return null
    }
  }

  /** As the session stands now: an event may tell amounts in the currency of whoever pays. It is signed, so it will do. */
  async function readPaid(told: Stripe.Checkout.Session): Promise<WebhookUpdate | null> {
    const now = await stripe.checkout.sessions.retrieve(told.id, WITH_CARD).catch(() => told)
    return of(told, readSession(now.payment_status === 'paid' ? now : told, clock))
  }

  async function suspect(
    intent: string | Stripe.PaymentIntent | null | undefined,
    reason: 'fraud_warning' | 'payment_review',
  ): Promise<WebhookUpdate | null> {
    const id = typeof intent === 'string' ? intent : intent?.id
    if (!id) return null
    const { paymentId } = causeOf(await stripe.paymentIntents.retrieve(id))
    return paymentId === null ? null : { late: { kind: 'suspect', paymentId, reason } }
  }

  /** Events come in any order, so what counts is how the refund stands now. */
  async function readRefund(id: string): Promise<WebhookUpdate | null> {
    const refund = await stripe.refunds.retrieve(id, { expand: ['payment_intent', 'charge'] })
    const { paymentId, chargeId } = causeOf(refund.payment_intent)
    const update = { ...partOf(refund), failure: failureOf(refund) }
    if (chargeId !== null) return { charge: { kind: 'refund', chargeId, refund: update } }
    if (paymentId === null) return null
    const { charge, currency } = refund
    const total = typeof charge === 'object' && charge ? charge.amount_refunded : refund.amount
    const totalCents = fromStripe(total, currency)
    const whole = { ...update, round: roundOf(refund), totalCents }
    return { late: { kind: 'refund', paymentId, refund: whole } }
  }

  async function readDispute(id: string): Promise<WebhookUpdate | null> {
    const dispute = await stripe.disputes.retrieve(id, { expand: ['payment_intent'] })
    const { paymentId, chargeId } = causeOf(dispute.payment_intent)
    const moved = dispute.balance_transactions
    const dueBy = dispute.evidence_details?.due_by ?? null
    const update: DisputeUpdate = {
      ref: dispute.id,
      amountCents: fromStripe(dispute.amount, dispute.currency),
      reason: dispute.reason,
      status: statusOf(dispute.status),
      withdrawn: dispute.status === 'lost' || moved.some(({ amount }) => amount < 0),
      reinstated: moved.some(({ amount }) => amount > 0),
      dueAt: dueBy === null ? null : new Date(dueBy * 1_000),
    }
    if (chargeId !== null) return { charge: { kind: 'dispute', chargeId, dispute: update } }
    return paymentId === null ? null : { late: { kind: 'dispute', paymentId, dispute: update } }
  }
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

function of(session: Stripe.Checkout.Session, outcome: Outcome) {
  return session.client_reference_id ? { paymentId: session.client_reference_id, outcome } : null
}
