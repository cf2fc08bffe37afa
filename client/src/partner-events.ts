import { eachOf } from './pages.ts'
import type { Call, Options } from './partner-call.ts'
import type { Input } from './types.ts'

export function eventsOf(call: Call) {
  const events = {
    /**
     * A page of what happened, oldest first: what follows the event `after_id`, in the order of
     * commits, so that no event ever appears behind one that was read. Needs `webhook`; rejected
     * with `invalid_cursor`.
     */
    list: (query: Input<'list_events'> = {}, options?: Options) =>
      call('list_events', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_events'> = {}, options?: Options) =>
      eachOf(
        events.list,
        query,
        options,
        (page) => ({ items: page.events, next: page.next_cursor }),
        'after_id',
      ),
  }
  return events
}

export function webhooksOf(call: Call) {
  const deliveries = {
    /**
     * A page of attempts to reach your endpoint, newest first, with how each ended. Needs
     * `webhook`; rejected with `invalid_cursor`.
     */
    list: (query: Input<'list_webhook_deliveries'> = {}, options?: Options) =>
      call('list_webhook_deliveries', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_webhook_deliveries'> = {}, options?: Options) =>
      eachOf(deliveries.list, query, options, (page) => ({
        items: page.deliveries,
        next: page.next_cursor,
      })),
    /**
     * Sends the event of an attempt again, with the same id and bytes, and the usual retries. Needs
     * `webhook`; rejected with `not_found`, and `conflict` while the endpoint is switched off.
     */
    resend: (id: string, options?: Options) => call('resend_webhook_delivery', { id }, options),
  }
  const replays = {
    /**
     * Sends everything that happened between `from` and `to` again, oldest first and behind what is
     * new. Needs `webhook`; rejected with `not_found` without an endpoint, `conflict` while it is
     * off or another replay runs.
     */
    create: (input: Input<'create_webhook_replay'>, options?: Options) =>
      call('create_webhook_replay', input, options),
    /** How far a replay is. Needs `webhook`; rejected with `not_found`. */
    get: (id: string, options?: Options) => call('get_webhook_replay', { id }, options),
    /** Ends a replay early; what it sent stays sent. Needs `webhook`; rejected with `not_found`. */
    cancel: (id: string, options?: Options) => call('cancel_webhook_replay', { id }, options),
    /** A page of your replays, newest first. Needs `webhook`; rejected with `invalid_cursor`. */
    list: (query: Input<'list_webhook_replays'> = {}, options?: Options) =>
      call('list_webhook_replays', query, options),
    /** All of them, page after page. */
    each: (query: Input<'list_webhook_replays'> = {}, options?: Options) =>
      eachOf(replays.list, query, options, (page) => ({
        items: page.replays,
        next: page.next_cursor,
      })),
  }
  return {
    /**
     * Sets the one endpoint of the credential's environment, and switches it on. `secret` is yours,
     * 16 to 128 characters: deliveries are signed with it, and `verifyWebhook` checks them. Needs
     * `webhook`.
     */
    register: (input: Input<'register_webhook'>, options?: Options) =>
      call('register_webhook', input, options),
    /**
     * Your endpoint, and why it is off if it is. Needs `webhook`; rejected with `not_found` when
     * there is none.
     */
    get: (options?: Options) => call('get_webhook', {}, options),
    /**
     * Has an event sent to the endpoint that the history does not show. Needs `webhook`; rejected
     * with `not_found` without an endpoint, `conflict` while it is switched off.
     */
    test: (options?: Options) => call('send_test_event', {}, options),
    deliveries,
    /** Events of a span of time, sent again. */
    replays,
  }
}
