import { OPERATIONS } from './generated/public-operations.ts'
import { eachOf } from './pages.ts'
import type { DomainResult } from './public-resources.ts'
import { readRows } from './rows.ts'
import {
  type CallOptions,
  readJson,
  refuseMissing,
  send,
  type TransportOptions,
} from './transport.ts'
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

  /** Up to 20 reads in one request, each with its own outcome. */
  batch(input: Input<'run_batch'>, options?: CallOptions): Promise<Output<'run_batch'>> {
    return this.#call('run_batch', input, options)
  }

  /** What a batch may hold: each operation with the JSON Schema of its parameters. */
  batchOperations(options?: CallOptions): Promise<Output<'list_batch_operations'>> {
    return this.#call('list_batch_operations', {}, options)
  }

  /**
   * One change to up to 1,000 domains that the user owns, each with its own outcome; needs a personal access
   * token, else `unauthorized`. Rejected with `conflict` when `idempotencyKey` was used for another change.
   */
  bulk(input: Input<'change_domains'>, options?: CallOptions): Promise<Output<'change_domains'>> {
    return this.#call('change_domains', input, options)
  }

  /** How a registrar operation on your domain stands, by the `operation_id` of a bulk change. May be rejected with `unauthorized` or `not_found`. */
  operation(
    input: Input<'get_operation'>,
    options?: CallOptions,
  ): Promise<Output<'get_operation'>> {
    return this.#call('get_operation', input, options)
  }

  /** Claims up to 1,000 domains that the user owns; each claim says what proves it. May be rejected with `unauthorized`. */
  claim(input: Input<'claim_domains'>, options?: CallOptions): Promise<Output<'claim_domains'>> {
    return this.#call('claim_domains', input, options)
  }

  /** The user's claims of domains. May be rejected with `invalid_cursor` or `unauthorized`. */
  claims(input: Input<'list_claims'> = {}, options?: CallOptions): Promise<Output<'list_claims'>> {
    return this.#call('list_claims', input, options)
  }

  /** Looks for the proof of claims now. May be rejected with `unauthorized`. */
  checkClaims(
    input: Input<'check_claims'>,
    options?: CallOptions,
  ): Promise<Output<'check_claims'>> {
    return this.#call('check_claims', input, options)
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
    // One for all attempts, so that a change is made once.
    const key =
      options?.idempotencyKey ?? (name === 'change_domains' ? crypto.randomUUID() : undefined)
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
