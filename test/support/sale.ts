import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { CallOptions, PartnerClient, Result } from './client.ts'
import type { TestService } from './service.ts'

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

/** Quotes a domain and fails loudly when that is rejected. */
export async function quote(client: PartnerClient, domain: string) {
  const response = await client.post('/quotes', { domain })
  if (response.status !== 201) throw new Error(`no quote: ${response.text}`)
  return response.body
}

/** Quotes a domain and records its sale. */
export async function sell(
  client: PartnerClient,
  domain: string,
  more: object = {},
  options?: CallOptions,
): Promise<Result> {
  return client.post('/orders', orderBody(await quote(client, domain), more), options)
}

/** A recorded order, or a loud failure. */
export async function sold(client: PartnerClient, domain: string) {
  const response = await sell(client, domain)
  if (response.status !== 201) throw new Error(`no order: ${response.text}`)
  return response.body
}

/** No more are written at once: a statement has 5 s, on a busy machine too. */
const ROWS_AT_ONCE = 500

/** As many more of an order and its listing, under other names: more than a statement may change at once. */
export async function repeatOrder(
  { app: { db } }: TestService,
  { public_id, domain }: Pick<Result['body'], 'public_id' | 'domain'>,
  count: number,
): Promise<void> {
  for (let from = 1; from <= count; from += ROWS_AT_ONCE) {
    const to = Math.min(count, from + ROWS_AT_ONCE - 1)
    const numbers = sql`generate_series(${from}::int, ${to}::int) as n`
    await sql`insert into listings select copy.* from listings l, ${numbers},
        jsonb_populate_record(l, jsonb_build_object('domain', n || l.domain)) as copy
      where l.environment = 'sandbox' and l.domain = ${domain}`.execute(db)
    await sql`insert into orders select copy.* from orders o, ${numbers},
        jsonb_populate_record(o, jsonb_build_object('public_id', o.public_id || n,
          'domain', n || o.domain, 'quote_id', null, 'external_payment_ref', n)) as copy
      where o.public_id = ${public_id}`.execute(db)
  }
}
