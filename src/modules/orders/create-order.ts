import { z } from 'zod'
import { prepared } from '../../kernel/database/prepared.ts'
import { conflict, invalid, Refusal } from '../../kernel/errors.ts'
import {
  centsField,
  countryField,
  currencyField,
  domainField,
  emailField,
  lineField,
  webUrlField,
} from '../../kernel/fields.ts'
import { type Partner, partnerWrite, type Tx } from '../../kernel/operation.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { emit } from '../events/emit.ts'
import { lockListing, notListed, sellListing } from '../inventory/listing.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { countSales } from '../ledger/sale-days.ts'
import { priceMismatch } from '../quotes/create-quote.ts'
import { closeQuote, findQuote, type Quote, quoteStatus } from '../quotes/quote.ts'
import { refuseTaken } from '../quotes/reservation.ts'
import { insertOrder, newOrder } from './new-order.ts'
import { countedSale, OrderView, orderEvent, viewOrder } from './order.ts'
import { soldMail } from './seller.ts'

const Input = z.object({
  domain: domainField,
  sale_price_cents: centsField,
  expected_price: centsField.nullish(),
  currency: currencyField.nullish(),
  /** Of POST /quotes, or its token. */
  quote_id: z.string().min(1),
  external_payment_ref: lineField(255).refine((text) => text.trim() !== '', 'must not be blank'),
  buyer: z.object({
    email: emailField,
    name: lineField(200).nullish(),
    country: countryField.nullish(),
  }),
  return_url: webUrlField.nullish(),
  cancel_url: webUrlField.nullish(),
})

/** Records a sale that the partner collected, and takes the domain off the market. */
export const createOrder = partnerWrite({
  name: 'create_order',
  summary: 'Record a sale that you collected',
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
  async handler({ tx, now, house, partner, defer }, input) {
    const [listing, quote, terms] = await Promise.all([
      lockListing(tx, partner.environment, input.domain),
      findQuote(tx, house, partner, input.quote_id),
      findTerms(tx, partner, input.external_payment_ref),
    ])
    if (!listing) throw notListed(input.domain)
    await refuseTaken(tx, listing, partner.partnerId, now, quote)
    // While a quote runs, its price is the listing's for its holder.
    const { currency } = quote?.domain === listing.domain ? quote : listing
    if ((input.currency ?? HOME_CURRENCY) !== currency) {
      throw invalid({ field: 'currency', issue: `must be ${currency}, the listing's` })
    }
    refuseUnusable(quote, input.domain, now)
    for (const field of ['sale_price_cents', 'expected_price'] as const) {
      const price = input[field] ?? quote.price_cents
      if (price !== quote.price_cents) throw priceMismatch(field, quote.price_cents)
    }
    if (terms.public_id !== null) {
      const { public_id } = terms
      throw conflict('An order with this external_payment_ref is recorded already.', { public_id })
    }

    // Past this line the order stands.
    const { email, name = null, country = null } = input.buyer
    const order = await newOrder({ tx, now, house }, partner, listing, {
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
    })
    const mail = await soldMail(tx, now, order)
    defer(
      insertOrder(order),
      closeQuote({ id: quote.id, status: 'consumed', now }),
      sellListing({ environment: listing.environment, domain: listing.domain, now }),
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

function refuseUnusable(
  quote: Quote | undefined,
  domain: string,
  now: Date,
): asserts quote is Quote {
  if (!quote) throw invalid({ field: 'quote_id', issue: 'is not one of your quotes' })
  if (quote.domain !== domain) {
    throw invalid({ field: 'quote_id', issue: `is a quote for ${quote.domain}` })
  }
  switch (quoteStatus(quote, now)) {
    case 'active':
      return
    case 'expired':
      throw new Refusal('quote_expired', 'The quote is older than 10 minutes. Take a new one.')
    case 'consumed':
      throw conflict('The quote was used by an order.')
    case 'released':
      throw conflict('The quote was released. Take a new one.')
  }
}

/** What the partner keeps of a sale, and the order that has the payment reference already. */
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
    .select(['partner_collected_bps', 'public_id'])
    .where('partners.id', '=', values.partnerId)
    .compile(),
)
