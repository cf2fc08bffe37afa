import { MarketplaceError } from './errors.ts'
import { OPERATIONS } from './generated/partner-operations.ts'
import { eachOf } from './pages.ts'
import type { Call, Name, Options } from './partner-call.ts'
import { eventsOf, webhooksOf } from './partner-events.ts'
import { offersOf } from './partner-offers.ts'
import { linksOf, payoutsOf, referralOf, transactionsOf } from './partner-reports.ts'
import { sandboxOf } from './partner-sandbox.ts'
import { readCsv, readJson } from './response.ts'
import { signatureHeaders } from './signing.ts'
import { refuseMissing, send, type TransportOptions } from './transport.ts'
import type { Input, Output } from './types.ts'

export interface PartnerClientOptions extends TransportOptions {
  /** Public: `pk_sandbox_…` or `pk_live_…`, which decides the environment. */
  keyId: string
  /** Private: keep it on your server. */
  secret: string
}

const encoder = new TextEncoder()

/**
 * The partner API: each method is one operation, signed anew for every attempt, and with one
 * Idempotency-Key for all attempts of a POST. Where it lists, `list` answers a page and `each` walks all.
 *
 * A refusal is an `ApiError` with a `code`. Each method names the scope that it needs and the codes of its
 * own; any may also be rejected with `validation_error`, `forbidden` (a scope is missing), `rate_limited`,
 * `unavailable` and what is wrong with a signature or a credential, and a POST with `conflict` when its
 * `idempotencyKey` was used for another body. Amounts are whole cents, times UTC.
 */
export class PartnerClient {
  readonly #options: PartnerClientOptions
  readonly #call: Call = <N extends Name>(name: N, input: Input<N>, options?: Options) =>
    this.#send(name, input, options, 'application/json', readJson<Output<N>>)

  constructor(options: PartnerClientOptions) {
    refuseMissing(options, ['baseUrl', 'keyId', 'secret'])
    const { keyId, secret } = options
    // It would be sent with every request.
    if (keyId.startsWith('sk_'))
      throw new MarketplaceError('keyId is a secret: it begins with pk_.')
    if (/\s/.test(secret)) throw new MarketplaceError('secret must have no blank and no newline.')
    this.#options = options
  }

  /**
   * Up to five names that fit a query, best first: each with its price in cents, and `why` it fits.
   * Needs `search`.
   */
  search(input: Input<'search_domains'>, options?: Options): Promise<Output<'search_domains'>> {
    return this.#call('search_domains', input, options)
  }

  readonly domains = {
    /**
     * One name: whether it can be bought, its price and floor price in cents. Needs `search`;
     * rejected with `not_found` when it was never listed.
     */
    get: (name: string, options?: Options) => this.#call('get_domain', { name }, options),
    /**
     * Whether a name can be bought, and for how much: `available: false` for what is not listed.
     * Needs `search`.
     */
    availability: (domain: string, options?: Options) =>
      this.#call('check_availability', { domain }, options),
    /**
     * Price and floor price of a listed name, in cents. Needs `search`; rejected with `not_found`.
     */
    pricing: (domain: string, options?: Options) => this.#call('get_pricing', { domain }, options),
  }

  readonly quotes = {
    /**
     * A firm price in cents, and the domain reserved for ten minutes; the running quote if there is
     * one. Needs `buy`; rejected with `not_found`, `conflict` when it is sold or reserved by
     * another, `price_mismatch` when `expected_price` is not the price.
     */
    create: (input: Input<'create_quote'>, options?: Options) =>
      this.#call('create_quote', input, options),
    /** One of your quotes. Needs `buy`; rejected with `not_found`. */
    get: (quote_id: string, options?: Options) => this.#call('get_quote', { quote_id }, options),
    /**
     * Ends a reservation early. Needs `buy`; rejected with `not_found`, `conflict` when an order
     * used the quote.
     */
    release: (quote_id: string, options?: Options) =>
      this.#call('release_quote', { quote_id }, options),
  }

  /** Offers for domains that are for sale. */
  readonly offers: ReturnType<typeof offersOf> = offersOf(this.#call)

  readonly orders = {
    /**
     * Records a sale that you collected, at the price of the quote. All attempts have one
     * Idempotency-Key, so that it is recorded once. Needs `buy`; rejected with `not_found`,
     * `conflict` when the domain, the quote or the payment reference is taken, `quote_expired`,
     * `price_mismatch`.
     */
    create: (input: Input<'create_order'>, options?: Options) =>
      this.#call('create_order', input, options),
    /**
     * One of your orders, with its transfer and its timeline, oldest first. Needs `search` or
     * `buy`; rejected with `not_found`.
     */
    get: (public_id: string, options?: Options) => this.#call('get_order', { public_id }, options),
    /**
     * The code with which the buyer's registrar transfers the domain, while it can be read. Needs `buy`;
     * rejected with `not_found` or `conflict`.
     */
    transferCode: (public_id: string, options?: Options) =>
      this.#call('get_transfer_code', { public_id }, options),
    /**
     * The signed proof of its delivery, which never changes. Needs `buy`; rejected with `not_found`, and with
     * `conflict` before the delivery.
     */
    receipt: (public_id: string, options?: Options) =>
      this.#call('get_receipt', { public_id }, options),
    /**
     * A page of your orders, newest first, by status, domain and span of time. Needs `search` or
     * `buy`; rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_orders'> = {}, options?: Options) =>
      this.#call('list_orders', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_orders'> = {}, options?: Options) =>
      eachOf(this.orders.list, query, options, (page) => ({
        items: page.orders,
        next: page.next_cursor,
      })),
  }

  readonly refunds = {
    /**
     * Takes a sale that you collected back, whole, before its delivery. Needs `buy`; rejected with
     * `not_found`, `conflict` once it is delivered.
     */
    create: (input: Input<'request_refund'>, options?: Options) =>
      this.#call('request_refund', input, options),
  }

  readonly checkoutSessions = {
    /**
     * A link on which the marketplace collects for one domain, at the price of now, for seven days. Needs
     * `embed`; rejected with `not_found`, `conflict` when the domain is sold or reserved by another.
     */
    create: (input: Input<'create_checkout_session'>, options?: Options) =>
      this.#call('create_checkout_session', input, options),
    /** One of your checkout sessions. Needs `embed`; rejected with `not_found`. */
    get: (id: string, options?: Options) => this.#call('get_checkout_session', { id }, options),
  }

  readonly brokerage = {
    /**
     * Whether a case may be opened for a domain, and why not; `eligible` is null when nobody can
     * tell. Needs `broker`.
     */
    eligibility: (domain: string, options?: Options) =>
      this.#call('check_brokerage_eligibility', { domain }, options),
    /**
     * Opens a case for a buyer, with a `budget` in cents and a progress link that needs no login.
     * Needs `broker`; rejected with `conflict` when the domain is not eligible.
     */
    open: (input: Input<'open_case'>, options?: Options) => this.#call('open_case', input, options),
    /**
     * One of your cases, with its offers and its timeline. Needs `broker`; rejected with
     * `not_found`.
     */
    get: (case_id: string, options?: Options) => this.#call('get_case', { case_id }, options),
    /** A page of your cases, newest first. Needs `report`; rejected with `invalid_cursor`. */
    list: (query: Input<'list_cases'> = {}, options?: Options) =>
      this.#call('list_cases', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_cases'> = {}, options?: Options) =>
      eachOf(this.brokerage.list, query, options, (page) => ({
        items: page.cases,
        next: page.next_cursor,
      })),
    /** A new progress link, which ends the old one. Needs `broker`; rejected with `not_found`. */
    renewProgressLink: (case_id: string, options?: Options) =>
      this.#call('renew_progress_link', { case_id }, options),
    /** Ends the progress link. Needs `broker`; rejected with `not_found`. */
    revokeProgressLink: (case_id: string, options?: Options) =>
      this.#call('revoke_progress_link', { case_id }, options),
  }

  readonly settlements = {
    /** One statement with its lines, in cents. Needs `buy`; rejected with `not_found`. */
    get: (id: string, options?: Options) => this.#call('get_settlement', { id }, options),
    /** The statement's lines as CSV. Needs `buy`; rejected with `not_found`. */
    csv: (id: string, options?: Options): Promise<string> =>
      this.#send('get_settlement', { id }, options, 'text/csv', readCsv),
    /**
     * A page of your statements, newest first, the open period's too. Needs `buy`; rejected with
     * `invalid_cursor`.
     */
    list: (query: Input<'list_settlements'> = {}, options?: Options) =>
      this.#call('list_settlements', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_settlements'> = {}, options?: Options) =>
      eachOf(this.settlements.list, query, options, (page) => ({
        items: page.settlements,
        next: page.next_cursor,
      })),
  }

  /** All sales, however they came. */
  readonly transactions: ReturnType<typeof transactionsOf> = transactionsOf(this.#call)

  /** What was paid to you, with the lines behind it. */
  readonly payouts: ReturnType<typeof payoutsOf> = payoutsOf(this.#call)

  /** Tracked links; without an affiliate account they are `forbidden`. */
  readonly links: ReturnType<typeof linksOf> = linksOf(this.#call)

  /**
   * What your tracked links brought, and what you earned; without an affiliate account `forbidden`.
   */
  readonly me: ReturnType<typeof referralOf> = referralOf(this.#call)

  /** The history of what happened, oldest first. */
  readonly events: ReturnType<typeof eventsOf> = eventsOf(this.#call)

  /** The endpoint that events are sent to. */
  readonly webhooks: ReturnType<typeof webhooksOf> = webhooksOf(this.#call)

  /** Playing the operator; for sandbox credentials, a live one gets `not_found`. */
  readonly sandbox: ReturnType<typeof sandboxOf> = sandboxOf(this.#call)

  #send<T>(
    name: Name,
    input: object,
    options: Options | undefined,
    accept: string,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const operation = OPERATIONS[name]
    // One for all attempts, so that what they ask for happens once.
    const key =
      operation.method === 'POST' ? (options?.idempotencyKey ?? crypto.randomUUID()) : undefined
    const headersOf = async (url: URL, body = ''): Promise<Record<string, string>> => ({
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(await signatureHeaders(this.#options, {
        method: operation.method,
        path: url.pathname,
        rawQuery: url.search.slice(1),
        timestamp: String(Math.floor(Date.now() / 1000)),
        nonce: crypto.randomUUID(),
        body: encoder.encode(body),
      })),
    })
    const call = { ...options, ...operation, input, accept, headersOf }
    return send(this.#options, call, read)
  }
}
