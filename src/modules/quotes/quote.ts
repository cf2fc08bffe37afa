import { z } from 'zod'
import { prepared } from '../../kernel/database/prepared.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { House } from '../../kernel/house.ts'
import type { Environment, Partner, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { after, MINUTE, unixSeconds } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    quotes: {
      id: string
      partner_id: string
      environment: Environment
      domain: string
      price_cents: number
      currency: string
      status: 'active' | 'consumed' | 'released'
      created_at: Date
      expires_at: Date
    }
  }
}

export type Quote = Schema['quotes']

export const QUOTE_LIFETIME_MS = 10 * MINUTE

/** No quote that runs has an id before this one: those that lapsed need not be looked at. */
export function firstRunning(now: Date): string {
  // A sandbox's clock makes quotes older than their ids, never younger.
  return firstIdAt('qt', after(now, -QUOTE_LIFETIME_MS))
}

export const QUOTE_STATUSES = ['active', 'consumed', 'released', 'expired'] as const
export type QuoteStatus = (typeof QUOTE_STATUSES)[number]

/** A quote lapses by the clock: no one writes that down. */
export function quoteStatus(quote: Pick<Quote, 'status' | 'expires_at'>, now: Date): QuoteStatus {
  return quote.status === 'active' && quote.expires_at <= now ? 'expired' : quote.status
}

export const QuoteView = z.object({
  quote_id: z.string(),
  /** A JWS that anyone can check against `/.well-known/jwks.json`; taken wherever a quote_id is. */
  quote_token: z.string(),
  domain: z.string(),
  price_cents: z.int(),
  currency: z.string(),
  status: z.enum(QUOTE_STATUSES),
  created_at: timestamp,
  expires_at: timestamp,
})

export async function viewQuote(
  house: Pick<House, 'signingKey' | 'settings'>,
  quote: Quote,
  now: Date,
): Promise<z.output<typeof QuoteView>> {
  const { price_cents, currency, domain } = quote
  const quote_token = await house.signingKey.sign({
    iss: house.settings.baseUrl,
    sub: quote.partner_id,
    jti: quote.id,
    iat: unixSeconds(quote.created_at),
    exp: unixSeconds(quote.expires_at),
    environment: quote.environment,
    domain,
    price_cents,
    currency,
  })
  return {
    quote_id: quote.id,
    quote_token,
    domain,
    price_cents,
    currency,
    status: quoteStatus(quote, now),
    created_at: iso(quote.created_at),
    expires_at: iso(quote.expires_at),
  }
}

/** Finds one of the partner's own quotes by its id or its token. */
export async function findQuote(
  db: Pick<Tx, 'executeQuery'>,
  house: Pick<House, 'signingKey'>,
  partner: Partner,
  reference: string,
): Promise<Quote | undefined> {
  const id = reference.startsWith('qt_')
    ? reference
    : (await house.signingKey.verify(reference))?.jti
  if (typeof id !== 'string') return undefined
  const { partnerId, environment } = partner
  const { rows } = await db.executeQuery(selectQuote({ id, partnerId, environment }))
  return rows[0]
}

const selectQuote = prepared((db, values: Partner & { id: string }) =>
  db
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', values.id)
    .where('partner_id', '=', values.partnerId)
    .where('environment', '=', values.environment)
    .compile(),
)

/** The statement that ends a running quote, and answers no row when it ran no more. */
export const closeQuote = prepared(
  (db, { id, status, now }: { id: string; status: 'consumed' | 'released'; now: Date }) =>
    db
      .updateTable('quotes')
      .set({ status })
      .where('id', '=', id)
      .where('status', '=', 'active')
      .where('expires_at', '>', now)
      .returning('id')
      .compile(),
)
