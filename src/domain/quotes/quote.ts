import type { CompiledQuery } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import {
  centsView,
  createdAt,
  currencyView,
  domainView,
  idField,
  iso,
  timestamp,
} from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import { after, HOUR, MINUTE, unixSeconds } from '../../lib/clock.ts'
import { firstIdAt, madeAt, newId } from '../../lib/ids.ts'
import { sha256Hex } from '../../lib/signature.ts'

export type Quote = Schema['quotes']

export const QUOTE_LIFETIME_MS = 10 * MINUTE

/** How long an accepted offer reserves its domain (contract, section 18). */
export const OFFER_QUOTE_LIFETIME_MS = 72 * HOUR

/** No quote that runs has an id before this one, but those of offers: what lapsed need not be looked at. */
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

export const QuoteView = z
  .object({
    quote_id: idField('qt').describe('The id of the quote.'),
    quote_token: z.string().meta({
      description:
        'The quote as a signed token (JWS), which anyone can verify against `/.well-known/jwks.json`. It is ' +
        'accepted wherever a `quote_id` is.',
      example: 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJxdF8wMWs4In0.c2lnbmF0dXJl',
    }),
    domain: domainView,
    price_cents: centsView(129_500).describe('The price in cents, fixed until the quote expires.'),
    currency: currencyView,
    status: z
      .enum(QUOTE_STATUSES)
      .describe(
        '`active` while it reserves the domain, `consumed` by an order, `released` by you, or `expired`.',
      ),
    created_at: createdAt,
    expires_at: timestamp.meta({
      description:
        'When the price and the reservation end: ten minutes after the creation, 72 hours for that of an accepted offer.',
      example: '2026-01-05T09:40:00.000Z',
    }),
  })
  .meta({
    id: 'Quote',
    description: 'A firm price for a domain, which it reserves for ten minutes.',
  })

/** A quote of a partner that runs from now on, with the token that stands for it. */
export async function newQuote(
  app: Pick<AppContext, 'signingKey' | 'settings'>,
  { partnerId, environment }: Partner,
  now: Date,
  {
    lifetimeMs,
    ...terms
  }: Pick<Quote, 'domain' | 'price_cents' | 'currency' | 'offer_id'> & {
    lifetimeMs: number
  },
): Promise<{ quote: Quote; token: string }> {
  const unsigned = {
    id: newId('qt', now),
    partner_id: partnerId,
    environment,
    status: 'active' as const,
    created_at: now,
    expires_at: after(now, lifetimeMs),
    ...terms,
  }
  const token = await app.signingKey.sign(claimsOf(app, unsigned))
  return { quote: { ...unsigned, token_sha256: sha256Hex(token) }, token }
}

/**
 * The quote as a token that anyone can check: the one that it was made with, since a delivery receipt has its hash. The
 * key may have been replaced since, and a sandbox's clock may have moved the times. A new token is made of quotes from before
 * hashes were kept, and where `BASE_URL` has changed.
 */
async function quoteToken(
  app: Pick<AppContext, 'signingKey' | 'settings'>,
  quote: Quote,
): Promise<string> {
  const { token_sha256, created_at, expires_at } = quote
  const claims = claimsOf(app, quote)
  if (token_sha256 !== null) {
    const made = madeAt(quote.id)
    const end = after(made, expires_at.getTime() - created_at.getTime())
    const first = claimsOf(app, { ...quote, created_at: made, expires_at: end })
    const known = await app.signingKey.signAgain([claims, first], token_sha256)
    if (known !== null) return known
  }
  return await app.signingKey.sign(claims)
}

function claimsOf(
  app: Pick<AppContext, 'settings'>,
  quote: Omit<Quote, 'token_sha256'>,
): Record<string, unknown> {
  const { price_cents, currency, domain } = quote
  return {
    iss: app.settings.baseUrl,
    sub: quote.partner_id,
    jti: quote.id,
    iat: unixSeconds(quote.created_at),
    exp: unixSeconds(quote.expires_at),
    environment: quote.environment,
    domain,
    price_cents,
    currency,
  }
}

export async function viewQuote(
  app: Pick<AppContext, 'signingKey' | 'settings'>,
  quote: Quote,
  now: Date,
  token?: string,
): Promise<z.output<typeof QuoteView>> {
  const { price_cents, currency, domain } = quote
  return {
    quote_id: quote.id,
    quote_token: token ?? (await quoteToken(app, quote)),
    domain,
    price_cents,
    currency,
    status: quoteStatus(quote, now),
    created_at: iso(quote.created_at),
    expires_at: iso(quote.expires_at),
  }
}

/** The statement that writes a quote. */
export function insertQuote(tx: Pick<Tx, 'insertInto'>, quote: Quote): CompiledQuery {
  return tx.insertInto('quotes').values(quote).compile()
}

/** Finds one of the partner's own quotes by its id or its token. */
export async function findQuote(
  db: Pick<Tx, 'executeQuery'>,
  app: Pick<AppContext, 'signingKey'>,
  partner: Partner,
  reference: string,
): Promise<Quote | undefined> {
  const id = reference.startsWith('qt_') ? reference : (await app.signingKey.verify(reference))?.jti
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

/** Ends the running quotes among these ids, for an operator. */
export async function releaseQuotes(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('quotes')
    .set({ status: 'released' })
    .where('id', 'in', ids)
    .where('status', '=', 'active')
    .execute()
}

/** The statement that ends a running quote, and returns no row when it ran no more. */
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
