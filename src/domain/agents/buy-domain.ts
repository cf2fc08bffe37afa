import { z } from 'zod'
import type { UserCaller } from '../../core/caller.ts'
import { invalid } from '../../core/errors.ts'
import { countryField, domainField, iso } from '../../core/fields.ts'
import { type ReadContext, userWrite } from '../../core/operation.ts'
import { settle } from '../../core/write.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { moneyText } from '../../lib/money.ts'
import { findLiveListing, listingStatus, notListed } from '../listings/listing.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { findMandate } from '../oauth/mandate.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import { activeMethod } from '../payments/payment-method.ts'
import { type AgentOrder, AgentOrderView, termsOf } from './agent-order.ts'
import { assertWithin, buyerOf, leftOf, revoked, takenProblem, taxFor } from './assess.ts'
import { confirmPurchase } from './confirm-purchase.ts'
import { signConfirmation } from './confirmation.ts'

const LIFETIME_MS = 10 * MINUTE

const EXAMPLE: AgentOrder = {
  id: null,
  public_id: null,
  status: 'confirmation_required',
  domain: 'petpantry.test',
  price_cents: 129_500,
  tax_cents: 0,
  total_cents: 129_500,
  currency: 'USD',
  total: '1,295.00 USD',
  terms: termsOf({ termsUrl: null }),
  confirmation: 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJjc18wMWs4In0.c2lnbmF0dXJl',
  confirmation_expires_at: '2026-01-05T09:40:00.000Z',
  card: 'Visa ending in 4242',
  mandate: {
    max_per_order_cents: 150_000,
    max_total_cents: 300_000,
    currency: 'USD',
    expires_at: '2026-02-04T23:59:59.999Z',
    spent_cents: 0,
    left_cents: 300_000,
  },
  reason: null,
  transfer: null,
  created_at: null,
}

/** A purchase in two steps, so that nothing is bought by accident. */
export const buyDomain = userWrite({
  name: 'buy_domain',
  summary: "Buy a domain with the user's saved card, in two steps",
  description:
    'Buys one domain of this marketplace with real money. Step 1: call with `domain` alone. Nothing is bought or ' +
    'reserved; the response (200) has the price in minor units and in words, the terms, and a `confirmation` that works for ' +
    'ten minutes. Show the user the price. Step 2: call with `domain` and `confirm` set to that confirmation. The ' +
    "user's saved card is charged at once and the domain is bought (201). This is final once the transfer starts. The " +
    'same confirmation sent again returns the same purchase and charges nothing more. It fails without buying when ' +
    'the price has changed (`price_changed`: start again), the purchase is beyond what the user lets this app spend ' +
    '(`mandate_exceeded`), the card is declined, its bank asks for the cardholder or none is saved (`payment_failed`: offer ' +
    '`create_checkout`, so that the user pays), or the domain is sold or reserved (`conflict`). While `status` is `processing`, ask `order_status`.',
  method: 'POST',
  path: '/api/agent/orders',
  rate: 'public',
  scope: 'orders:create',
  cacheSeconds: 0,
  input: z.object({
    domain: domainField
      .optional()
      .describe('The domain to buy, such as example.com. Required without `confirm`.'),
    confirm: z
      .string()
      .min(1)
      .max(4_000)
      .optional()
      .describe(
        'The `confirmation` of step 1. Leave it out in step 1. With it the domain is bought.',
      ),
    country: countryField
      .optional()
      .describe("The buyer's country, where tax is charged: an ISO 3166-1 alpha-2 code."),
  }),
  output: AgentOrderView,
  status: 200,
  doneStatus: 201,
  errors: [
    'validation_error',
    'unauthorized',
    'insufficient_scope',
    'payment_failed',
    'not_found',
    'conflict',
    'price_changed',
    'mandate_exceeded',
    'quote_expired',
  ],
  aliases: { domain: ['name'] },
  example: { input: { domain: 'petpantry.test' }, output: EXAMPLE },
  /** What rejects the first step does not reject its repeat, so the handler throws it. */
  async prepare(context, { domain, confirm, country = null }) {
    if (confirm !== undefined) return null
    if (domain === undefined) throw invalid({ field: 'domain', issue: 'is required' })
    return await settle(firstStep(context, domain, country))
  },
  async handler({ prepared }): Promise<AgentOrder> {
    if (!prepared) throw new Error('a purchase that is confirmed is made outside a transaction')
    if ('error' in prepared) throw prepared.error
    return prepared.value
  },
  external: {
    applies: ({ confirm }) => confirm !== undefined,
    async run(context, { domain, confirm = '' }) {
      const value = await confirmPurchase(context, buyerOf(context.caller), confirm, domain)
      return { value, isFinal: value.status !== 'processing' }
    },
  },
})

/** What is asked for costs this much, and could be bought. */
async function firstStep(
  { app, caller, db, now }: ReadContext & { caller: UserCaller },
  domain: string,
  country: string | null,
): Promise<AgentOrder> {
  const holder = buyerOf(caller)
  const listing = await findLiveListing(db, domain)
  if (!listing) throw notListed(domain)
  const problem =
    takenProblem(domain, listingStatus(listing, now)) ??
    (await findTransferProblem(app, 'live', domain, MARKETPLACE_PARTNER))
  if (problem) throw problem
  const { price_cents, currency } = listing
  const tax = taxFor(app, price_cents, country)
  const total = { cents: price_cents + tax.cents, currency }
  const mandate = await findMandate(db, holder.app.grantId)
  if (!mandate) throw revoked()
  const left = await leftOf(db, now, holder.app.grantId, mandate)
  assertWithin(now, left, total)
  const expiresAt = after(now, LIFETIME_MS)
  const confirmation = await signConfirmation(app, now, holder, {
    jti: newId('cs', now),
    domain,
    price_cents,
    tax_cents: tax.cents,
    currency,
    country,
    expiresAt,
  })
  const method = await activeMethod(db, holder.userId, app.settings.paymentProvider)
  return {
    ...EXAMPLE,
    domain,
    price_cents,
    tax_cents: tax.cents,
    total_cents: total.cents,
    currency,
    total: moneyText(total.cents, currency),
    terms: termsOf(app.brand),
    confirmation,
    confirmation_expires_at: iso(expiresAt),
    card: method?.label ?? null,
    mandate: left,
  }
}
