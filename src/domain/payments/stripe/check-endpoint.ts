import { Stripe } from 'stripe'

/** What the service reads of Stripe; the webhook endpoint sends all of it. */
const EVENTS = [
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

/**
 * What is wrong with the webhook endpoint at Stripe, in words for the operator; none when all is well.
 *
 * @param url where our webhooks arrive
 */
export async function endpointProblems(stripe: Stripe, url: string): Promise<string[]> {
  let endpoints: Stripe.WebhookEndpoint[]
  try {
    endpoints = await stripe.webhookEndpoints
      .list({ limit: 100 })
      .autoPagingToArray({ limit: 1_000 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [`The webhook endpoint at Stripe could not be checked: ${why}`]
  }
  const endpoint = endpoints.find((each) => each.url === url && each.status === 'enabled')
  if (!endpoint) {
    return [
      `Stripe has no enabled webhook endpoint ${url}: disputes and refunds will not be heard of.`,
    ]
  }
  const problems: string[] = []
  const { api_version, enabled_events } = endpoint
  if (api_version !== Stripe.API_VERSION) {
    const theirs = api_version ?? "the account's default API version"
    problems.push(
      `The webhook endpoint at Stripe sends ${theirs}, and this service reads ${Stripe.API_VERSION}: make one with that version.`,
    )
  }
  const missing = enabled_events.includes('*')
    ? []
    : EVENTS.filter((event) => !enabled_events.includes(event))
  if (missing.length > 0) {
    problems.push(`The webhook endpoint at Stripe does not send ${missing.join(', ')}.`)
  }
  return problems
}
