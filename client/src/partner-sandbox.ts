import type { Call, Options, Rest } from './partner-call.ts'
import type { Input } from './types.ts'

export function sandboxOf(call: Call) {
  return {
    /**
     * Clears the review of a held order. Needs `buy`; rejected with `not_found`, `conflict` when it
     * is not held.
     */
    clearReview: (
      public_id: string,
      input: Rest<'sandbox_clear_review', 'public_id'> = {},
      options?: Options,
    ) => call('sandbox_clear_review', { ...input, public_id }, options),
    /**
     * Starts an order's transfer; a held order is cleared first. Needs `buy`; rejected with
     * `not_found`, `conflict`.
     */
    startTransfer: (
      public_id: string,
      input: Rest<'sandbox_start_transfer', 'public_id'> = {},
      options?: Options,
    ) => call('sandbox_start_transfer', { ...input, public_id }, options),
    /**
     * Delivers the domain of an order whose transfer has started. Needs `buy`; rejected with
     * `not_found`, `conflict`.
     */
    completeTransfer: (
      public_id: string,
      input: Rest<'sandbox_complete_transfer', 'public_id'> = {},
      options?: Options,
    ) => call('sandbox_complete_transfer', { ...input, public_id }, options),
    /**
     * Sends an order back to where its transfer began, held. Needs `buy`; rejected with `not_found`,
     * `conflict`.
     */
    failTransfer: (
      public_id: string,
      input: Rest<'sandbox_fail_transfer', 'public_id'> = {},
      options?: Options,
    ) => call('sandbox_fail_transfer', { ...input, public_id }, options),
    /**
     * Moves a brokerage case as its broker would; `agree` takes `price_cents`. Needs `broker`;
     * rejected with `not_found`, and `conflict` when the case does not allow the move, or the price
     * is above its budget.
     */
    moveCase: (
      case_id: string,
      move: Input<'sandbox_move_case'>['move'],
      input: Rest<'sandbox_move_case', 'case_id' | 'move'> = {},
      options?: Options,
    ) => call('sandbox_move_case', { ...input, case_id, move }, options),
    /**
     * Puts an offer of the owner or the buyer, in cents, on the table of a case. Needs `broker`;
     * rejected with `not_found`, `conflict`.
     */
    recordOffer: (
      case_id: string,
      input: Rest<'sandbox_record_offer', 'case_id'>,
      options?: Options,
    ) => call('sandbox_record_offer', { ...input, case_id }, options),
    /**
     * Accepts or rejects an open offer for the other side. Needs `broker`; rejected with
     * `not_found`, `conflict`.
     */
    answerOffer: (input: Input<'sandbox_record_answer'>, options?: Options) =>
      call('sandbox_record_answer', input, options),
    /**
     * Responds to an offer as its seller would; `counter` takes `amount_cents`. Needs `buy`; rejected with `not_found`,
     * `conflict` out of turn or while the domain is taken, `price_mismatch`.
     */
    moveOffer: (
      offer_id: string,
      move: Input<'sandbox_move_offer'>['move'],
      input: Rest<'sandbox_move_offer', 'offer_id' | 'move'> = {},
      options?: Options,
    ) => call('sandbox_move_offer', { ...input, offer_id, move }, options),
    /** Closes your open period now: what was delivered in it becomes `SETTLED`. Needs `buy`. */
    runSettlement: (options?: Options) => call('sandbox_run_settlement', {}, options),
    /**
     * Lets so many seconds pass in your sandbox: quotes and links lapse, deliveries fall due,
     * periods close. Needs `buy`; rejected with `conflict`.
     */
    advanceClock: (advance_seconds: number, options?: Options) =>
      call('sandbox_advance_clock', { advance_seconds }, options),
    /** Removes what you did in the sandbox; credentials and webhook endpoint stay. Needs `buy`. */
    reset: (options?: Options) => call('sandbox_reset', {}, options),
  }
}
