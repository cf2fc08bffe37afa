import { randomUUID } from 'node:crypto'
import type { Answer, CallOptions, PartnerClient } from './client.ts'

/** The body of an order for a quote, complete; what a test cares about it overrides. */
export function orderBody(
  quote: { domain: string; price_cents: number; quote_id: string },
  more: object = {},
) {
  return {
    domain: quote.domain,
    sale_price_cents: quote.price_cents,
    quote_id: quote.quote_id,
    external_payment_ref: `pay-${randomUUID()}`,
    buyer: { email: 'buyer@example.com' },
    ...more,
  }
}

/** Quotes a domain and fails loudly when that is refused. */
export async function quote(client: PartnerClient, domain: string) {
  const answer = await client.post('/quotes', { domain })
  if (answer.status !== 201) throw new Error(`no quote: ${answer.text}`)
  return answer.body
}

/** Quotes a domain and records its sale. */
export async function sell(
  client: PartnerClient,
  domain: string,
  more: object = {},
  options?: CallOptions,
): Promise<Answer> {
  return client.post('/orders', orderBody(await quote(client, domain), more), options)
}

/** A recorded order, or a loud failure. */
export async function sold(client: PartnerClient, domain: string) {
  const answer = await sell(client, domain)
  if (answer.status !== 201) throw new Error(`no order: ${answer.text}`)
  return answer.body
}
