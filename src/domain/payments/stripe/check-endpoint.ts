import { Stripe } from 'stripe'
import type { Settings } from '../../../core/settings.ts'

/** What the service reads of Stripe; webhook endpoints send all of it. */
const PAYMENT_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
  'radar.early_fraud_warning.created',
  'review.opened',
]
const TRANSFER_EVENTS = ['transfer.created', 'transfer.reversed']

/**
 * What is wrong with the webhook endpoint at Stripe, in words for the operator; none when all is well. Events may come
 * from several at our address. One with an application sends those of connected accounts alone, so it is none of them.
 *
 * @param url where our webhooks arrive
 */
export async function endpointProblems(
  stripe: Stripe,
  url: string,
  payoutRail: Settings['payoutRail'],
): Promise<string[]> {
  let endpoints: Stripe.WebhookEndpoint[]
  try {
    endpoints = await stripe.webhookEndpoints
      .list({ limit: 100 })
      .autoPagingToArray({ limit: 1_000 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [`The webhook endpoint at Stripe could not be checked: ${why}`]
  }
  const ours = endpoints.filter(
    (each) => each.url === url && each.status === 'enabled' && !each.application,
  )
  if (ours.length === 0) {
    return [
      `Stripe has no enabled webhook endpoint ${url}: disputes and refunds will not be heard of.`,
    ]
  }
  const problems: string[] = []
  for (const { api_version } of ours) {
    if (api_version === Stripe.API_VERSION) continue
    const theirs = api_version ?? "the account's default API version"
    problems.push(
      `The webhook endpoint at Stripe sends ${theirs}, and this service reads ${Stripe.API_VERSION}: make one with that version.`,
    )
  }
  const sent = new Set<string>(ours.flatMap(({ enabled_events }) => enabled_events))
  const wanted = payoutRail === 'stripe' ? [...PAYMENT_EVENTS, ...TRANSFER_EVENTS] : PAYMENT_EVENTS
  const missing = sent.has('*') ? [] : wanted.filter((event) => !sent.has(event))
  if (missing.length > 0) {
    problems.push(`The webhook endpoint at Stripe does not send ${missing.join(', ')}.`)
  }
  return problems
}
