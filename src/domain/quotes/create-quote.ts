import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import { centsField, domainField } from '../../core/fields.ts'
import { partnerWrite, type Tx } from '../../core/operation.ts'
import { advisoryLock } from '../../db/advisory-lock.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'
import {
  isReserved,
  type Listing,
  lockListing,
  notListed,
  updateListing,
} from '../listings/listing.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { watchListing } from '../listings/watch.ts'
import {
  firstRunning,
  insertQuote,
  newQuote,
  QUOTE_LIFETIME_MS,
  type Quote,
  QuoteView,
  viewQuote,
} from './quote.ts'
import { assertNotTaken } from './reservation.ts'

const MAX_RUNNING = 100

/** A firm price, and the domain reserved for the partner alone for ten minutes. */
export const createQuote = partnerWrite({
  name: 'create_quote',
  tag: 'Quotes',
  summary: 'Create a quote',
  description:
    'Fixes the price of a domain and reserves it for you for ten minutes. Create a quote when a buyer begins to ' +
    'pay, and record the sale as an order with its `quote_id` before it expires. A quote costs nothing; when ' +
    'it expires or is released, the domain is free for everyone again. While you hold a quote for the domain, the ' +
    'call returns that quote. A domain that is sold or reserved by another partner gives `conflict`, as does ' +
    'a quote beyond 100 running ones, and another price than `expected_price` gives `price_mismatch`.',
  method: 'POST',
  path: '/quotes',
  scope: 'buy',
  input: z.object({
    domain: domainField.describe('The domain to quote, in any case, as A-labels or U-labels.'),
    expected_price: centsField
      .nullish()
      .describe(
        'The price that you expect, in cents. Any other price is rejected with `price_mismatch`.',
      ),
  }),
  output: QuoteView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict', 'price_mismatch'],
  prepare: ({ app, partner: { environment, partnerId } }, { domain }) =>
    findTransferProblem(app, environment, domain, partnerId),
  async handler({ tx, now, app, partner, defer, prepared }, { domain, expected_price }) {
    const listing = await lockListing(tx, partner, domain)
    if (!listing) throw notListed(domain)
    const running = isReserved(listing, now) ? await runningQuote(tx, listing) : undefined
    if (running?.partner_id !== partner.partnerId) {
      await assertNotTaken(tx, listing, partner.partnerId, now)
    }
    const price_cents = running?.price_cents ?? listing.price_cents
    if (typeof expected_price === 'number' && expected_price !== price_cents) {
      throw priceMismatch('expected_price', { price_cents, currency: listing.currency })
    }
    if (running) return viewQuote(app, running, now)
    if (prepared) throw prepared
    await assertQuoteLimit(tx, partner, now)

    // Past this line the quote stands.
    const { quote, token } = await newQuote(app, partner, now, {
      domain,
      price_cents,
      currency: listing.currency,
      lifetimeMs: QUOTE_LIFETIME_MS,
      offer_id: null,
    })
    defer(
      watchListing(now, partner, domain),
      insertQuote(tx, quote),
      updateListing(tx, listing, now, {
        reserved_by: quote.id,
        reserved_until: quote.expires_at,
        ...priceAfterQuote(listing),
      }),
    )
    return viewQuote(app, quote, now, token)
  },
})

export function priceMismatch(
  field: string,
  { price_cents, currency }: Pick<Quote, 'price_cents' | 'currency'>,
): ApiError {
  return new ApiError('price_mismatch', `${field} is not the current price of ${price_cents}.`, {
    details: { field, current_price_cents: price_cents, currency },
  })
}

async function runningQuote(tx: Tx, listing: Listing): Promise<Quote | undefined> {
  return await tx
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', listing.reserved_by ?? '')
    .executeTakeFirst()
}

async function assertQuoteLimit(tx: Tx, partner: Partner, now: Date): Promise<void> {
  // Quotes of one partner count one after another, so that a burst cannot pass the cap together.
  await advisoryLock(tx, `quotes ${partner.partnerId} ${partner.environment}`)
  const { running } = await tx
    .selectFrom('quotes')
    .select((row) => row.fn.countAll<number>().as('running'))
    .where('partner_id', '=', partner.partnerId)
    .where('environment', '=', partner.environment)
    .where('status', '=', 'active')
    .where('expires_at', '>', now)
    .where('id', '>=', firstRunning(now))
    .where('offer_id', 'is', null)
    .executeTakeFirstOrThrow()
  if (running >= MAX_RUNNING) {
    throw conflict(
      'quote_limit',
      `${MAX_RUNNING} of your quotes run at the moment. Release one or let one lapse.`,
    )
  }
}

/** The sandbox's `price-moves` goes up with every quote, and begins anew once it has doubled. */
function priceAfterQuote({ environment, domain, price_cents, floor_price_cents }: Listing) {
  if (fixedOutcome(environment, domain) !== 'price_moves') return {}
  const higher = price_cents + Math.max(1, Math.floor(price_cents / 10))
  return { price_cents: higher > 2 * floor_price_cents ? floor_price_cents : higher }
}
