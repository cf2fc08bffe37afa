import { eachOf } from './pages.ts'
import type { Call, Options, Rest } from './partner-call.ts'
import type { Input } from './types.ts'

export function offersOf(call: Call) {
  const offers = {
    /**
     * Offers less than the price for a domain, in cents, for a buyer. At or above the floor price it is accepted at
     * once. Needs `buy`; rejected with `not_found`, `conflict` when it is sold or takes no offers, `offer_too_low`,
     * `price_mismatch` when the amount is above the price.
     */
    create: (input: Input<'create_offer'>, options?: Options) =>
      call('create_offer', input, options),
    /** One of your offers, with its history. Needs `buy`; rejected with `not_found`. */
    get: (offer_id: string, options?: Options) => call('get_offer', { offer_id }, options),
    /** A page of your offers, newest first. Needs `buy`; rejected with `invalid_cursor`. */
    list: (query: Input<'list_offers'> = {}, options?: Options) =>
      call('list_offers', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_offers'> = {}, options?: Options) =>
      eachOf(offers.list, query, options, (page) => ({
        items: page.offers,
        next: page.next_cursor,
      })),
    /**
     * Offers another amount in response to the seller's. Needs `buy`; rejected with `not_found`, `conflict` out of
     * turn, `offer_too_low`, `price_mismatch`.
     */
    counter: (offer_id: string, input: Rest<'counter_offer', 'offer_id'>, options?: Options) =>
      call('counter_offer', { ...input, offer_id }, options),
    /**
     * Accepts the seller's amount: the domain is reserved for 72 hours by `quote_id`. Needs `buy`; rejected with
     * `not_found`, `conflict` out of turn or while the domain is taken, `price_mismatch`.
     */
    accept: (offer_id: string, input: Rest<'accept_offer', 'offer_id'> = {}, options?: Options) =>
      call('accept_offer', { ...input, offer_id }, options),
    /** Declines the seller's amount. Needs `buy`; rejected with `not_found`, `conflict` out of turn. */
    decline: (offer_id: string, input: Rest<'decline_offer', 'offer_id'> = {}, options?: Options) =>
      call('decline_offer', { ...input, offer_id }, options),
    /** Withdraws an offer. Needs `buy`; rejected with `not_found`, `conflict` once it has ended. */
    withdraw: (
      offer_id: string,
      input: Rest<'withdraw_offer', 'offer_id'> = {},
      options?: Options,
    ) => call('withdraw_offer', { ...input, offer_id }, options),
  }
  return offers
}
