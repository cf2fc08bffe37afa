import { z } from 'zod'
import { ApiError } from '../../core/errors.ts'
import { countryField, domainField, domainView, iso, timestamp } from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import { after, MINUTE, unixSeconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { moneyText } from '../../lib/money.ts'
import { findLiveListing, listingStatus, notListed } from '../listings/listing.ts'
import { findMandate } from '../oauth/mandate.ts'
import { amountFields, MandateLeftView, termsOf } from './agent-order.ts'
import { assertWithin, buyerOf, leftOf, revoked, takenProblem, taxFor } from './assess.ts'
import { SellersWords, sellersWords } from './sellers-words.ts'

const LIFETIME_MS = 10 * MINUTE
const AUDIENCE = 'agent-quote'

export const getQuote = publicRead({
  // Partners have a get_quote of their own.
  name: 'quote_purchase',
  tool: 'get_quote',
  summary: 'What a domain for sale costs, with tax, and whether the mandate covers it',
  description:
    'Returns what one domain of this marketplace costs now, in minor units and in words, with tax, and whether the ' +
    'user lets this app spend that. It buys nothing and reserves nothing, so the price may change: `buy_domain` says ' +
    'the price again before it buys. `quote_token` is the quote as a signed token (JWS), which anyone can verify ' +
    'against `/.well-known/jwks.json`. A domain that is sold or reserved gives `conflict`.',
  method: 'POST',
  path: '/api/agent/quotes',
  rate: 'public',
  scope: 'orders:create',
  cacheSeconds: 0,
  input: z.object({
    domain: domainField.describe('The domain, such as example.com.'),
    country: countryField
      .optional()
      .describe("The buyer's country, where tax is charged: an ISO 3166-1 alpha-2 code."),
  }),
  output: z.object({
    domain: domainView,
    ...amountFields,
    within_mandate: z
      .boolean()
      .describe('Whether `buy_domain` would be within what the user lets this app spend.'),
    mandate: MandateLeftView,
    terms: z.string().describe('What is agreed to by buying, and what is final.'),
    seller_words: SellersWords,
    quote_token: z.string().describe('The quote as a signed token, for anyone who wants proof.'),
    expires_at: timestamp.describe('When the quote ends.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'insufficient_scope', 'not_found', 'conflict'],
  aliases: { domain: ['name'] },
  example: {
    input: { domain: 'petpantry.test' },
    output: {
      domain: 'petpantry.test',
      price_cents: 129_500,
      tax_cents: 0,
      total_cents: 129_500,
      currency: 'USD',
      total: '1,295.00 USD',
      within_mandate: true,
      mandate: {
        max_per_order_cents: 150_000,
        max_total_cents: 300_000,
        currency: 'USD',
        expires_at: '2026-02-04T23:59:59.999Z',
        spent_cents: 0,
        left_cents: 300_000,
      },
      terms: termsOf({ termsUrl: null }),
      seller_words: null,
      quote_token: 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJxdF8wMWs4In0.c2lnbmF0dXJl',
      expires_at: '2026-01-05T09:40:00.000Z',
    },
  },
  async handler({ db, now, app, caller }, { domain, country = null }) {
    if (caller.kind === 'anonymous') throw new ApiError('unauthorized', 'Sign in first.')
    const { app: grant, userId } = buyerOf(caller)
    const listing = await findLiveListing(db, domain)
    if (!listing) throw notListed(domain)
    const taken = takenProblem(domain, listingStatus(listing, now))
    if (taken) throw taken
    const { price_cents, currency } = listing
    const tax = taxFor(app, price_cents, country)
    const mandate = await findMandate(db, grant.grantId)
    if (!mandate) throw revoked()
    const left = await leftOf(db, now, grant.grantId, mandate)
    const total = { cents: price_cents + tax.cents, currency }
    const expiresAt = after(now, LIFETIME_MS)
    const amounts = { price_cents, tax_cents: tax.cents, total_cents: total.cents, currency }
    return {
      domain,
      ...amounts,
      total: moneyText(total.cents, currency),
      within_mandate: isWithin(() => assertWithin(now, left, total)),
      mandate: left,
      terms: termsOf(app.brand),
      seller_words: sellersWords(listing),
      quote_token: await app.signingKey.sign({
        iss: app.settings.baseUrl,
        aud: AUDIENCE,
        sub: userId,
        jti: newId('qt', now),
        iat: unixSeconds(now),
        exp: unixSeconds(expiresAt),
        domain,
        ...amounts,
      }),
      expires_at: iso(expiresAt),
    }
  },
})

function isWithin(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
