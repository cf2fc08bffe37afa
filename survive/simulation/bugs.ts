/** A mistake that somebody could make: one piece of a file's text, and what stands there instead. */
export interface Bug {
  name: string
  file: string
  find: string
  replace: string
}

const ORDERS = 'src/domain/orders'
const QUOTES = 'src/domain/quotes'

/** Each breaks one rule, and the simulation must find each. */
export const BUGS: readonly Bug[] = [
  {
    name: 'a sold domain is sold again',
    file: `${QUOTES}/reservation.ts`,
    find: "if (listingStatus(listing, now) === 'sold') {",
    replace: "if (listing.status === 'delisted') {",
  },
  {
    name: "another partner's quote is taken",
    file: `${QUOTES}/quote.ts`,
    find: ".where('partner_id', '=', values.partnerId)",
    replace: '',
  },
  {
    name: 'a quote runs for eleven minutes',
    file: `${QUOTES}/quote.ts`,
    find: '10 * MINUTE',
    replace: '11 * MINUTE',
  },
  {
    name: 'a quote still holds at the moment of its end',
    file: `${QUOTES}/quote.ts`,
    find: 'quote.expires_at <= now',
    replace: 'quote.expires_at < now',
  },
  {
    name: 'a reservation never lapses',
    file: 'src/domain/listings/listing.ts',
    find: 'listing.reserved_until > now',
    replace: 'listing.reserved_until !== null',
  },
  {
    name: 'a released quote still holds its domain',
    file: `${QUOTES}/release-quote.ts`,
    find: 'await dropReservation(tx, { ...partner, domain: found.domain }, found.id)',
    replace: 'void dropReservation',
  },
  {
    name: 'the price of a running quote follows the listing',
    file: `${QUOTES}/create-quote.ts`,
    find: 'running?.price_cents ?? listing.price_cents',
    replace: 'listing.price_cents',
  },
  {
    name: 'another price is taken',
    file: `${ORDERS}/create-order.ts`,
    find: 'if (price !== quote.price_cents)',
    replace: 'if (price < quote.price_cents)',
  },
  {
    name: 'a quote for another domain is taken',
    file: `${ORDERS}/create-order.ts`,
    find: 'if (quote.domain !== domain) {',
    replace: "if (quote.domain === '') {",
  },
  {
    name: 'the commission is rounded up',
    file: 'src/lib/money.ts',
    find: 'Math.floor((priceCents',
    replace: 'Math.ceil((priceCents',
  },
  {
    name: 'a delivered order can be refunded',
    file: `${ORDERS}/status.ts`,
    find: "from: [...WAITING, 'TRANSFER_IN_PROGRESS'],",
    replace: "from: [...WAITING, 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'],",
  },
  {
    name: 'a refunded domain stays off the market',
    file: `${ORDERS}/status.ts`,
    find: "updateListing(tx, listing, now, { status: 'listed' })",
    replace: 'updateListing(tx, order, now, { reserved_by: null })',
  },
  {
    name: 'a held order starts without being cleared',
    file: `${ORDERS}/status.ts`,
    find: "name === 'start' && order.held ? ['clear', 'start'] : [name]",
    replace: '[name]',
  },
  {
    name: 'an order can be cancelled after a transfer was started',
    file: `${ORDERS}/status.ts`,
    find: "name === 'cancel' && order.transfer_started_at !== null",
    replace: "name === 'cancel' && order.transfer_completed_at !== null",
  },
  {
    name: 'a failed transfer is not held',
    file: `${ORDERS}/status.ts`,
    find: "from: ['TRANSFER_IN_PROGRESS'],\n    held: true,",
    replace: "from: ['TRANSFER_IN_PROGRESS'],",
  },
  {
    name: 'a partner reads the orders of another',
    file: `${ORDERS}/get-order.ts`,
    find: ".where('partner_id', '=', partner.partnerId)",
    replace: '',
  },
  {
    name: 'a delivery is entered without the commission',
    file: `${ORDERS}/move-money.ts`,
    find: '[...earned, ...kept]',
    replace: '(void kept, earned)',
  },
  {
    name: 'a settlement run leaves out its last order',
    file: `${ORDERS}/settle-orders.ts`,
    find: "and status = 'TRANSFER_COMPLETED'`",
    replace:
      "and status = 'TRANSFER_COMPLETED' and public_id < (select max(public_id) from orders where settlement_id = ${settlementId})`",
  },
  {
    name: 'a settlement run reports nothing',
    file: 'src/domain/settlements/run-settlement.ts',
    find: 'if (first) await',
    replace: 'if (first && rest.length > 0) await',
  },
  {
    name: 'a key answers for another body',
    file: 'src/core/idempotency.ts',
    find: 'if (!Buffer.from(fingerprint ?? []).equals(idempotency.fingerprint)) {',
    replace: 'if (fingerprint?.length === 0) {',
  },
  {
    name: 'a key of one partner answers another',
    file: 'src/http/partner/serve.ts',
    find: 'const subject = `${partnerId}:${environment}`',
    replace: 'const subject = `everyone:${environment}`',
  },
  {
    name: 'a nonce is good twice',
    file: 'src/http/partner/admission.ts',
    find: 'where nonces.expires_at <= ${now}',
    replace: '',
  },
]
