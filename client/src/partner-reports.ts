import { eachOf } from './pages.ts'
import type { Call, Options } from './partner-call.ts'
import type { Input } from './types.ts'

export function transactionsOf(call: Call) {
  const transactions = {
    /**
     * A page of all your sales, newest first, however they came, with `totals` in cents over the
     * whole filter. Needs `report`; rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_transactions'> = {}, options?: Options) =>
      call('list_transactions', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_transactions'> = {}, options?: Options) =>
      eachOf(transactions.list, query, options, (page) => ({
        items: page.transactions,
        next: page.next_cursor,
      })),
  }
  return transactions
}

export function payoutsOf(call: Call) {
  const payouts = {
    /**
     * One payout with the commission entries that it pays, its `lines`. Needs `report`; rejected
     * with `not_found`.
     */
    get: (id: string, options?: Options) => call('get_payout', { id }, options),
    /**
     * A page of what was paid to you, newest first, with `total_paid_cents`. Needs `report`;
     * rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_payouts'> = {}, options?: Options) =>
      call('list_payouts', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_payouts'> = {}, options?: Options) =>
      eachOf(payouts.list, query, options, (page) => ({
        items: page.payouts,
        next: page.next_cursor,
      })),
    /**
     * Where your payouts go, with the last four characters of the account; a person sets it in the portal.
     * Needs `report`.
     */
    payee: (options?: Options) => call('get_payee', {}, options),
  }
  return payouts
}

/** All of these are rejected with `forbidden` unless the partner has an affiliate account. */
export function linksOf(call: Call) {
  const links = {
    /**
     * A tracked link: what its visitors buy on the marketplace's pages within 30 days is its sale. Needs
     * `refer`; rejected with `not_found` when its `domain` was never listed.
     */
    create: (input: Input<'create_link'>, options?: Options) => call('create_link', input, options),
    /**
     * A page of your links, newest first, by type and domain, with clicks, sales and amounts in
     * cents. Needs `refer`; rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_links'> = {}, options?: Options) =>
      call('list_links', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_links'> = {}, options?: Options) =>
      eachOf(links.list, query, options, (page) => ({
        items: page.links,
        next: page.next_cursor,
      })),
  }
  return links
}

export function referralOf(call: Call) {
  const sales = {
    /**
     * A page of the sales of your links, newest first, the buyer's address masked. Needs `report`;
     * rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_sales'> = {}, options?: Options) =>
      call('list_sales', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_sales'> = {}, options?: Options) =>
      eachOf(sales.list, query, options, (page) => ({ items: page.sales, next: page.next_cursor })),
  }
  const commissions = {
    /**
     * A page of your commission ledger, newest first: what each entry adds to the balance, in
     * cents, and the balance after it. Needs `report`; rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_commissions'> = {}, options?: Options) =>
      call('list_commissions', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_commissions'> = {}, options?: Options) =>
      eachOf(commissions.list, query, options, (page) => ({
        items: page.entries,
        next: page.next_cursor,
      })),
  }
  const payouts = {
    /**
     * A page of what was paid to you, as `payouts.list` has it. Needs `report`; rejected with
     * `invalid_cursor`.
     */
    list: (query: Input<'list_own_payouts'> = {}, options?: Options) =>
      call('list_own_payouts', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_own_payouts'> = {}, options?: Options) =>
      eachOf(payouts.list, query, options, (page) => ({
        items: page.payouts,
        next: page.next_cursor,
      })),
  }
  return {
    /**
     * Clicks on your links by UTC day: all, those of new visitors, and robots, which are in
     * neither. Needs `report`.
     */
    clicks: (query: Input<'get_clicks'> = {}, options?: Options) =>
      call('get_clicks', query, options),
    /**
     * From clicks to checkouts to sales, with amounts and commission in cents, by UTC day. Needs
     * `report`.
     */
    analytics: (query: Input<'get_analytics'> = {}, options?: Options) =>
      call('get_analytics', query, options),
    sales,
    commissions,
    payouts,
  }
}
