import { OPERATIONS } from './generated/partner-operations.ts'
import { eachOf } from './pages.ts'
import { signatureHeaders } from './signing.ts'
import {
  type CallOptions,
  readJson,
  refuseMissing,
  send,
  type TransportOptions,
} from './transport.ts'
import type { Input, Output } from './types.ts'

export interface PartnerClientOptions extends TransportOptions {
  /** Public: `pk_sandbox_…` or `pk_live_…`, which decides the environment. */
  keyId: string
  /** Private: keep it on your server. */
  secret: string
}

type Name = keyof typeof OPERATIONS
type Options = CallOptions

/** Input without what the method takes by itself. */
type Rest<N extends Name, K extends string> = Omit<Input<N>, K>
type Answer<N extends Name> = Promise<Output<N>>

const encoder = new TextEncoder()

/**
 * The partner API: each method is one operation, signed anew for every attempt, and with one
 * Idempotency-Key for all attempts of a POST. Where it lists, `list` answers a page and `each` walks all.
 */
export class PartnerClient {
  readonly #options: PartnerClientOptions

  constructor(options: PartnerClientOptions) {
    refuseMissing(options, ['baseUrl', 'keyId', 'secret'])
    this.#options = options
  }

  /** Up to five names that fit a query, best first. */
  search(input: Input<'search_domains'>, options?: Options): Answer<'search_domains'> {
    return this.#call('search_domains', input, options)
  }

  readonly domains = {
    get: (name: string, options?: Options) => this.#call('get_domain', { name }, options),
    /** Answers `available: false` for what is not listed. */
    availability: (domain: string, options?: Options) =>
      this.#call('check_availability', { domain }, options),
    pricing: (domain: string, options?: Options) => this.#call('get_pricing', { domain }, options),
  }

  readonly quotes = {
    /** A firm price, and the domain reserved for ten minutes. */
    create: (input: Input<'create_quote'>, options?: Options) =>
      this.#call('create_quote', input, options),
    get: (quote_id: string, options?: Options) => this.#call('get_quote', { quote_id }, options),
    release: (quote_id: string, options?: Options) =>
      this.#call('release_quote', { quote_id }, options),
  }

  readonly orders = {
    /** Records a sale that you collected. */
    create: (input: Input<'create_order'>, options?: Options) =>
      this.#call('create_order', input, options),
    get: (public_id: string, options?: Options) => this.#call('get_order', { public_id }, options),
    list: (query: Input<'list_orders'> = {}, options?: Options) =>
      this.#call('list_orders', query, options),
    each: (query: Input<'list_orders'> = {}, options?: Options) =>
      eachOf(this.orders.list, query, options, (page) => ({
        items: page.orders,
        next: page.next_cursor,
      })),
  }

  readonly refunds = {
    /** Takes a sale back that is not delivered yet. */
    create: (input: Input<'request_refund'>, options?: Options) =>
      this.#call('request_refund', input, options),
  }

  readonly checkoutSessions = {
    create: (input: Input<'create_checkout_session'>, options?: Options) =>
      this.#call('create_checkout_session', input, options),
    get: (id: string, options?: Options) => this.#call('get_checkout_session', { id }, options),
  }

  readonly brokerage = {
    eligibility: (domain: string, options?: Options) =>
      this.#call('check_brokerage_eligibility', { domain }, options),
    open: (input: Input<'open_case'>, options?: Options) => this.#call('open_case', input, options),
    get: (case_id: string, options?: Options) => this.#call('get_case', { case_id }, options),
    list: (query: Input<'list_cases'> = {}, options?: Options) =>
      this.#call('list_cases', query, options),
    each: (query: Input<'list_cases'> = {}, options?: Options) =>
      eachOf(this.brokerage.list, query, options, (page) => ({
        items: page.cases,
        next: page.next_cursor,
      })),
    renewProgressLink: (case_id: string, options?: Options) =>
      this.#call('renew_progress_link', { case_id }, options),
    revokeProgressLink: (case_id: string, options?: Options) =>
      this.#call('revoke_progress_link', { case_id }, options),
  }

  readonly settlements = {
    get: (id: string, options?: Options) => this.#call('get_settlement', { id }, options),
    /** The statement's lines as CSV. */
    csv: (id: string, options?: Options): Promise<string> =>
      this.#send('get_settlement', { id }, options, 'text/csv', (response) => response.text()),
    list: (query: Input<'list_settlements'> = {}, options?: Options) =>
      this.#call('list_settlements', query, options),
    each: (query: Input<'list_settlements'> = {}, options?: Options) =>
      eachOf(this.settlements.list, query, options, (page) => ({
        items: page.settlements,
        next: page.next_cursor,
      })),
  }

  readonly transactions = {
    list: (query: Input<'list_transactions'> = {}, options?: Options) =>
      this.#call('list_transactions', query, options),
    each: (query: Input<'list_transactions'> = {}, options?: Options) =>
      eachOf(this.transactions.list, query, options, (page) => ({
        items: page.transactions,
        next: page.next_cursor,
      })),
  }

  readonly payouts = {
    get: (id: string, options?: Options) => this.#call('get_payout', { id }, options),
    list: (query: Input<'list_payouts'> = {}, options?: Options) =>
      this.#call('list_payouts', query, options),
    each: (query: Input<'list_payouts'> = {}, options?: Options) =>
      eachOf(this.payouts.list, query, options, (page) => ({
        items: page.payouts,
        next: page.next_cursor,
      })),
  }

  readonly links = {
    create: (input: Input<'create_link'>, options?: Options) =>
      this.#call('create_link', input, options),
    list: (query: Input<'list_links'> = {}, options?: Options) =>
      this.#call('list_links', query, options),
    each: (query: Input<'list_links'> = {}, options?: Options) =>
      eachOf(this.links.list, query, options, (page) => ({
        items: page.links,
        next: page.next_cursor,
      })),
  }

  /** What your tracked links brought, and what you earned. */
  readonly me = {
    clicks: (query: Input<'get_clicks'> = {}, options?: Options) =>
      this.#call('get_clicks', query, options),
    analytics: (query: Input<'get_analytics'> = {}, options?: Options) =>
      this.#call('get_analytics', query, options),
    sales: {
      list: (query: Input<'list_sales'> = {}, options?: Options) =>
        this.#call('list_sales', query, options),
      each: (query: Input<'list_sales'> = {}, options?: Options) =>
        eachOf(this.me.sales.list, query, options, (page) => ({
          items: page.sales,
          next: page.next_cursor,
        })),
    },
    commissions: {
      list: (query: Input<'list_commissions'> = {}, options?: Options) =>
        this.#call('list_commissions', query, options),
      each: (query: Input<'list_commissions'> = {}, options?: Options) =>
        eachOf(this.me.commissions.list, query, options, (page) => ({
          items: page.entries,
          next: page.next_cursor,
        })),
    },
    payouts: {
      list: (query: Input<'list_own_payouts'> = {}, options?: Options) =>
        this.#call('list_own_payouts', query, options),
      each: (query: Input<'list_own_payouts'> = {}, options?: Options) =>
        eachOf(this.me.payouts.list, query, options, (page) => ({
          items: page.payouts,
          next: page.next_cursor,
        })),
    },
  }

  /** The history of what happened, oldest first. */
  readonly events = {
    list: (query: Input<'list_events'> = {}, options?: Options) =>
      this.#call('list_events', query, options),
    each: (query: Input<'list_events'> = {}, options?: Options) =>
      eachOf(
        this.events.list,
        query,
        options,
        (page) => ({ items: page.events, next: page.next_cursor }),
        'after_id',
      ),
  }

  readonly webhooks = {
    register: (input: Input<'register_webhook'>, options?: Options) =>
      this.#call('register_webhook', input, options),
    get: (options?: Options) => this.#call('get_webhook', {}, options),
    /** Has an event sent to the endpoint that the history does not show. */
    test: (options?: Options) => this.#call('send_test_event', {}, options),
    deliveries: {
      list: (query: Input<'list_webhook_deliveries'> = {}, options?: Options) =>
        this.#call('list_webhook_deliveries', query, options),
      each: (query: Input<'list_webhook_deliveries'> = {}, options?: Options) =>
        eachOf(this.webhooks.deliveries.list, query, options, (page) => ({
          items: page.deliveries,
          next: page.next_cursor,
        })),
      resend: (id: string, options?: Options) =>
        this.#call('resend_webhook_delivery', { id }, options),
    },
    /** Events of a span of time, sent again. */
    replays: {
      create: (input: Input<'create_webhook_replay'>, options?: Options) =>
        this.#call('create_webhook_replay', input, options),
      get: (id: string, options?: Options) => this.#call('get_webhook_replay', { id }, options),
      cancel: (id: string, options?: Options) =>
        this.#call('cancel_webhook_replay', { id }, options),
      list: (query: Input<'list_webhook_replays'> = {}, options?: Options) =>
        this.#call('list_webhook_replays', query, options),
      each: (query: Input<'list_webhook_replays'> = {}, options?: Options) =>
        eachOf(this.webhooks.replays.list, query, options, (page) => ({
          items: page.replays,
          next: page.next_cursor,
        })),
    },
  }

  /** Playing the operator; for sandbox credentials. */
  readonly sandbox = {
    clearReview: (public_id: string, options?: Options) =>
      this.#call('sandbox_clear_review', { public_id }, options),
    startTransfer: (public_id: string, options?: Options) =>
      this.#call('sandbox_start_transfer', { public_id }, options),
    completeTransfer: (public_id: string, options?: Options) =>
      this.#call('sandbox_complete_transfer', { public_id }, options),
    failTransfer: (
      public_id: string,
      input: Rest<'sandbox_fail_transfer', 'public_id'> = {},
      options?: Options,
    ) => this.#call('sandbox_fail_transfer', { ...input, public_id }, options),
    moveCase: (
      case_id: string,
      move: Input<'sandbox_move_case'>['move'],
      input: Rest<'sandbox_move_case', 'case_id' | 'move'> = {},
      options?: Options,
    ) => this.#call('sandbox_move_case', { ...input, case_id, move }, options),
    recordOffer: (
      case_id: string,
      input: Rest<'sandbox_record_offer', 'case_id'>,
      options?: Options,
    ) => this.#call('sandbox_record_offer', { ...input, case_id }, options),
    answerOffer: (input: Input<'sandbox_record_answer'>, options?: Options) =>
      this.#call('sandbox_record_answer', input, options),
    runSettlement: (options?: Options) => this.#call('sandbox_run_settlement', {}, options),
    /** Lets time pass: quotes and links lapse, deliveries fall due, periods close. */
    advanceClock: (advance_seconds: number, options?: Options) =>
      this.#call('sandbox_advance_clock', { advance_seconds }, options),
    reset: (options?: Options) => this.#call('sandbox_reset', {}, options),
  }

  #call<N extends Name>(name: N, input: Input<N>, options?: Options): Answer<N> {
    return this.#send(name, input, options, 'application/json', readJson<Output<N>>)
  }

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
