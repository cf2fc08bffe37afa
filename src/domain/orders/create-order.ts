import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { ApiError, conflict, invalid } from '../../core/errors.ts'
import {
  centsField,
  countryField,
  currencyField,
  domainField,
  emailField,
  idField,
  lineField,
  webUrlField,
} from '../../core/fields.ts'
import { partnerWrite, type Tx } from '../../core/operation.ts'
import { prepared } from '../../db/prepared.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { emit } from '../events/emit.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { countSales } from '../ledger/sale-days.ts'
import { lockListing, notListed, sellListing } from '../listings/listing.ts'
import { deliveryField, deliveryOf } from '../partners/delivery.ts'
import { priceMismatch } from '../quotes/create-quote.ts'
import { closeQuote, findQuote, type Quote, quoteStatus } from '../quotes/quote.ts'
import { assertNotTaken } from '../quotes/reservation.ts'
import { learnRegistrar } from '../registrars/find-registrar.ts'
import { insertOrder, newOrder } from './new-order.ts'
import { countedSale, OrderView, orderEvent, viewOrder } from './order.ts'
import { soldMail } from './seller.ts'

const Input = z.object({
  domain: domainField.describe('The domain that you sold, in any case, as A-labels or U-labels.'),
  sale_price_cents: centsField.describe(
    'The price of the sale, in cents. It must be the price of the quote.',
  ),
  expected_price: centsField
    .nullish()
    .describe(
      'The price that you expect, in cents. Any other price is rejected with `price_mismatch`.',
    ),
  currency: currencyField
    .nullish()
    .describe('The ISO 4217 code of the currency, which must be that of the quote. Default: USD.'),
  quote_id: idField('qt')
    .min(1)
    .describe('The `quote_id` of your active quote for the domain, or its `quote_token`.'),
  external_payment_ref: lineField(255)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .meta({
      description: 'Your reference for the payment. It can pay for one order only.',
      example: 'pay_1001',
    }),
  buyer: z
    .object({
      email: emailField.describe('Their e-mail address.'),
      name: lineField(200)
        .nullish()
        .meta({ description: 'Their full name.', example: 'Ada Buyer' }),
      country: countryField.nullish(),
    })
    .describe('Who receives the domain.'),
  delivery: deliveryField.nullish(),
  return_url: webUrlField.nullish().meta({
    description: 'A page of yours about the sale. It is stored with the order.',
    example: 'https://partner.example/orders/1001',
  }),
  cancel_url: webUrlField.nullish().meta({
    description: 'A page of yours for a sale that did not happen. It is stored with the order.',
    example: 'https://partner.example/basket/1001',
  }),
})

/** Records a sale that the partner collected, and takes the domain off the market. */
export const createOrder = partnerWrite({
  name: 'create_order',
  tag: 'Orders',
  summary: 'Create an order',
  description:
    'Records a sale whose payment you collected, and takes the domain off the market. Create a quote first: the ' +
    'order uses it up, at its price. From then on you owe the price less your commission, which appears on the ' +
    'statement of the period in which the domain is delivered. An operator starts the transfer; an order that is ' +
    '`held` waits for a review before. Follow it by webhooks, or by getting the order. An expired quote gives ' +
    '`quote_expired`, another price than the quote’s `price_mismatch`, and a domain that is sold, a quote that ' +
    'was used, or a payment reference that another order has `conflict`. Always send an Idempotency-Key, so that ' +
    'a retry records the sale once.',
  method: 'POST',
  path: '/orders',
  scope: 'buy',
  idempotency: 'required',
  input: Input,
  output: OrderView,
  status: 201,
  errors: [
    'missing_idempotency_key',
    'validation_error',
    'not_found',
    'conflict',
    'quote_expired',
    'price_mismatch',
  ],
  prepare: ({ app, partner }, { domain }) => learnRegistrar(app, partner.environment, domain),
  async handler({ tx, now, app, partner, defer }, input) {
    const [listing, quote, terms] = await Promise.all([
      lockListing(tx, partner, input.domain),
      findQuote(tx, app, partner, input.quote_id),
      findTerms(tx, partner, input.external_payment_ref),
    ])
    if (!listing) throw notListed(input.domain)
    await assertNotTaken(tx, listing, partner.partnerId, now, quote)
    // While a quote runs, its price is the listing's for its holder.
    const { currency } = quote?.domain === listing.domain ? quote : listing
    if ((input.currency ?? HOME_CURRENCY) !== currency) {
      throw invalid({ field: 'currency', issue: `must be ${currency}, the listing's` })
    }
    assertUsable(quote, input.domain, now)
    for (const field of ['sale_price_cents', 'expected_price'] as const) {
      const price = input[field] ?? quote.price_cents
      if (price !== quote.price_cents) throw priceMismatch(field, quote)
    }
    if (terms.public_id !== null) {
      const { public_id } = terms
      throw conflict(
        'payment_ref_used',
        'An order with this external_payment_ref is recorded already.',
        { public_id },
      )
    }

    // Past this line the order stands.
    const { email, name = null, country = null } = input.buyer
    const sale = {
      payment_model: 'partner_collected',
      sale_price_cents: quote.price_cents,
      currency: quote.currency,
      commission_bps: terms.partner_collected_bps,
      quote_id: quote.id,
      external_payment_ref: input.external_payment_ref,
      checkout_session_id: null,
      link_id: null,
      buyer: { email, name, country },
      return_url: input.return_url ?? null,
      cancel_url: input.cancel_url ?? null,
      delivery: deliveryOf(input.delivery, terms.delivery),
    } as const
    const order = await newOrder({ tx, now, app }, partner, terms, listing, sale, 'partner')
    const mail = await soldMail(tx, now, order)
    defer(
      insertOrder(order),
      closeQuote({ id: quote.id, status: 'consumed', now }),
      sellListing(listing, now),
      post(now, {
        ...partner,
        code: 'sale',
        source: order.public_id,
        settlementId: null,
        currency: order.currency,
        entries: transfer('partner_funds', 'undelivered_sales', order.sale_price_cents),
      }),
      countSales(partner, [], [countedSale(order)]),
      emit(now, partner, [orderEvent('order.recorded', order)]),
      ...(mail ? [mail] : []),
    )
    return viewOrder(order)
  },
})

function assertUsable(quote: Quote | undefined, domain: string, now: Date): asserts quote is Quote {
  if (!quote) throw invalid({ field: 'quote_id', issue: 'is not one of your quotes' })
  if (quote.domain !== domain) {
    throw invalid({ field: 'quote_id', issue: `is a quote for ${quote.domain}` })
  }
  switch (quoteStatus(quote, now)) {
    case 'active':
      return
    case 'expired':
      throw new ApiError('quote_expired', 'The quote has expired. Take a new one.')
    case 'consumed':
      throw conflict('quote_used', 'The quote was used by an order.')
    case 'released':
      throw conflict('quote_released', 'The quote was released. Take a new one.')
  }
}

/** What the partner keeps of a sale, what limits its orders, and the order that has the payment reference already. */
async function findTerms(tx: Tx, { partnerId, environment }: Partner, reference: string) {
  const { rows } = await tx.executeQuery(selectTerms({ partnerId, environment, reference }))
  if (!rows[0]) throw new Error(`there is no partner ${partnerId}`)
  return rows[0]
}

const selectTerms = prepared((db, values: Partner & { reference: string }) =>
  db
    .selectFrom('partners')
    .leftJoin('orders', (join) =>
      join
        .onRef('orders.partner_id', '=', 'partners.id')
        .on('orders.environment', '=', values.environment)
        .on('orders.external_payment_ref', '=', values.reference),
    )
    .select([
      'partner_collected_bps',
      'partners.delivery',
      'credit_limit_cents',
      'orders_per_hour',
      'public_id',
    ])
    .where('partners.id', '=', values.partnerId)
    .compile(),
)
