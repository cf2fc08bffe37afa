import { OPERATIONS } from './generated/public-operations.ts'
import { eachOf } from './pages.ts'
import type { DomainResult } from './public-resources.ts'
import { readJson } from './response.ts'
import { readRows } from './rows.ts'
import { type CallOptions, refuseMissing, send, type TransportOptions } from './transport.ts'
import type { Input, Output } from './types.ts'

export {
  ApiError,
  ConnectionError,
  MarketplaceError,
  TimeoutError,
} from './errors.ts'
export type * from './public-resources.ts'
export type { Attempt, CallOptions, TransportOptions } from './transport.ts'
export type { ErrorCode, FieldIssue, Input, OperationName, Output } from './types.ts'

export interface PublicClientOptions extends TransportOptions {
  /** Of OAuth, with which marketplace prices are real; or a personal one, for `bulk`. Null is none. */
  accessToken?: Token | (() => Token | Promise<Token>)
}

type Token = string | null | undefined

type Name = keyof typeof OPERATIONS

/** Sent as a POST although they change nothing: without a key their responses are not stored. */
const READS = new Set<Name>(['quote_purchase', 'run_batch', 'search_domain', 'whois_lookup'])

/**
 * The public API: reads that need no account. For servers and browsers alike.
 *
 * A refusal is an `ApiError` with a `code`. Each method names those of its own; any may also be rejected with
 * `validation_error`, `invalid_token`, `rate_limited` and `unavailable`. Without a token marketplace prices
 * are null with `price_masked: true`. Amounts are whole cents, times UTC.
 */
export class PublicClient {
  readonly #options: PublicClientOptions

  constructor(options: PublicClientOptions) {
    refuseMissing(options, ['baseUrl'])
    this.#options = options
  }

  /** Whether a name can be had, with its siblings on other top-level domains. */
  search(input: Input<'search_domain'>, options?: CallOptions): Promise<Output<'search_domain'>> {
    return this.#call('search_domain', input, options)
  }

  /** The same, result by result, each as soon as it is known. */
  async *searchRows(
    input: Input<'search_domain'>,
    options?: CallOptions,
  ): AsyncGenerator<DomainResult, void, undefined> {
    yield* await this.#send('search_domain', input, options, 'application/x-ndjson', (answer) =>
      readRows(answer, options?.signal),
    )
  }

  /** Registrar, dates, name servers and status of a name, as its registry publishes them; never persons. */
  whois(input: Input<'whois_lookup'>, options?: CallOptions): Promise<Output<'whois_lookup'>> {
    return this.#call('whois_lookup', input, options)
  }

  /**
   * What registering, renewing, transferring or restoring an ordinary name of a top-level domain costs, in
   * US cents for `years`. Rejected with `not_found` when there is no such domain, or no such price.
   */
  tldPrice(
    input: Input<'tld_registration_price'>,
    options?: CallOptions,
  ): Promise<Output<'tld_registration_price'>> {
    return this.#call('tld_registration_price', input, options)
  }

  /** Who may register on a top-level domain, for how long, with which name servers. Rejected with `not_found`. */
  tldRequirements(tld: string, options?: CallOptions): Promise<Output<'tld_requirements'>> {
    return this.#call('tld_requirements', { tld }, options)
  }

  readonly listings = {
    /**
     * One page of what is for sale. Rejected with `invalid_cursor`, and with `unauthorized` for `min` or
     * `max` without a token.
     */
    list: (
      query: Input<'list_listings'> = {},
      options?: CallOptions,
    ): Promise<Output<'list_listings'>> => this.#call('list_listings', query, options),
    /** All of it, page after page. */
    each: (query: Input<'list_listings'> = {}, options?: CallOptions) =>
      eachOf(this.listings.list, query, options, ({ items, page }) => ({
        items,
        next: page.next_cursor,
      })),
  }

  /** What an app does for its user, with an access token of theirs. */
  readonly agent = {
    /** Domains for sale that fit a description. Rejected with `unauthorized` for `max_price_cents` without a token. */
    names: (query: Input<'search_names'>, options?: CallOptions): Promise<Output<'search_names'>> =>
      this.#call('search_names', query, options),
    /**
     * What a domain costs, with tax, and whether the mandate covers it. Rejected with `unauthorized`,
     * `insufficient_scope`, `not_found`, or `conflict` when it is sold or reserved.
     */
    quote: (
      input: Input<'quote_purchase'>,
      options?: CallOptions,
    ): Promise<Output<'quote_purchase'>> => this.#call('quote_purchase', input, options),
    /**
     * Buys a domain with the user's saved card, in two steps: without `confirm` it says the price and buys nothing.
     * Rejected with `unauthorized`, `insufficient_scope`, `payment_failed`, `not_found`, `conflict`, `price_changed`,
     * `mandate_exceeded`, or `quote_expired` when the confirmation is too old.
     */
    buy: (input: Input<'buy_domain'>, options?: CallOptions): Promise<Output<'buy_domain'>> =>
      this.#call('buy_domain', input, options),
    /** How a purchase stands. Rejected with `unauthorized`, `insufficient_scope` or `not_found`. */
    order: (id: string, options?: CallOptions): Promise<Output<'order_status'>> =>
      this.#call('order_status', { id }, options),
    /**
     * A link on which the user pays. Rejected with `unauthorized`, `insufficient_scope`, `not_found`, or `conflict` when
     * the domain is sold or reserved.
     */
    checkout: (
      input: Input<'create_checkout'>,
      options?: CallOptions,
    ): Promise<Output<'create_checkout'>> => this.#call('create_checkout', input, options),
    /**
     * Offers less than the price in the user's name, who is mailed. Rejected with `unauthorized`, `insufficient_scope`,
     * `not_found`, `conflict`, `price_mismatch`, `offer_too_low` or `mandate_exceeded`.
     */
    offer: (input: Input<'make_offer'>, options?: CallOptions): Promise<Output<'make_offer'>> =>
      this.#call('make_offer', input, options),
    /** The user's domains. Rejected with `invalid_cursor`, `unauthorized` or `insufficient_scope`. */
    domains: (
      query: Input<'list_my_domains'> = {},
      options?: CallOptions,
    ): Promise<Output<'list_my_domains'>> => this.#call('list_my_domains', query, options),
  }

  /** Up to 20 reads in one request, each with its own outcome. */
  batch(input: Input<'run_batch'>, options?: CallOptions): Promise<Output<'run_batch'>> {
    return this.#call('run_batch', input, options)
  }

  /** What a batch may hold: each operation with the JSON Schema of its parameters. */
  batchOperations(options?: CallOptions): Promise<Output<'list_batch_operations'>> {
    return this.#call('list_batch_operations', {}, options)
  }

  /**
   * One change to up to 1,000 domains that the user owns, each with its own outcome; needs a personal access token, or
   * an app's with `domains:manage`: else `unauthorized` or `insufficient_scope`. Rejected with `conflict` when
   * `idempotencyKey` was used for another change.
   */
  bulk(input: Input<'change_domains'>, options?: CallOptions): Promise<Output<'change_domains'>> {
    return this.#call('change_domains', input, options)
  }

  /** How a registrar operation on your domain stands, by the `operation_id` of a bulk change. May be rejected with `unauthorized`, `insufficient_scope` or `not_found`. */
  operation(
    input: Input<'get_operation'>,
    options?: CallOptions,
  ): Promise<Output<'get_operation'>> {
    return this.#call('get_operation', input, options)
  }

  /** Claims up to 1,000 domains that the user owns; each claim says what proves it. May be rejected with `unauthorized` or `insufficient_scope`. */
  claim(input: Input<'claim_domains'>, options?: CallOptions): Promise<Output<'claim_domains'>> {
    return this.#call('claim_domains', input, options)
  }

  /** The user's claims of domains. May be rejected with `invalid_cursor`, `unauthorized` or `insufficient_scope`. */
  claims(input: Input<'list_claims'> = {}, options?: CallOptions): Promise<Output<'list_claims'>> {
    return this.#call('list_claims', input, options)
  }

  /** Looks for the proof of claims now. May be rejected with `unauthorized` or `insufficient_scope`. */
  checkClaims(
    input: Input<'check_claims'>,
    options?: CallOptions,
  ): Promise<Output<'check_claims'>> {
    return this.#call('check_claims', input, options)
  }

  /**
   * Adds and prices up to 50,000 domains with one CSV file; each bad row is in `rejected`. May be rejected with
   * `unauthorized` or `insufficient_scope`.
   */
  sell(input: Input<'sell_domains'>, options?: CallOptions): Promise<Output<'sell_domains'>> {
    return this.#call('sell_domains', input, options)
  }

  /** The user's domains with their prices, by name. May be rejected with `unauthorized` or `insufficient_scope`. */
  selling(
    input: Input<'list_seller_domains'> = {},
    options?: CallOptions,
  ): Promise<Output<'list_seller_domains'>> {
    return this.#call('list_seller_domains', input, options)
  }

  /** What the API offers; `unauthorized` without a token. */
  index(options?: CallOptions): Promise<Output<'get_api_index'>> {
    return this.#call('get_api_index', {}, options)
  }

  #call<N extends Name>(name: N, input: object, options?: CallOptions): Promise<Output<N>> {
    return this.#send(name, input, options, 'application/json', readJson<Output<N>>)
  }

  #send<T>(
    name: Name,
    input: object,
    options: CallOptions | undefined,
    accept: string,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { accessToken } = this.#options
    const isChange = OPERATIONS[name].method === 'POST' && !READS.has(name)
    // One for all attempts, so that a change is made once.
    const key = options?.idempotencyKey ?? (isChange ? crypto.randomUUID() : undefined)
    const headersOf = async (): Promise<Record<string, string>> => {
      const token = typeof accessToken === 'function' ? await accessToken() : accessToken
      return {
        ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'idempotency-key': key }),
      }
    }
    const call = { ...options, ...OPERATIONS[name], input, accept, headersOf }
    return send(this.#options, call, read)
  }
}
