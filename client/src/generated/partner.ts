// Made by `npm run client-types` from the OpenAPI documents of the service.

export interface paths {
    "/api/partner/v1/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get analytics
         * @description Returns what your tracked links brought, from click to commission, together and by UTC day. Available to affiliates; other partners get `forbidden`. Requires the scope `report`.
         */
        get: operations["get_analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether a domain can be bought now
         * @description Says whether a domain can be bought at this moment, and for how much. Any domain name may be asked for: one that is not listed, sold, or reserved by a quote or a payment is not available. The response reserves nothing; to hold the price and the domain for ten minutes, create a quote. Requires the scope `search`.
         */
        get: operations["check_availability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/brokerage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List brokerage cases
         * @description Returns your cases, newest first, without their offers and timelines. Filters combine: a case is listed when all of them match. Requires the scope `report`.
         */
        get: operations["list_cases"];
        put?: never;
        /**
         * Open a brokerage case
         * @description Asks a broker to find the owner of a domain that is not for sale, and to negotiate for your buyer. The buyer is sent mail with the progress link and each step. Nothing is charged; you earn a commission once a deal is completed, and receive `brokerage.case_completed`. A domain that is listed here, in a running case, or in use by an active website gives `conflict` with `details.reason`. The website is visited first, which may take some seconds. Requires the scope `broker`.
         */
        post: operations["open_case"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/brokerage/{case_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a brokerage case
         * @description Returns one of your cases with its offers and its timeline. Only a completed deal is an event; get the case to see how far it is in between. Requires the scope `broker`.
         */
        get: operations["get_case"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/brokerage/{case_id}/progress-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the progress link
         * @description Makes a new progress link for the buyer of a case. The old link stops working at once, so use it when a link has reached the wrong person or was revoked. No mail is sent: give the new link to the buyer yourself. Requires the scope `broker`.
         */
        post: operations["renew_progress_link"];
        /**
         * Revoke the progress link
         * @description Ends the progress link of a case, so that nobody can follow the case by it. The case itself goes on; a new link can be made at any time. Requires the scope `broker`.
         */
        delete: operations["revoke_progress_link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/brokerage/eligibility": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether a domain can be brokered
         * @description Says whether a brokerage case can be opened for a domain: it must not be listed here, in a running case, or in use by an active website. Use it before you offer brokerage to a buyer. It opens nothing and costs nothing. The website is visited for the check, which may take some seconds. Requires the scope `broker`.
         */
        get: operations["check_brokerage_eligibility"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/checkout-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a checkout session
         * @description Makes a page on which a buyer pays the marketplace for one domain, at its current price. Use it when you do not want to collect the payment yourself: redirect the buyer to `checkout_url`. The page works for seven days. It reserves nothing by itself; the domain is held while a payment is under way. Once it is paid an order is made, you earn a commission, `order.paid` is emitted, and the buyer returns to your `return_url`. A domain that is sold or reserved by another partner gives `conflict`. Requires the scope `embed`.
         */
        post: operations["create_checkout_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/checkout-session/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a checkout session
         * @description Returns one of your checkout sessions. Use it when the buyer returns to your `return_url`, to see whether it is paid and which order it made: the query of that address is not signed. Requires the scope `embed`.
         */
        get: operations["get_checkout_session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/domains/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a listed domain
         * @description Returns a domain that is or was listed here: its status, its price and the metadata of its listing. Use it for a page about one domain. A domain that was never listed, or was withdrawn, gives `not_found`. Requires the scope `search`.
         */
        get: operations["get_domain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/domains/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the domains for sale
         * @description Returns the five listed domains that match a query best, the best first. The query may be a name, a few words, or a sentence about what the buyer wants, in English or one of twelve other languages: names match by their words, by related words and by meaning. Reserved domains are shown as not available, and sold ones are left out. Nothing is reserved. Requires the scope `search`.
         */
        get: operations["search_domains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Returns the history of your events, oldest first. Use it to catch up after your receiver was down, or instead of webhooks: keep the id of the last event that you handled, and send it as `after_id`. An id that is not one of your events gives `invalid_cursor`. Requires the scope `webhook`.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tracked links
         * @description Returns your tracked links, newest first, each with the clicks and sales that it brought. Requires the scope `refer`.
         */
        get: operations["list_links"];
        put?: never;
        /**
         * Create a tracked link
         * @description Makes a link to a page of this marketplace that counts its clicks. A sale to a visitor who followed it last is yours, and earns a commission. Available to affiliates; other partners get `forbidden`. A domain that is not listed gives `not_found`. Requires the scope `refer`.
         */
        post: operations["create_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/me/clicks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get clicks by day
         * @description Returns the clicks on all your tracked links, together and by UTC day. Programs are counted apart. Available to affiliates; other partners get `forbidden`. Requires the scope `report`.
         */
        get: operations["get_clicks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/me/commissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List commissions
         * @description Returns the entries of your commissions in one currency, newest first, each with the balance after it, and the current balance: what you earned and were not paid yet. Available to affiliates; other partners get `forbidden`. Requires the scope `report`.
         */
        get: operations["list_commissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/me/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your payouts as an affiliate
         * @description Returns the payouts of your commissions, newest first. It is the same list as `GET /payouts`, beside the other reports for affiliates, and gives `forbidden` to a partner who is none. Requires the scope `report`.
         */
        get: operations["list_own_payouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/me/sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List referred sales
         * @description Returns the sales that your tracked links brought, newest first. Available to affiliates; other partners get `forbidden`. Requires the scope `report`.
         */
        get: operations["list_sales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List offers
         * @description Returns your offers, newest first. Requires the scope `buy`.
         */
        get: operations["list_offers"];
        put?: never;
        /**
         * Make an offer
         * @description Offers less than the price for a domain on behalf of a buyer. Use it when a buyer wants to negotiate. At or above the floor price the offer is accepted at once; otherwise the seller can accept it, decline it or make a counter-offer before it expires. The buyer receives mail with a link to respond, or you respond for them. Once accepted, the domain is reserved for 72 hours at that amount: record the sale as an order with the `quote_id` of the offer. Less than the seller considers gives `offer_too_low`, more than the price `price_mismatch`, and a domain that is sold or takes no offers `conflict`. Requires the scope `buy`.
         */
        post: operations["create_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/offers/{offer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an offer
         * @description Returns one of your offers with the amounts that both sides put on the table. Once accepted it has the `quote_id` for the order, and stays `accepted` after the reservation has ended. Requires the scope `buy`.
         */
        get: operations["get_offer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/offers/{offer_id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a counter-offer
         * @description Accepts the amount that the seller asks for, on behalf of the buyer. The domain is reserved for 72 hours at that amount by the quote in `quote_id`. A response out of turn, or a domain that is sold or reserved, gives `conflict`. Requires the scope `buy`.
         */
        post: operations["accept_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/offers/{offer_id}/counter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a counter-offer
         * @description Offers another amount in response to the counter-offer of the seller, whose turn it is afterwards. At or above the floor price it is accepted at once. The time to respond starts again. A response out of turn gives `conflict`. Requires the scope `buy`.
         */
        post: operations["counter_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/offers/{offer_id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline a counter-offer
         * @description Declines the amount that the seller asks for, on behalf of the buyer, and ends the offer. A response out of turn gives `conflict`; to end an offer that waits for the seller, withdraw it. Requires the scope `buy`.
         */
        post: operations["decline_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/offers/{offer_id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw an offer
         * @description Withdraws an offer on behalf of the buyer, in either turn, and ends it. An offer that has ended gives `conflict`; release the quote of an accepted one instead. Requires the scope `buy`.
         */
        post: operations["withdraw_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Returns your orders, newest first, a page at a time. Filters combine: an order is listed when all of them match. To keep an own copy up to date, read the event history instead. Requires the scope `search` or `buy`.
         */
        get: operations["list_orders"];
        put?: never;
        /**
         * Create an order
         * @description Records a sale whose payment you collected, and takes the domain off the market. Create a quote first: the order uses it up, at its price. From then on you owe the price less your commission, which appears on the statement of the period in which the domain is delivered. An operator starts the transfer; an order that is `held` waits for a review before. Follow it by webhooks, or by getting the order. An expired quote gives `quote_expired`, another price than the quote’s `price_mismatch`, and a domain that is sold, a quote that was used, or a payment reference that another order has `conflict`. Always send an Idempotency-Key, so that a retry records the sale once. Requires the scope `buy`.
         */
        post: operations["create_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/orders/{public_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order
         * @description Returns one of your orders with the state of its transfer and its timeline, whoever collected the payment. Prefer webhooks for following an order; use this call after one has arrived, or to check. Requires the scope `search` or `buy`.
         */
        get: operations["get_order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/orders/{public_id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the delivery receipt of an order
         * @description Returns the signed receipt of an order whose domain has been delivered. Anyone can verify it against `/.well-known/jwks.json`, for as long as they keep it: it says what was sold for how much, what the registrar was asked and answered, and what the registry said before and after. It names no person. Before the delivery it is `conflict`; `order.transfer_completed` reports the delivery. `/receipts/{receipt_id}` shows it to anyone who has the address. Requires the scope `buy`.
         */
        get: operations["get_receipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/orders/{public_id}/transfer-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the transfer code of an order
         * @description Returns the authorization code with which the buyer’s registrar transfers the domain, while an order whose delivery is by `auth_code` is in `TRANSFER_IN_PROGRESS` and the code is available; `transfer.code_available` reports that. At any other time it is `conflict`, and always for a sale through a tracked link, whose buyer gets the code from us. Show it to the buyer alone: anyone who has it can transfer the domain. Each read is recorded. Requires the scope `buy`.
         */
        get: operations["get_transfer_code"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/payee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your payee
         * @description Returns where your payouts go, with the last four characters of the account. It is set by a person, in the partner portal: no API call changes it. Requires the scope `report`.
         */
        get: operations["get_payee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payouts
         * @description Returns the payouts of what you earned at the hosted checkout, by brokerage and by tracked links, newest first. Operators make payouts of commissions that have become payable. Requires the scope `report`.
         */
        get: operations["list_payouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/payouts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a payout
         * @description Returns one of your payouts with the commissions that it pays; the amounts of its lines add up to its own. Requires the scope `report`.
         */
        get: operations["get_payout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/pricing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the price of a listed domain
         * @description Returns the current price of a domain and the lowest price that its seller accepts. The price may change until a quote fixes it. A domain that is not listed, or is sold, gives `not_found`. Requires the scope `search`.
         */
        get: operations["get_pricing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a quote
         * @description Fixes the price of a domain and reserves it for you for ten minutes. Create a quote when a buyer begins to pay, and record the sale as an order with its `quote_id` before it expires. A quote costs nothing; when it expires or is released, the domain is free for everyone again. While you hold a quote for the domain, the call returns that quote. A domain that is sold or reserved by another partner gives `conflict`, as does a quote beyond 100 running ones, and another price than `expected_price` gives `price_mismatch`. Requires the scope `buy`.
         */
        post: operations["create_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/quotes/{quote_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a quote
         * @description Returns one of your quotes, whatever its status. Use it to see whether a reservation still stands before you take a payment. Requires the scope `buy`.
         */
        get: operations["get_quote"];
        put?: never;
        post?: never;
        /**
         * Release a quote
         * @description Ends the reservation of a quote before it expires, so that the domain is for sale to everyone again. Use it when a buyer gives up. A quote that was released or has expired is returned as it is; one that an order used gives `conflict`. Requires the scope `buy`.
         */
        delete: operations["release_quote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund an order
         * @description Refunds an order whose payment you collected, in full; there are no partial refunds. It ends the order, and the domain is for sale again. You return the money to the buyer, and owe nothing for the sale. Only an order that has not been delivered can be refunded: afterwards, while its domain is being pushed, or when it has ended already, the call gives `conflict`, as it does for a sale at the hosted checkout, which the marketplace refunds. `order.refunded` is emitted. Requires the scope `buy`.
         */
        post: operations["request_refund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/brokerage/{case_id}/{move}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the broker: move a case
         * @description Moves one of your sandbox cases as a broker would. Use it to test how your integration handles each state of a case; completing one credits your commission and emits `brokerage.case_completed`. A move that the status of the case does not allow, or a price above the budget without the consent of the buyer, gives `conflict`. Requires the scope `broker`. Available to sandbox credentials only.
         */
        post: operations["sandbox_move_case"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/brokerage/{case_id}/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the broker: record an offer
         * @description Records an offer of the buyer or of the owner in one of your sandbox cases. It counters the open offer of the other side, or replaces one of the same side. The owner can make offers once the case is `contacted`. An offer that the status of the case does not allow, or one of the buyer above the budget without consent, gives `conflict`. Requires the scope `broker`. Available to sandbox credentials only.
         */
        post: operations["sandbox_record_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/brokerage/{case_id}/offers/{offer_id}/{answer}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the broker: accept or reject an offer
         * @description Records that the other side accepts or rejects an open offer in one of your sandbox cases. An accepted offer makes the case `agreed` at its price. An offer that is no longer open gives `conflict`. Requires the scope `broker`. Available to sandbox credentials only.
         */
        post: operations["sandbox_record_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let time pass
         * @description Makes everything in your sandbox older by the given time, and does what becomes due: quotes, offers and checkout sessions expire, failed deliveries are tried again, settlement periods from before this month close, and commissions become payable. Use it to test what would take days. The timestamps of requests are still checked against real time. A sandbox that is twenty years old gives `conflict`: reset it. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_advance_clock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/offers/{offer_id}/{move}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the seller: respond to an offer
         * @description Responds to one of your sandbox offers as its seller would: accepts it, declines it, or makes a counter-offer. Use it to test how your integration handles each outcome. A response out of turn, or a domain that is reserved or sold, gives `conflict`, and an amount above the price `price_mismatch`. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_move_offer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/orders/{public_id}/clear-review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the operator: clear review
         * @description Clears an order that is held, so that its transfer can start, and emits `order.manual_review_cleared`. Use it to test how your integration handles each state of an order. A move that the status of the order does not allow gives `conflict` and changes nothing. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_clear_review"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/orders/{public_id}/complete-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the operator: complete transfer
         * @description Completes a transfer that is in progress: the sale counts in the open settlement period from then on, and `order.transfer_completed` is emitted. Use it to test how your integration handles each state of an order. A move that the status of the order does not allow gives `conflict` and changes nothing. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_complete_transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/orders/{public_id}/fail-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the operator: fail transfer
         * @description Fails a transfer that is in progress. The order goes back to its first status, held, and `transfer.failed` is emitted with the reason. Use it to test how your integration handles each state of an order. A move that the status of the order does not allow gives `conflict` and changes nothing. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_fail_transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/orders/{public_id}/start-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play the operator: start transfer
         * @description Starts the transfer of a paid order that is not held, and emits `order.transfer_started`. Use it to test how your integration handles each state of an order. A move that the status of the order does not allow gives `conflict` and changes nothing. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_start_transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the sandbox
         * @description Takes your sandbox back to its first day: quotes, offers, orders, cases, checkout sessions, links, payouts, events and settlements are deleted, the domains that you bought are for sale again, and the seed inventory has its prices back. Credentials and the webhook endpoint stay. It cannot be undone, and does not touch other partners. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/sandbox/settlement-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close your settlement period
         * @description Closes the open settlement period of your sandbox, as operators or the calendar do in the live market, and opens the next. Delivered orders become `SETTLED`, and `order.settled` is emitted for each. Nothing is closed while nothing has happened in the period. Requires the scope `buy`. Available to sandbox credentials only.
         */
        post: operations["sandbox_run_settlement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/settlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List settlements
         * @description Returns the statements of your settlement periods, newest first, including that of the open one. Each says what you sold, the commission that you keep, and what you owe for the payments that you collected. Requires the scope `buy`.
         */
        get: operations["list_settlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/settlements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a settlement
         * @description Returns the statement of one period with a line for each sale and refund; the amounts of the lines add up to those of the statement. Send `Accept: text/csv` to get the lines for a spreadsheet. The statement of the open period changes with each delivery and refund. Requires the scope `buy`.
         */
        get: operations["get_settlement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/v1/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transactions
         * @description Returns all your sales in one list, newest first: payments that you collected, hosted checkouts and brokered deals. Use it for reports. The totals are of everything that the filters match, not of the page alone. Requires the scope `report`.
         */
        get: operations["list_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the webhook endpoint
         * @description Returns the endpoint that is registered for the environment of the credential, and whether events are sent to it. The secret is never shown. Without an endpoint the call gives `not_found`. Requires the scope `webhook`.
         */
        get: operations["get_webhook"];
        /**
         * Register the webhook endpoint
         * @description Sets the URL that events are sent to, and the secret that they are signed with. There is one endpoint for each environment: calling it again replaces URL and secret, and switches an endpoint that was switched off on again. Events from then on are delivered; for earlier ones create a replay. Requires the scope `webhook`.
         */
        put: operations["register_webhook"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook deliveries
         * @description Returns the attempts to deliver events to your endpoint, newest first, with what it responded. Use it to find out why an event did not arrive. Attempts are kept for 30 days. Requires the scope `webhook`.
         */
        get: operations["list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhooks/deliveries/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend a delivery
         * @description Delivers the event of an earlier attempt again, at once and with the usual retries, whether or not it was received before. An endpoint that is switched off gives `conflict`. Requires the scope `webhook`.
         */
        post: operations["resend_webhook_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhooks/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List replays
         * @description Returns the replays to your endpoint, newest first, each with how far it is. Requires the scope `webhook`.
         */
        get: operations["list_webhook_replays"];
        put?: never;
        /**
         * Create a replay
         * @description Delivers the events of a span of time to your endpoint again, behind any new ones. Use it after an outage or a fault of your receiver; handle each event id once. One replay runs at a time: another one gives `conflict`, as does an endpoint that is switched off. Requires the scope `webhook`.
         */
        post: operations["create_webhook_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhooks/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a replay
         * @description Returns how far a replay is: how many events it has queued, and how their deliveries went. Requires the scope `webhook`.
         */
        get: operations["get_webhook_replay"];
        put?: never;
        post?: never;
        /**
         * Cancel a replay
         * @description Ends a replay before all its events are queued. What is queued already is still delivered. A replay that has ended is returned as it is. Requires the scope `webhook`.
         */
        delete: operations["cancel_webhook_replay"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/partner/webhooks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends an event of the type `webhook.test` to your endpoint, signed and retried like any other. Use it to try your receiver out. The history does not list it. An endpoint that is switched off gives `conflict`. Requires the scope `webhook`.
         */
        post: operations["send_test_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An event is delivered to your endpoint
         * @description Check a signature over the raw body first, respond within five seconds, and keep the ids that you have handled: an event may come more than once. `type` says what `data` holds; more types may be added.
         */
        post: operations["deliver_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Analytics: {
            /** @description The beginning of the first day, or null. */
            from: string | null;
            /** @description The days, oldest first. */
            series: {
                /** @description The number of checkouts that visitors opened. */
                checkouts: number;
                /** @description The number of clicks, without those of bots. */
                clicks: number;
                /** @description Your commission on the sales, in cents. A refunded sale earns nothing. */
                commission_cents: number;
                /**
                 * Format: date
                 * @description The UTC day.
                 */
                date: string;
                /** @description The prices of the sales together, in cents. */
                gmv_cents: number;
                /** @description The number of sales, including refunded ones. */
                sales: number;
            }[];
            /** @description The end of the last day, or null. */
            to: string | null;
            /** @description All days together. */
            totals: {
                /** @description The number of checkouts that visitors opened. */
                checkouts: number;
                /** @description The number of clicks, without those of bots. */
                clicks: number;
                /** @description Your commission on the sales, in cents. A refunded sale earns nothing. */
                commission_cents: number;
                /** @description The prices of the sales together, in cents. */
                gmv_cents: number;
                /** @description The number of sales, including refunded ones. */
                sales: number;
            };
        };
        Availability: {
            /** @description Whether it can be bought now. */
            available: boolean;
            /** @description The ISO 4217 code of the currency, or null when it is not available. */
            currency: string | null;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The price in cents, or null when it is not available. */
            price_cents: number | null;
        };
        /** @description A broker’s work for a buyer who wants a domain that is not for sale. */
        BrokerageCase: {
            /** @description The most that the buyer would pay, in cents. */
            budget: number;
            /** @description The address at which the buyer is notified about the case. */
            buyer_email: string;
            /** @description The id of the case. */
            case_id: string;
            /** @description Your commission on the completed deal, in cents; null until then. */
            commission_cents: number | null;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description Your note for the broker, or null. */
            note: string | null;
            /** @description The offers of both sides, oldest first. */
            offers: components["schemas"]["BrokerageOffer"][];
            /** @description The price that was agreed, in cents; null until then. */
            price_cents: number | null;
            /** @description The page on which the buyer follows the case without signing in. Null once the link is revoked. */
            progress_url: string | null;
            /**
             * @description How far the case is. `completed`, `declined`, `no_contact` and `cancelled` are final.
             * @enum {string}
             */
            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
            /**
             * @description `managed`: a broker negotiates. `self_serve`: the buyer makes, accepts and rejects offers on the progress page.
             * @enum {string}
             */
            tier: "managed" | "self_serve";
            /** @description What happened in the case, oldest first. */
            timeline: {
                /**
                 * Format: date-time
                 * @description When it happened, in UTC.
                 */
                at: string;
                /** @description Which side did it; null for the marketplace. */
                by: ("buyer" | "owner") | null;
                /** @description A remark, or null. */
                note: string | null;
                /** @description The price it was about, in cents, or null. */
                price_cents: number | null;
                /**
                 * @description The status of the case afterwards.
                 * @enum {string}
                 */
                status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                /**
                 * @description What happened.
                 * @enum {string}
                 */
                type: "brokerage.case_opened" | "brokerage.case_sourcing" | "brokerage.case_contacted" | "brokerage.case_negotiating" | "brokerage.case_agreed" | "brokerage.case_completed" | "brokerage.case_declined" | "brokerage.case_no_contact" | "brokerage.case_cancelled" | "brokerage.contact_tried" | "brokerage.offer_made" | "brokerage.offer_accepted" | "brokerage.offer_rejected" | "brokerage.budget_raised";
            }[];
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated_at: string;
        };
        BrokerageCaseSummary: {
            /** @description The most that the buyer would pay, in cents. */
            budget: number;
            /** @description The id of the case. */
            case_id: string;
            /** @description Your commission on the completed deal, in cents; null until then. */
            commission_cents: number | null;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The price that was agreed, in cents; null until then. */
            price_cents: number | null;
            /**
             * @description How far the case is. `completed`, `declined`, `no_contact` and `cancelled` are final.
             * @enum {string}
             */
            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
            /**
             * @description `managed`: a broker negotiates. `self_serve`: the buyer makes, accepts and rejects offers on the progress page.
             * @enum {string}
             */
            tier: "managed" | "self_serve";
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated_at: string;
        };
        BrokerageEligibility: {
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description Whether it can be brokered. Null when the website could not be checked: a case may be opened, and a broker will look. */
            eligible: boolean | null;
            /** @description Why it cannot be brokered; otherwise null. */
            reason: ("active_site" | "already_in_case" | "listed_for_sale") | null;
        };
        BrokerageOffer: {
            /** @description When it stopped being open, or null. */
            answered_at: string | null;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /**
             * @description Who made the offer.
             * @enum {string}
             */
            made_by: "buyer" | "owner";
            /** @description The message to the other side, or null. */
            message: string | null;
            /** @description The id of the offer. */
            offer_id: string;
            /** @description The price offered, in cents. */
            price_cents: number;
            /**
             * @description `open` until it is `accepted` or `rejected`, `countered` by the other side, `replaced` by a new offer of the same side, or `lapsed` with the case.
             * @enum {string}
             */
            status: "open" | "accepted" | "rejected" | "countered" | "replaced" | "lapsed";
        };
        /** @description A page on which a buyer pays for one domain. */
        CheckoutSession: {
            /** @description The page to send the buyer to, with a signed token. */
            checkout_url: string;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /**
             * Format: date-time
             * @description When the link stops working: seven days after the creation.
             */
            expires_at: string;
            /** @description Your reference for the session, or null. */
            external_ref: string | null;
            /** @description The id of the checkout session. */
            id: string;
            /** @description The values that you stored with it. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The price that the buyer pays, in cents. */
            price_cents: number;
            /** @description The id of the order once it is paid; null until then. */
            public_id: string | null;
            /**
             * @description `open` until it is `paid`, `cancelled`, or `expired` after seven days.
             * @enum {string}
             */
            status: "open" | "paid" | "expired" | "cancelled";
        };
        Clicks: {
            /** @description The number of clicks of programs, which `total` leaves out. */
            bots: number;
            /** @description The beginning of the first day, or null. */
            from: string | null;
            /** @description The days, oldest first. */
            series: {
                /** @description The number of clicks of people on that day. */
                clicks: number;
                /**
                 * Format: date
                 * @description The UTC day.
                 */
                date: string;
            }[];
            /** @description The end of the last day, or null. */
            to: string | null;
            /** @description The number of clicks of people, with repeats of a visitor within a day. */
            total: number;
            /** @description The number of clicks of people, without repeats of a visitor within a day. */
            unique: number;
        };
        CommissionEntry: {
            /** @description What the entry adds to the balance, in cents; `pending` adds nothing. */
            amount_cents: number;
            /** @description The balance after the entry, in cents. */
            balance_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The id of the entry. */
            id: string;
            /** @description What earned it: the `public_id` of an order, or the `case_id` of a brokerage case. */
            sale_id: string;
            /**
             * @description `accrued` by a sale, `pending` a payout, `paid_out`, or `reversed` with the sale.
             * @enum {string}
             */
            type: "accrued" | "pending" | "paid_out" | "reversed";
        };
        /** @description Where the domain goes. */
        Delivery: {
            /** @description The account that it is pushed into, or null. */
            account: string | null;
            /**
             * @description How the domain reaches its buyer.
             * @enum {string}
             */
            method: "push" | "auth_code" | "hold";
            /** @description The IANA id of the registrar that it goes to, or null. */
            registrar_iana_id: string | null;
        };
        /** @description A signed proof of what was delivered. */
        DeliveryReceipt: {
            /** @description The receipt as a signed token (JWS) whose type is `delivery-receipt+jwt`. It never changes. */
            receipt: string;
            /** @description The id of the receipt. */
            receipt_id: string;
        };
        DomainDetail: {
            /** @description Whether it can be bought now: true while `listed`. */
            available: boolean;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The lowest price that the seller accepts, in cents. */
            floor_price_cents: number;
            /** @description Further facts about the listing, by name. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The least that an offer may be, in cents; null for any amount. */
            min_offer_cents: number | null;
            /**
             * @description Whether its seller takes offers below the price: `open` or `off`.
             * @enum {string}
             */
            offers: "off" | "open";
            /** @description The price to buy it now, in cents. */
            price_cents: number;
            /**
             * @description `listed` for sale, `reserved` while a quote or a payment holds it, or `sold`.
             * @enum {string}
             */
            status: "listed" | "reserved" | "sold";
            /** @description The part of the name after its first dot, in lower-case A-labels. */
            tld: string;
        };
        /** @description Every error of every endpoint has this form. */
        Error: {
            /** @description What went wrong. */
            error: {
                /** @description What went wrong, for programs. */
                code: string;
                /** @description What a program needs to know beside the code; another form for some codes. */
                details?: {
                    /** @description The field, with dots between the parts of its path. */
                    field: string;
                    /** @description What is wrong with it. */
                    issue: string;
                }[] | {
                    /**
                     * @description Of every conflict, of a forbidden referral, and of a purchase by an app that failed:
                     *
                     *     - `key_reused`: The Idempotency-Key was used with another body, or its stored response cannot be read any more. Use a new key for a new request.
                     *     - `key_in_progress`: The first request with this Idempotency-Key is still running. Repeat it after `Retry-After`.
                     *     - `domain_sold`: The domain has been sold. Choose another.
                     *     - `domain_reserved`: Somebody else has the domain reserved. Try again once the reservation has lapsed.
                     *     - `domain_not_for_sale`: The domain is not on the market. List it first, or choose another.
                     *     - `offers_closed`: The seller takes no offers for the domain. Buy it at its price instead.
                     *     - `quote_used`: An order has used the quote. Read the order, or take a new quote.
                     *     - `quote_released`: The quote was released. Take a new one.
                     *     - `quote_limit`: Too many of your quotes run at once. Release one, or let one lapse.
                     *     - `payment_ref_used`: An order with this `external_payment_ref` exists. `details.public_id` names it.
                     *     - `not_allowed_now`: The state does not allow this; `details.status` is the state. Read the object again and choose what its state allows.
                     *     - `not_applicable`: This never applies to an object of this kind. The message says what does.
                     *     - `changed_meanwhile`: Something changed after you looked. Look again, then decide.
                     *     - `already_exists`: It exists already. Use the one that there is.
                     *     - `owned_by_other`: It belongs to somebody else. Ask them or an operator.
                     *     - `limit_reached`: As many as are allowed are there. Remove one, or wait until one ends.
                     *     - `above_budget`: The price is above the buyer’s budget. Raise the budget or confirm the consent.
                     *     - `active_site`: The domain runs a website, so it cannot be brokered.
                     *     - `already_in_case`: A brokerage case for the domain is running. Wait for its end.
                     *     - `listed_for_sale`: The domain is for sale on the marketplace, so it is bought and not brokered.
                     *     - `blocked`: An operator has blocked the domain: nobody may list it. Ask the operator why.
                     *     - `frozen`: An operator has frozen the listing. It is for sale again once the operator lifts it.
                     *     - `ownership_not_verified`: Nothing proves yet that the domain is its seller’s. Prove it with a claim, then try again.
                     *     - `not_transferable`: By its registry the domain cannot be handed over now; the message says why. Choose another, or wait.
                     *     - `approval_required`: It needs the approval of a second operator. Ask somebody else than who made it.
                     *     - `registrar_not_connected`: No registrar connection can do this for the domain. Do it where the domain is registered.
                     *     - `affiliate_not_linked`: The partner has no affiliate account. Ask an operator to link one.
                     *     - `mandate_exceeded`: The purchase is beyond what the user lets the app spend; `details` has what is left. Choose a cheaper domain, or ask the user to allow more.
                     *     - `price_changed`: The price is not the one that was confirmed; `details.current_price_cents` is the price now. Start again without `confirm`.
                     *     - `no_saved_card`: The user has no saved card. Have them save one at `details.card_url`, or pay by `create_checkout`.
                     *     - `declined`: The card was declined. Have the user pay with another by `create_checkout`.
                     *     - `authentication_required`: The bank asks for the cardholder. Have the user pay at the link of `create_checkout`.
                     * @enum {string}
                     */
                    reason?: "key_reused" | "key_in_progress" | "domain_sold" | "domain_reserved" | "domain_not_for_sale" | "offers_closed" | "quote_used" | "quote_released" | "quote_limit" | "payment_ref_used" | "not_allowed_now" | "not_applicable" | "changed_meanwhile" | "already_exists" | "owned_by_other" | "limit_reached" | "above_budget" | "active_site" | "already_in_case" | "listed_for_sale" | "blocked" | "frozen" | "ownership_not_verified" | "not_transferable" | "approval_required" | "registrar_not_connected" | "affiliate_not_linked" | "mandate_exceeded" | "price_changed" | "no_saved_card" | "declined" | "authentication_required";
                    /** @description Of `not_allowed_now`: the state. */
                    status?: string;
                };
                /** @description What went wrong, for people. */
                message: string;
                /** @description The X-Request-Id of the response. */
                request_id: string;
            };
        };
        /** @description An event of the history. More types may be added. */
        Event: {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                order: components["schemas"]["EventOrder"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                order: components["schemas"]["EventOrder"];
                /** @description Why the transfer failed or needs action, or null. */
                reason: string | null;
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "transfer.failed" | "transfer.action_required";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                order: components["schemas"]["EventOrder"];
                transfer: components["schemas"]["Transfer"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "transfer.code_available" | "transfer.submitted" | "transfer.stalled";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                case: components["schemas"]["EventCase"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @constant
             */
            type: "brokerage.case_completed";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                listing: components["schemas"]["EventListing"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "listing.changed" | "listing.withdrawn" | "listing.sold";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                offer: components["schemas"]["EventOffer"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "offer.created" | "offer.countered" | "offer.accepted" | "offer.declined" | "offer.expired" | "offer.withdrawn";
        };
        /** @description The brokerage case that the event is about. */
        EventCase: {
            /** @description The most that the buyer would pay, in cents. */
            budget: number;
            /** @description The id of the case. */
            case_id: string;
            /** @description Your commission on the deal, in cents. */
            commission_cents: number;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The price of the deal, in cents. */
            price_cents: number;
            /**
             * @description Always `completed`.
             * @constant
             */
            status: "completed";
            /**
             * @description Who negotiated: a broker (`managed`) or the buyer (`self_serve`).
             * @enum {string}
             */
            tier: "managed" | "self_serve";
        };
        /** @description The listing that the event is about. */
        EventListing: {
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The price, in cents. */
            price_cents: number;
            /**
             * @description Whether it is for sale, was withdrawn (`delisted`), or was sold.
             * @enum {string}
             */
            status: "listed" | "delisted" | "sold";
        };
        /** @description The offer that the event is about. */
        EventOffer: {
            /** @description The amount on the table, in cents. */
            amount_cents: number;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /**
             * Format: date-time
             * @description When the offer expires unless someone responds. Once accepted: when the reservation ends.
             */
            expires_at: string;
            /** @description The id of the offer. */
            offer_id: string;
            /** @description The quote that reserves the domain once the offer is accepted; null until then. */
            quote_id: string | null;
            /**
             * @description `open` until the first response, `countered` while both sides negotiate, and then `accepted`, `declined`, `expired` or `withdrawn`.
             * @enum {string}
             */
            status: "open" | "countered" | "accepted" | "declined" | "expired" | "withdrawn";
            /** @description Whose response is awaited: `seller` or `buyer`; null once the offer has ended. */
            turn: ("seller" | "buyer") | null;
        };
        /** @description The order that the event is about. */
        EventOrder: {
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The id of the order. */
            public_id: string;
            /** @description What the buyer paid, in cents. */
            sale_price_cents: number;
            /**
             * @description The status of the order when the event was emitted.
             * @enum {string}
             */
            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
        };
        /** @description An amount that a buyer offers for a domain that is for sale. */
        Offer: {
            /** @description The amount on the table, in cents. */
            amount_cents: number;
            /** @description Who the offer is for. */
            buyer: {
                /** @description Their country, or null. */
                country: string | null;
                /** @description The address at which the buyer is notified. */
                email: string;
                /** @description Their name, or null. */
                name: string | null;
            };
            /** @description Who accepted, declined or withdrew it; null while it is running, when it expired, or when the domain was sold. */
            closed_by: ("seller" | "buyer") | null;
            /** @description The message that came with that, or null. */
            closing_message: string | null;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /**
             * Format: date-time
             * @description When the offer expires unless someone responds. Once accepted: when the reservation ends.
             */
            expires_at: string;
            /** @description The amounts that either side put on the table, oldest first. */
            history: {
                /** @description The amount, in cents. */
                amount_cents: number;
                /**
                 * Format: date-time
                 * @description When it was sent, in UTC.
                 */
                at: string;
                /**
                 * @description Who offered or asked for the amount.
                 * @enum {string}
                 */
                by: "seller" | "buyer";
                /** @description The message to the other side, or null. */
                message: string | null;
            }[];
            /** @description The id of the offer. */
            offer_id: string;
            /** @description The page on which the buyer follows the offer and responds, without signing in. */
            offers_url: string;
            /** @description The quote that reserves the domain once the offer is accepted; null until then. */
            quote_id: string | null;
            /**
             * @description `open` until the first response, `countered` while both sides negotiate, and then `accepted`, `declined`, `expired` or `withdrawn`.
             * @enum {string}
             */
            status: "open" | "countered" | "accepted" | "declined" | "expired" | "withdrawn";
            /** @description Whose response is awaited: `seller` or `buyer`; null once the offer has ended. */
            turn: ("seller" | "buyer") | null;
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated_at: string;
        };
        /** @description A sale, from its payment to the delivery of the domain. */
        Order: {
            /** @description The price less your commission, in cents: what you owe for a payment that you collected. */
            amount_owed_cents: number;
            /** @description Who receives the domain. */
            buyer: {
                /** @description Their country, as an ISO 3166-1 alpha-2 code. */
                country: string | null;
                /** @description Their e-mail address; masked where a tracked link brought the sale. */
                email: string;
                /** @description Their name. */
                name: string | null;
            };
            /** @description The `cancel_url` that you gave with the order. */
            cancel_url: string | null;
            /** @description Your commission on the sale, in cents. */
            commission_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            delivery: components["schemas"]["Delivery"];
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description Your reference for the payment. Null for a sale at the hosted checkout. */
            external_payment_ref: string | null;
            /** @description Whether an operator must clear the order before its transfer can start. */
            held: boolean;
            /** @description Why it is held, such as `manual_review`; otherwise null. */
            hold_reason: string | null;
            /**
             * @description Who collected the payment: you, or the marketplace at its hosted checkout.
             * @enum {string}
             */
            payment_model: "partner_collected" | "hosted_checkout";
            /** @description The id of the order. */
            public_id: string;
            /** @description The quote that fixed the price. Null for a sale at the hosted checkout. */
            quote_id: string | null;
            /** @description The `return_url` that you gave with the order. */
            return_url: string | null;
            /** @description What the buyer paid, in cents. */
            sale_price_cents: number;
            /**
             * @description `EXTERNALLY_PAID` (you collected) or `PAID` (hosted checkout) until its transfer starts, then `TRANSFER_IN_PROGRESS`, `TRANSFER_COMPLETED`, and `SETTLED` once its settlement period is closed. `REFUNDED` and `CANCELLED` are final, too.
             * @enum {string}
             */
            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
            /** @description What happened to the order, oldest first. */
            timeline: {
                /**
                 * Format: date-time
                 * @description When it happened, in UTC.
                 */
                at: string;
                /** @description A reason or a remark, or null. */
                note: string | null;
                /**
                 * @description The status of the order afterwards.
                 * @enum {string}
                 */
                status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                /** @description What happened, as the type of the event that reported it. */
                type: string;
            }[];
            transfer: components["schemas"]["Transfer"];
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated_at: string;
        };
        /** @description Where your payouts go. */
        Payee: {
            /** @description The last four characters of the account, or null. */
            account_masked: string | null;
            /** @description The country of the holder, or null. */
            country: string | null;
            /** @description The currency of the account, or null. */
            currency: string | null;
            /** @description The holder of the account, or null. */
            name: string | null;
            /**
             * @description `missing`: nothing was set. `pending`: a change waits until `usable_from`; payouts made before keep the account before it. `ready`: payouts go there.
             * @enum {string}
             */
            status: "missing" | "pending" | "ready";
            /** @description From when on payouts are made to it, or null. In the sandbox, from its change on. */
            usable_from: string | null;
        };
        /** @description A payment of what you earned, with its lines. */
        Payout: {
            /** @description The amount, in cents. */
            amount_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The id of the payout. */
            id: string;
            /**
             * @description What it pays: commissions on sales, on brokerage, or a seller's shares of sales.
             * @enum {string}
             */
            kind: "commission" | "brokerage" | "sale";
            /** @description The commissions that it pays, in the order in which they came. */
            lines: components["schemas"]["PayoutLine"][];
            /** @description When it was paid, in UTC; null until then. */
            paid_at: string | null;
            /**
             * @description `pending` and `processing` until the money is sent; then `paid`, `failed` or `canceled`.
             * @enum {string}
             */
            status: "pending" | "processing" | "paid" | "failed" | "canceled";
        };
        PayoutLine: {
            /** @description What it adds to the payout, in cents. */
            amount_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The entry of your commissions that it pays. */
            entry_id: string;
            /** @description What earned it: the `public_id` of an order, or the `case_id` of a brokerage case. */
            sale_id: string;
            /**
             * @description `accrued` by a sale, or `reversed` when it was undone.
             * @enum {string}
             */
            type: "accrued" | "pending" | "paid_out" | "reversed";
        };
        /** @description A payment of what you earned. */
        PayoutSummary: {
            /** @description The amount, in cents. */
            amount_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The id of the payout. */
            id: string;
            /**
             * @description What it pays: commissions on sales, on brokerage, or a seller's shares of sales.
             * @enum {string}
             */
            kind: "commission" | "brokerage" | "sale";
            /** @description When it was paid, in UTC; null until then. */
            paid_at: string | null;
            /**
             * @description `pending` and `processing` until the money is sent; then `paid`, `failed` or `canceled`.
             * @enum {string}
             */
            status: "pending" | "processing" | "paid" | "failed" | "canceled";
        };
        Price: {
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The lowest price that the seller accepts, in cents. */
            floor_price_cents: number;
            /** @description The price to buy it now, in cents. */
            price_cents: number;
        };
        ProgressLink: {
            /** @description The id of the case. */
            case_id: string;
            /** @description The page on which the buyer follows the case without signing in. Null once the link is revoked. */
            progress_url: string | null;
        };
        /** @description A firm price for a domain, which it reserves for ten minutes. */
        Quote: {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /**
             * Format: date-time
             * @description When the price and the reservation end: ten minutes after the creation, 72 hours for that of an accepted offer.
             */
            expires_at: string;
            /** @description The price in cents, fixed until the quote expires. */
            price_cents: number;
            /** @description The id of the quote. */
            quote_id: string;
            /** @description The quote as a signed token (JWS), which anyone can verify against `/.well-known/jwks.json`. It is accepted wherever a `quote_id` is. */
            quote_token: string;
            /**
             * @description `active` while it reserves the domain, `consumed` by an order, `released` by you, or `expired`.
             * @enum {string}
             */
            status: "active" | "consumed" | "released" | "expired";
        };
        /** @description A tracked link, and what it brought. */
        ReferralLink: {
            /** @description The number of clicks on it, without those of bots. */
            clicks: number;
            /** @description Your commission on them, in cents. */
            commission_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The domain of a link of type `domain`; otherwise null. */
            domain: string | null;
            /** @description The id of the link. */
            id: string;
            /** @description Your label for it, or null. */
            label: string | null;
            /** @description What a link of type `product` is for; otherwise null. */
            product: string | null;
            /** @description The prices of these sales together, in cents. */
            sale_amount_cents: number;
            /** @description The number of sales that it brought. */
            sales: number;
            /**
             * @description What the link is for: anything (`generic`), one `domain`, or a `product` of yours.
             * @enum {string}
             */
            type: "generic" | "domain" | "product";
            /** @description The address to publish. */
            url: string;
        };
        ReferralSale: {
            /** @description The price, in cents. */
            amount_cents: number;
            /** @description The e-mail address of the buyer, masked. */
            buyer: string;
            /** @description Your commission, in cents: 0 once the sale is refunded, or while its payment is disputed. */
            commission_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The id of the sale, which is that of its order. */
            id: string;
            /** @description The tracked link that brought it. */
            link_id: string;
            /** @description The id of the order. */
            public_id: string;
            /** @description The status of the order. */
            status: string;
        };
        Refund: {
            /** @description The amount in cents: the whole price of the order. */
            amount_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The order that was refunded. */
            public_id: string;
            /** @description The id of the refund. */
            refund_id: string;
            /**
             * @description Always `succeeded`: a refund takes effect at once.
             * @constant
             */
            status: "succeeded";
        };
        SearchResult: {
            /** @description Whether it can be bought now: false while a quote or a payment reserves it. */
            available: boolean;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The price to buy it now, in cents. */
            price_cents: number;
            /** @description How well it matches, from 0 to 1: 1 for the name itself, 0.99 for its label, less for the share of the query that the name covers. */
            score: number;
            /** @description The part of the name after its first dot, in lower-case A-labels. */
            tld: string;
            /** @description The words or concepts of the query that matched. */
            why: string;
        };
        /** @description The statement of a period with its lines. */
        Settlement: {
            /** @description What you owe for the period, in cents: the prices less your commission. */
            amount_owed_cents: number;
            /** @description Your commission on them, which you keep, in cents. */
            commission_retained_cents: number;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description When it has to be paid, in UTC; null while it is open, or where nothing is owed. */
            due_at: string | null;
            /** @description The prices of the orders delivered in the period, in cents. */
            gross_sold_cents: number;
            /** @description The id of the settlement. */
            id: string;
            /** @description The sales and refunds of the period, in the order in which they came. */
            lines: components["schemas"]["SettlementLine"][];
            /** @description The number of orders delivered in the period. */
            order_count: number;
            /**
             * @description `nothing_due` while the period is open or where nothing is owed, `due`, `part_paid`, `paid`, or `overdue` past `due_at`.
             * @enum {string}
             */
            payment_status: "nothing_due" | "due" | "part_paid" | "paid" | "overdue";
            /** @description When the period was closed, in UTC; null while it is open. */
            period_end: string | null;
            /**
             * Format: date-time
             * @description When the period began, in UTC.
             */
            period_start: string;
            /** @description What you have paid of it, in cents. What you paid too much for earlier periods counts here. */
            received_cents: number;
            /** @description What was refunded before its delivery, in cents. Nothing is owed for it. */
            refunded_cents: number;
            /**
             * @description `open` while sales are added to it; a `closed` statement does not change.
             * @enum {string}
             */
            status: "open" | "closed";
        };
        SettlementLine: {
            /** @description Your commission on it, in cents. */
            commission_cents: number;
            /** @description When the domain was delivered, in UTC; null for a refund. */
            completed_at: string | null;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /** @description The price of the order, in cents. */
            gross_cents: number;
            /** @description What you owe for it, in cents; 0 for a refund. */
            owed_cents: number;
            /** @description The order. */
            public_id: string;
            /**
             * @description A delivered `sale`, or a `refund` before the delivery.
             * @enum {string}
             */
            type: "sale" | "refund";
        };
        /** @description The statement of a period: the sales whose payment you collected, and what you owe. */
        SettlementSummary: {
            /** @description What you owe for the period, in cents: the prices less your commission. */
            amount_owed_cents: number;
            /** @description Your commission on them, which you keep, in cents. */
            commission_retained_cents: number;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description When it has to be paid, in UTC; null while it is open, or where nothing is owed. */
            due_at: string | null;
            /** @description The prices of the orders delivered in the period, in cents. */
            gross_sold_cents: number;
            /** @description The id of the settlement. */
            id: string;
            /** @description The number of orders delivered in the period. */
            order_count: number;
            /**
             * @description `nothing_due` while the period is open or where nothing is owed, `due`, `part_paid`, `paid`, or `overdue` past `due_at`.
             * @enum {string}
             */
            payment_status: "nothing_due" | "due" | "part_paid" | "paid" | "overdue";
            /** @description When the period was closed, in UTC; null while it is open. */
            period_end: string | null;
            /**
             * Format: date-time
             * @description When the period began, in UTC.
             */
            period_start: string;
            /** @description What you have paid of it, in cents. What you paid too much for earlier periods counts here. */
            received_cents: number;
            /** @description What was refunded before its delivery, in cents. Nothing is owed for it. */
            refunded_cents: number;
            /**
             * @description `open` while sales are added to it; a `closed` statement does not change.
             * @enum {string}
             */
            status: "open" | "closed";
        };
        /** @description A sale, whoever collected its payment. */
        Transaction: {
            /** @description The price, in cents. */
            amount_cents: number;
            /** @description Your commission, in cents: 0 once the sale is refunded, or while its payment is disputed. */
            commission_cents: number;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The ISO 4217 code of the currency that the amounts are in. */
            currency: string;
            /** @description The domain name, in lower-case A-labels. */
            domain: string;
            /**
             * @description How it was paid: to you, at the hosted checkout, or as a brokered deal.
             * @enum {string}
             */
            payment_model: "partner_collected" | "hosted_checkout" | "brokerage";
            /** @description The id of the order, or of the brokerage case. */
            public_id: string;
            /**
             * @description The status of the order, or `completed` for a brokered deal.
             * @enum {string}
             */
            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED" | "completed";
        };
        /** @description How the domain reaches the buyer. */
        Transfer: {
            /** @description Whether the authorization code can be read. */
            code_available: boolean;
            /** @description When the domain was delivered, or null. */
            completed_at: string | null;
            /** @description When the domain should have arrived; past it the transfer is stalled. */
            expected_by: string | null;
            /** @description How the delivery is known, or null. */
            proof: {
                /**
                 * Format: date-time
                 * @description When it was known.
                 */
                at: string;
                /** @description What it rests on, or null. */
                note: string | null;
                /** @description Where it is, or null. */
                registrar_iana_id: string | null;
                /**
                 * @description Who said that the domain has arrived.
                 * @enum {string}
                 */
                source: "registry" | "registrar" | "operator" | "simulated";
            } | null;
            /** @description Why the transfer failed or needs action; otherwise null. */
            reason: string | null;
            /** @description The registrar that had the domain when the transfer started, or null. */
            registrar: {
                /** @description Its IANA id, or null. */
                iana_id: string | null;
                /** @description Its name, or null. */
                name: string | null;
            } | null;
            /** @description Whether it is in progress past `expected_by`. */
            stalled: boolean;
            /** @description When the transfer started, or null. */
            started_at: string | null;
            /**
             * @description The state of the transfer: `action_required` waits for the buyer, `failed` for an operator.
             * @enum {string}
             */
            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
        };
        /** @description One attempt to deliver an event. */
        WebhookDelivery: {
            /**
             * Format: date-time
             * @description When the attempt was made, in UTC.
             */
            at: string;
            /** @description Which attempt of its delivery it was, from 1. */
            attempt: number;
            /** @description How long the attempt took, in milliseconds. */
            duration_ms: number;
            /** @description Why the attempt failed; null when it succeeded. */
            error: string | null;
            /** @description The event that was sent. */
            event_id: string;
            /** @description The id of the attempt. */
            id: string;
            /** @description The beginning of the response body, 1 KiB at most. */
            response_body: string | null;
            /** @description The HTTP status of the response; null when there was none. */
            response_status: number | null;
            /** @description The type of the event. */
            type: string;
        };
        WebhookEndpoint: {
            /** @description Whether events are sent to it. */
            active: boolean;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description Why it was switched off: it responded 410, failed for five days, or an operator did it. Otherwise null. */
            inactive_reason: string | null;
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated_at: string;
            /** @description The URL that events are sent to. */
            url: string;
        };
        /** @description An event as it is delivered. More types may be added. */
        WebhookEvent: {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                order: components["schemas"]["EventOrder"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                order: components["schemas"]["EventOrder"];
                /** @description Why the transfer failed or needs action, or null. */
                reason: string | null;
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "transfer.failed" | "transfer.action_required";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                order: components["schemas"]["EventOrder"];
                transfer: components["schemas"]["Transfer"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "transfer.code_available" | "transfer.submitted" | "transfer.stalled";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                case: components["schemas"]["EventCase"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @constant
             */
            type: "brokerage.case_completed";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                listing: components["schemas"]["EventListing"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "listing.changed" | "listing.withdrawn" | "listing.sold";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                offer: components["schemas"]["EventOffer"];
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @enum {string}
             */
            type: "offer.created" | "offer.countered" | "offer.accepted" | "offer.declined" | "offer.expired" | "offer.withdrawn";
        } | {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description What the event is about. */
            data: {
                /** @description A text for people. */
                message: string;
            };
            /** @description The id of the event, the same on every delivery. */
            id: string;
            /** @description Your partner id. */
            partner_id: string;
            /**
             * @description What happened, which says what `data` holds.
             * @constant
             */
            type: "webhook.test";
        };
        /** @description Events of a span of time, being delivered again. */
        WebhookReplay: {
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created_at: string;
            /** @description The number of events that your endpoint received. */
            delivered_count: number;
            /** @description When it was done or cancelled; null until then. */
            ended_at: string | null;
            /** @description The number of events to send. */
            event_count: number;
            /** @description The number of events whose deliveries were given up. */
            failed_count: number;
            /**
             * Format: date-time
             * @description Events created at or after this time are sent.
             */
            from: string;
            /** @description The id of the replay. */
            id: string;
            /** @description The number of events queued for delivery so far. */
            queued_count: number;
            /**
             * @description `running` until all its events are queued (`done`) or it is `cancelled`.
             * @enum {string}
             */
            status: "running" | "done" | "cancelled";
            /**
             * Format: date-time
             * @description Events created before this time are sent.
             */
            to: string;
            /** @description The types that are sent; null for all. */
            types: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "transfer.code_available" | "transfer.submitted" | "transfer.stalled" | "brokerage.case_completed" | "listing.changed" | "listing.withdrawn" | "listing.sold" | "offer.created" | "offer.countered" | "offer.accepted" | "offer.declined" | "offer.expired" | "offer.withdrawn")[] | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_analytics: {
        parameters: {
            query?: {
                /** @description Only from this UTC day on: a date, or a time on that day. Default: the beginning. */
                from?: string;
                /** @description Only before this UTC date; of a time, its whole UTC day counts. Default: now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get analytics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analytics"];
                };
            };
        };
    };
    check_availability: {
        parameters: {
            query: {
                /** @description The domain to check, in any case, as A-labels or U-labels. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check whether a domain can be bought now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Availability"];
                };
            };
        };
    };
    list_cases: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only cases for this domain. */
                domain?: string;
                /** @description Only those created at or after this time: a date (midnight UTC) or an RFC 3339 time. */
                from?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only cases in this status. */
                status?: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                /** @description Only cases of this tier. */
                tier?: "managed" | "self_serve";
                /** @description Only those created before this time: a date (midnight UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List brokerage cases */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The cases, newest first. */
                        cases: components["schemas"]["BrokerageCaseSummary"][];
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    open_case: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The most that the buyer would pay, in cents. */
                    budget: number;
                    /**
                     * Format: email
                     * @description The address at which the buyer is notified about the case.
                     */
                    buyer_email: string;
                    /** @description The currency of the budget, which must be USD, the default. */
                    currency?: string | null;
                    /** @description The domain that the buyer wants, in any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description What the broker should know. The progress page of the buyer does not show it. */
                    note?: string | null;
                    /**
                     * @description `managed`: a broker negotiates. `self_serve`: the buyer makes, accepts and rejects offers on the progress page.
                     * @enum {string}
                     */
                    tier: "managed" | "self_serve";
                };
            };
        };
        responses: {
            /** @description Open a brokerage case */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerageCase"];
                };
            };
        };
    };
    get_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case to get. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a brokerage case */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerageCase"];
                };
            };
        };
    };
    renew_progress_link: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the case. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Renew the progress link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgressLink"];
                };
            };
        };
    };
    revoke_progress_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the case. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke the progress link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgressLink"];
                };
            };
        };
    };
    check_brokerage_eligibility: {
        parameters: {
            query: {
                /** @description The domain to check, in any case, as A-labels or U-labels. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check whether a domain can be brokered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerageEligibility"];
                };
            };
        };
    };
    create_checkout_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What you know about the buyer, which fills in the form of the checkout. */
                    buyer?: {
                        /** @description An ISO 3166-1 alpha-2 country code, in any case. */
                        country?: string | null;
                        /** @description Their e-mail address. */
                        email?: string | null;
                        /** @description Their full name. */
                        name?: string | null;
                    } | null;
                    /** @description The page that the buyer returns to without paying. */
                    cancel_url?: string | null;
                    /** @description Where the domain goes. Default: what your account says, otherwise `auth_code`. */
                    delivery?: {
                        /** @description The account to push into. Required with `push`. */
                        account?: string | null;
                        /**
                         * @description `push` into an account at the registrar that has the domain, `auth_code` for a transfer to another registrar, or `hold` in the account of the buyer at this marketplace.
                         * @enum {string}
                         */
                        method: "push" | "auth_code" | "hold";
                        /** @description The IANA id of the registrar that the domain goes to, if it is known. */
                        registrar_iana_id?: (string | number) | null;
                    } | null;
                    /** @description The domain to sell, in any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description Your reference for the session. */
                    external_ref?: string | null;
                    /** @description Up to 50 values of your own to store with it: text, numbers, true, false or null by name. */
                    metadata?: {
                        [key: string]: string | number | boolean | null;
                    } | null;
                    /** @description The page that the buyer returns to after paying. `checkout_session_id` and `public_id` are added to its query. */
                    return_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Create a checkout session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckoutSession"];
                };
            };
        };
    };
    get_checkout_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The checkout session to get. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a checkout session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckoutSession"];
                };
            };
        };
    };
    get_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The domain to get, in any case, as A-labels or U-labels. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a listed domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetail"];
                };
            };
        };
    };
    search_domains: {
        parameters: {
            query: {
                /** @description Only names at this price or less, in cents. */
                max_price_cents?: number;
                /** @description What the buyer looks for, in words, or a name. */
                q: string;
                /** @description Only names on this top-level domain or public suffix, such as com or co.uk. */
                tld?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Search the domains for sale */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of results, 0 to 5. */
                        count: number;
                        /** @description The query as it was read. */
                        query: string;
                        /** @description The best match first. */
                        results: components["schemas"]["SearchResult"][];
                    };
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description The id of the last event that you handled: those after it are returned. Default: from the first on. */
                after_id?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The events, oldest first. */
                        events: components["schemas"]["Event"][];
                        /** @description The next `after_id`, or null when no event follows. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    list_links: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only links to the page of this domain. */
                domain?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only links of this type. */
                type?: "generic" | "domain" | "product";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List tracked links */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The links, newest first. */
                        links: components["schemas"]["ReferralLink"][];
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    create_link: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The page of this marketplace to lead to, as a URL or a path. Default: the page of the domain, or home. */
                    destination_url?: string | null;
                    /** @description The listed domain whose page the link leads to. Required for the type `domain`. */
                    domain?: string | null;
                    /** @description A label of your own, to tell links apart. */
                    label?: string | null;
                    /** @description What the link is for, in your own words. Required for the type `product`. */
                    product?: string | null;
                    /**
                     * @description What the link is for: anything (`generic`), one `domain`, or a `product` of yours.
                     * @enum {string}
                     */
                    type: "generic" | "domain" | "product";
                };
            };
        };
        responses: {
            /** @description Create a tracked link */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReferralLink"];
                };
            };
        };
    };
    get_clicks: {
        parameters: {
            query?: {
                /** @description Only from this UTC day on: a date, or a time on that day. Default: the beginning. */
                from?: string;
                /** @description Only before this UTC date; of a time, its whole UTC day counts. Default: now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get clicks by day */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clicks"];
                };
            };
        };
    };
    list_commissions: {
        parameters: {
            query?: {
                /** @description The ISO 4217 code of the currency. Each currency has a balance of its own. */
                currency?: string;
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List commissions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The current balance, in cents. */
                        balance_cents: number;
                        /** @description The entries, newest first. */
                        entries: components["schemas"]["CommissionEntry"][];
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    list_own_payouts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only payouts in this status. */
                status?: "pending" | "processing" | "paid" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List your payouts as an affiliate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The payouts, newest first. */
                        payouts: components["schemas"]["PayoutSummary"][];
                        /** @description The sum of all payouts that were paid, in cents, whatever the filter. */
                        total_paid_cents: number;
                    };
                };
            };
        };
    };
    list_sales: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only those created at or after this time: a date (midnight UTC) or an RFC 3339 time. */
                from?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only those created before this time: a date (midnight UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List referred sales */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The sales, newest first. */
                        sales: components["schemas"]["ReferralSale"][];
                    };
                };
            };
        };
    };
    list_offers: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only offers for this domain. */
                domain?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only offers in this status. */
                status?: "open" | "countered" | "accepted" | "declined" | "expired" | "withdrawn";
                /** @description Only offers that wait for this side. */
                turn?: "seller" | "buyer";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List offers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The offers on this page. */
                        offers: components["schemas"]["Offer"][];
                    };
                };
            };
        };
    };
    create_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The amount, in cents, at most the price of the domain. */
                    amount_cents: number;
                    /** @description Who the offer is for. */
                    buyer: {
                        /** @description An ISO 3166-1 alpha-2 country code, in any case. */
                        country?: string | null;
                        /**
                         * Format: email
                         * @description Their e-mail address, at which they are notified.
                         */
                        email: string;
                        /** @description Their full name. */
                        name?: string | null;
                    };
                    /** @description The ISO 4217 code of the currency, which must be that of the listing. Default: USD. */
                    currency?: string | null;
                    /** @description The domain that the buyer wants, in any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description How long each side has to respond, in hours, from 1 to 168. Default: 48. */
                    expires_in_hours?: number | null;
                    /** @description A message to the other side. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description Make an offer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    get_offer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the offer to get. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    accept_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the offer. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The amount that you expect to accept, in cents. Any other amount is rejected with `price_mismatch`. */
                    amount_cents?: number | null;
                    /** @description A message to the other side. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description Accept a counter-offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    counter_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the offer. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The amount, in cents, at most the price of the domain. */
                    amount_cents: number;
                    /** @description A message to the other side. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description Make a counter-offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    decline_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the offer. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message to the other side. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description Decline a counter-offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    withdraw_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the offer. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message to the other side. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description Withdraw an offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    list_orders: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only orders for this domain. */
                domain?: string;
                /** @description Only those created at or after this time: a date (midnight UTC) or an RFC 3339 time. */
                from?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only orders in this status. */
                status?: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                /** @description Only those created before this time: a date (midnight UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List orders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The orders, newest first. */
                        orders: components["schemas"]["Order"][];
                    };
                };
            };
        };
    };
    create_order: {
        parameters: {
            query?: never;
            header: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who receives the domain. */
                    buyer: {
                        /** @description An ISO 3166-1 alpha-2 country code, in any case. */
                        country?: string | null;
                        /**
                         * Format: email
                         * @description Their e-mail address.
                         */
                        email: string;
                        /** @description Their full name. */
                        name?: string | null;
                    };
                    /** @description A page of yours for a sale that did not happen. It is stored with the order. */
                    cancel_url?: string | null;
                    /** @description The ISO 4217 code of the currency, which must be that of the quote. Default: USD. */
                    currency?: string | null;
                    /** @description Where the domain goes. Default: what your account says, otherwise `auth_code`. */
                    delivery?: {
                        /** @description The account to push into. Required with `push`. */
                        account?: string | null;
                        /**
                         * @description `push` into an account at the registrar that has the domain, `auth_code` for a transfer to another registrar, or `hold` in the account of the buyer at this marketplace.
                         * @enum {string}
                         */
                        method: "push" | "auth_code" | "hold";
                        /** @description The IANA id of the registrar that the domain goes to, if it is known. */
                        registrar_iana_id?: (string | number) | null;
                    } | null;
                    /** @description The domain that you sold, in any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description The price that you expect, in cents. Any other price is rejected with `price_mismatch`. */
                    expected_price?: number | null;
                    /** @description Your reference for the payment. It can pay for one order only. */
                    external_payment_ref: string;
                    /** @description The `quote_id` of your active quote for the domain, or its `quote_token`. */
                    quote_id: string;
                    /** @description A page of yours about the sale. It is stored with the order. */
                    return_url?: string | null;
                    /** @description The price of the sale, in cents. It must be the price of the quote. */
                    sale_price_cents: number;
                };
            };
        };
        responses: {
            /** @description Create an order */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    get_order: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The order to get. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    get_receipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The order whose receipt you need. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the delivery receipt of an order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryReceipt"];
                };
            };
        };
    };
    get_transfer_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The order whose code you need. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the transfer code of an order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The code, also called EPP code or authInfo. */
                        auth_code: string;
                        /** @description The domain name, in lower-case A-labels. */
                        domain: string;
                        /** @description When it should have been used, or null. */
                        expires_at: string | null;
                        /** @description The order. */
                        public_id: string;
                    };
                };
            };
        };
    };
    get_payee: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get your payee */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payee"];
                };
            };
        };
    };
    list_payouts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only payouts in this status. */
                status?: "pending" | "processing" | "paid" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List payouts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The payouts, newest first. */
                        payouts: components["schemas"]["PayoutSummary"][];
                        /** @description The sum of all payouts that were paid, in cents, whatever the filter. */
                        total_paid_cents: number;
                    };
                };
            };
        };
    };
    get_payout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The payout to get. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a payout */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
        };
    };
    get_pricing: {
        parameters: {
            query: {
                /** @description The domain to price, in any case, as A-labels or U-labels. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the price of a listed domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
        };
    };
    create_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The domain to quote, in any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description The price that you expect, in cents. Any other price is rejected with `price_mismatch`. */
                    expected_price?: number | null;
                };
            };
        };
        responses: {
            /** @description Create a quote */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    get_quote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `quote_id` of the quote to get, or its `quote_token`. */
                quote_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a quote */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    release_quote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `quote_id` of the quote to release, or its `quote_token`. */
                quote_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Release a quote */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    request_refund: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The reason in your own words, for the timeline of the order. */
                    note?: string | null;
                    /** @description The order to refund. */
                    public_id: string;
                    /** @description Why it is refunded. Default: `other`. */
                    reason?: ("duplicate" | "fraudulent" | "requested_by_customer" | "transfer_failed" | "other") | null;
                };
            };
        };
        responses: {
            /** @description Refund an order */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
        };
    };
    sandbox_move_case: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The case to move. */
                case_id: string;
                /** @description What happens: `source`, `contact`, `negotiate`, `agree` and `complete` in this order; `decline`, `no-contact` and `cancel` end the case. */
                move: "source" | "contact" | "negotiate" | "agree" | "complete" | "decline" | "no-contact" | "cancel";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Whether the buyer agreed to a price above the budget.
                     * @default false
                     */
                    buyer_consented?: boolean;
                    /** @description A note that the buyer and the partner can read. */
                    note?: string | null;
                    /** @description The price that was agreed, in cents. `agree` requires it, and `complete` may correct it. */
                    price_cents?: number | null;
                };
            };
        };
        responses: {
            /** @description Play the broker: move a case */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerageCase"];
                };
            };
        };
    };
    sandbox_record_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the case. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Whether the buyer agreed to a price above the budget.
                     * @default false
                     */
                    buyer_consented?: boolean;
                    /**
                     * @description Who makes the offer.
                     * @enum {string}
                     */
                    made_by: "buyer" | "owner";
                    /** @description A message that both sides can read. */
                    message?: string | null;
                    /** @description The price offered, in cents. */
                    price_cents: number;
                };
            };
        };
        responses: {
            /** @description Play the broker: record an offer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerageCase"];
                };
            };
        };
    };
    sandbox_record_answer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description What the other side said. */
                answer: "accept" | "reject";
                /** @description The id of the case. */
                case_id: string;
                /** @description The open offer. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Whether the buyer agreed to a price above the budget.
                     * @default false
                     */
                    buyer_consented?: boolean;
                };
            };
        };
        responses: {
            /** @description Play the broker: accept or reject an offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerageCase"];
                };
            };
        };
    };
    sandbox_advance_clock: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How much time passes, in seconds; 366 days at most. */
                    advance_seconds: number;
                };
            };
        };
        responses: {
            /** @description Let time pass */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How much time passed, in seconds. */
                        advanced_seconds: number;
                        /** @description The number of checkout sessions that expired. */
                        checkout_sessions_expired: number;
                        /** @description The number of event deliveries that are due now. */
                        deliveries_due: number;
                        /** @description The number of offers that expired. */
                        offers_expired: number;
                        /** @description The number of quotes that expired. */
                        quotes_expired: number;
                        /** @description The ids of the settlements that were closed. */
                        settlements_closed: string[];
                    };
                };
            };
        };
    };
    sandbox_move_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The response of the seller: `accept`, `counter` with an amount, or `decline`. */
                move: "accept" | "counter" | "decline";
                /** @description The offer to respond to. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description What the seller asks for, in cents; `counter` requires it. With `accept` it must be the amount on the table. */
                    amount_cents?: number | null;
                    /** @description A message to the other side. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description Play the seller: respond to an offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
        };
    };
    sandbox_clear_review: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The order to move. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A note for the timeline, and for the event when a transfer fails. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Play the operator: clear review */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    sandbox_complete_transfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The order to move. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A note for the timeline, and for the event when a transfer fails. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Play the operator: complete transfer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    sandbox_fail_transfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The order to move. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A note for the timeline, and for the event when a transfer fails. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Play the operator: fail transfer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    sandbox_start_transfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The order to move. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A note for the timeline, and for the event when a transfer fails. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Play the operator: start transfer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
        };
    };
    sandbox_reset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reset the sandbox */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always true.
                         * @constant
                         */
                        reset: true;
                        /** @description The number of domains of the seed inventory. */
                        seed_listings: number;
                    };
                };
            };
        };
    };
    sandbox_run_settlement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Close your settlement period */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of orders that became `SETTLED`. */
                        order_count: number;
                        /** @description The statements that were closed. Periods in which nothing happened stay open. */
                        settlements: components["schemas"]["SettlementSummary"][];
                    };
                };
            };
        };
    };
    list_settlements: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List settlements */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The statements, newest first. */
                        settlements: components["schemas"]["SettlementSummary"][];
                    };
                };
            };
        };
    };
    get_settlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The settlement to get. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a settlement */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settlement"];
                    "text/csv": string;
                };
            };
        };
    };
    list_transactions: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only those created at or after this time: a date (midnight UTC) or an RFC 3339 time. */
                from?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only sales of this kind. */
                payment_model?: "partner_collected" | "hosted_checkout" | "brokerage";
                /** @description Only sales in this status. */
                status?: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED" | "completed";
                /** @description Only those created before this time: a date (midnight UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List transactions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description Of everything that the filters match, not of this page alone. */
                        totals: {
                            /** @description Your commission together, in cents. */
                            commission_cents: number;
                            /** @description The number of sales. */
                            count: number;
                            /** @description The prices together, in cents. */
                            gmv_cents: number;
                        };
                        /** @description The sales, newest first. */
                        transactions: components["schemas"]["Transaction"][];
                    };
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the webhook endpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    register_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The secret to sign deliveries with, 16 to 128 characters. Behind `whsec_` it is base64. */
                    secret: string;
                    /** @description An https URL on a public address. The sandbox of a service on your own machine accepts http and loopback, too. */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Register the webhook endpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description Only attempts to deliver this event. */
                event_id?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
                /** @description Only attempts to which your endpoint responded 2xx within five seconds, or did not. */
                result?: "delivered" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhook deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The attempts, newest first. */
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    resend_webhook_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The attempt whose event is sent again. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Resend a delivery */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The event that is sent again. */
                        event_id: string;
                        /** @description The type of the event. */
                        type: string;
                    };
                };
            };
        };
    };
    list_webhook_replays: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page, sent with the same filters. Leave it out for the first page. */
                cursor?: string;
                /** @description The largest number of items to return on one page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List replays */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The `cursor` of the next page, or null on the last page. */
                        next_cursor: string | null;
                        /** @description The replays, newest first. */
                        replays: components["schemas"]["WebhookReplay"][];
                    };
                };
            };
        };
    };
    create_webhook_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Send events created at or after this time: a date (midnight UTC) or an RFC 3339 time. */
                    from: string;
                    /** @description Send events created before this time: a date (midnight UTC) or an RFC 3339 time. Default: now. */
                    to?: string | null;
                    /** @description Send events of these types only. Default: all. */
                    types?: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "transfer.code_available" | "transfer.submitted" | "transfer.stalled" | "brokerage.case_completed" | "listing.changed" | "listing.withdrawn" | "listing.sold" | "offer.created" | "offer.countered" | "offer.accepted" | "offer.declined" | "offer.expired" | "offer.withdrawn")[] | null;
                };
            };
        };
        responses: {
            /** @description Create a replay */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    get_webhook_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The replay to get. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a replay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    cancel_webhook_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The replay to cancel. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a replay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    send_test_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first response again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a test event */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the event, by which the list of deliveries shows its attempts. */
                        event_id: string;
                        /**
                         * @description The type of the event.
                         * @constant
                         */
                        type: "webhook.test";
                        /** @description The URL that it is sent to. */
                        url: string;
                    };
                };
            };
        };
    };
    deliver_event: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of id, timestamp and raw body with dots between (Standard Webhooks), keyed with your secret, or with what follows `whsec_` in it decoded from base64. */
                "webhook-signature": string;
                /** @description Unix time of this attempt in seconds. */
                "webhook-timestamp": string;
                /** @description Lower-case hex HMAC-SHA256 of the raw body, keyed with your secret. */
                "X-Service-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: never;
    };
}
