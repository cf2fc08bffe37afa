import type { JsonSchema, OpenApiDocument } from './document.ts'

const DAY_FROM = 'From this UTC day on.'
const DAY_TO = 'Before this date; of a time, its whole UTC day counts.'

/**
 * What the fields of the partner API mean, by their names: one word means one thing. Where it means several,
 * the operation's name or that of the field around it stands before.
 */
const ASKED: Record<string, string> = {
  after_id:
    'The last event that you have handled; those after it are answered. Absent: from the first on.',
  answer: 'What the other side said.',
  budget: 'The most that the buyer would pay, in cents.',
  buyer: 'Who gets the domain.',
  'create_checkout_session.buyer': 'What you know of the buyer, to be filled in beforehand.',
  buyer_consented: 'The buyer agreed to a price above the budget.',
  buyer_email: 'Where the buyer is told how the case goes.',
  cancel_url: 'Kept with the order.',
  'create_checkout_session.cancel_url': 'Where a buyer who would not pay goes back.',
  case_id: 'One of your cases.',
  country: 'ISO 3166-1 alpha-2, such as DE.',
  currency: 'ISO 4217. Default: USD.',
  'create_order.currency': 'The currency of the listing. Default: USD.',
  'list_commissions.currency': 'ISO 4217: balances of different currencies do not add up.',
  cursor: 'The `next_cursor` of the page before.',
  destination_url:
    'A page of this service, as a URL or a path. Default: home, or the page of the domain.',
  domain: 'In any case, as A-labels or U-labels.',
  'create_link.domain': 'Of type `domain`: the name whose page the link leads to.',
  email: 'An e-mail address.',
  event_id: 'Only attempts to deliver this event.',
  expected_price:
    'The price that you expect, in cents. Any other is refused with `price_mismatch`.',
  external_payment_ref: 'Your reference of the payment. It pays for one order.',
  external_ref: 'Your reference of the session.',
  from: 'At or after: a date (UTC) or an RFC 3339 time.',
  'get_analytics.from': DAY_FROM,
  'get_clicks.from': DAY_FROM,
  id: 'One of yours.',
  label: 'For yourself, to tell links apart.',
  limit: 'How many a page holds at most.',
  made_by: 'Whose offer it is.',
  max_price_cents: 'Only names for this price or less.',
  message: 'Shown to both sides.',
  metadata: 'Up to 50 values of your own.',
  move: 'What the broker does next.',
  name: 'In full.',
  'get_domain.name': 'The domain, in any case, as A-labels or U-labels.',
  note: 'For the buyer and you to read.',
  'open_case.note': 'For the broker; the page of the buyer does not show it.',
  'request_refund.note': 'Why, in words: for the timeline of the order.',
  offer_id: 'The offer that is open.',
  payment_model: 'Only sales of this kind.',
  price_cents: 'What is offered.',
  'sandbox_move_case.price_cents':
    'What was agreed on: `agree` needs it, and `complete` may correct it.',
  product: 'Of type `product`: what the link is for, in your own words.',
  public_id: 'One of your orders.',
  q: 'What the buyer looks for, in words, or a name.',
  quote_id: 'The `quote_id` of one of your quotes, or its `quote_token`.',
  reason: 'Why, for the timeline of the order.',
  'request_refund.reason': 'Default: `other`.',
  result: 'Whether the receiver answered 2xx within five seconds.',
  return_url: 'Kept with the order.',
  'create_checkout_session.return_url':
    'Where the buyer goes after paying; `checkout_session_id` and `public_id` are added.',
  sale_price_cents: 'It must be the current price: while your quote runs, that of the quote.',
  secret: 'What deliveries are signed with: 16 to 128 characters.',
  status: 'Only in this status.',
  tier: 'Only of this tier.',
  'open_case.tier': 'With `self_serve` the buyer makes and answers offers on the progress page.',
  tld: 'Only names on this TLD, such as com or co.uk.',
  to: 'Before: a date (UTC) or an RFC 3339 time.',
  'get_analytics.to': DAY_TO,
  'get_clicks.to': DAY_TO,
  type: 'What the link is for: all that you do, one name, or a product.',
  types: 'Only these types. Absent: all.',
  url: 'https on a public address. The sandbox of a service on your own machine takes http and loopback, too.',
}

const ANSWERED: Record<string, string> = {
  active: 'Whether events are sent to it.',
  amount_owed_cents: 'The price less your commission: what you owe for what you collected.',
  available: 'Whether it can be bought now; what somebody has reserved cannot.',
  'entries.amount_cents': 'What the entry adds to the balance.',
  'entries.balance_cents': 'The balance after the entry.',
  bots: 'Clicks of programs, which are not among the others.',
  checkout_url: 'The page to send the buyer to.',
  commission_cents: 'Your commission.',
  commission_retained_cents: 'Your commission.',
  eligible: 'Null when nobody can tell: a case may be opened, and a broker looks.',
  failed_count: 'How many were given up.',
  floor_price_cents: 'The least that the house would take.',
  gmv_cents: 'What was sold, at its prices.',
  gross_sold_cents: 'What was delivered in the period, at its prices.',
  held: 'Whether an operator must look before the transfer may start.',
  hold_reason: 'Why it is held.',
  inactive_reason: 'Why it was switched off.',
  next_cursor: 'Null: this is the last page.',
  'list_events.next_cursor': 'The next `after_id`. Null: no event follows.',
  period_end: 'Null while the period is open.',
  progress_url: 'The page on which the buyer follows the case, without a login.',
  queued_count: 'How many were handed to the deliveries so far.',
  quote_token: 'The quote as a JWS, to be checked against /.well-known/jwks.json.',
  refunded_cents: 'What was refunded before its delivery: nothing is owed for it.',
  response_body: 'How the answer of the receiver began, 1 KiB at most.',
  response_status: 'Null when no answer came.',
  sale_id: 'What earned it: the `public_id` of an order, or the `case_id` of a case.',
  score: '1 the name itself, 0.99 its label; below, how much of the query the name answers.',
  timeline: 'What happened, oldest first.',
  total: 'Repeats of a visitor within a day included.',
  total_paid_cents: 'Of all payouts that were paid, whatever the filter.',
  'list_transactions.totals': 'Of everything that the filter finds, not of this page alone.',
  unique: 'Without repeats of a visitor within a day.',
  why: 'The words or concepts that matched.',
}

/** Says in a document what each field means, where its contract does not. */
export function explain(document: OpenApiDocument): OpenApiDocument {
  for (const operation of Object.values(document.paths).flatMap((methods) =>
    Object.values(methods),
  )) {
    const { operationId, parameters = [], requestBody, responses } = operation
    for (const parameter of parameters) {
      const word = wordFor(ASKED, operationId, parameter.name)
      if (word) parameter.description ??= word
    }
    explainFields(requestBody?.content['application/json']?.schema, ASKED, operationId)
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) >= 400) continue
      explainFields(content?.['application/json']?.schema, ANSWERED, operationId)
    }
  }
  return document
}

function explainFields(
  schema: JsonSchema | undefined,
  words: Record<string, string>,
  within: string,
): void {
  if (!schema) return
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const word = wordFor(words, within, name)
    if (word) field.description ??= word
    explainFields(field, words, name)
  }
  for (const part of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    explainFields(part, words, within)
  }
}

function wordFor(words: Record<string, string>, within: string, name: string): string | undefined {
  return words[`${within}.${name}`] ?? words[name]
}
