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
         * From click to commission: what your tracked links brought
         * @description Needs the scope `report`.
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
         * Whether a domain can be bought now, and its price
         * @description Needs the scope `search`.
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
         * Your cases and their outcomes, newest first
         * @description Needs the scope `report`.
         */
        get: operations["list_cases"];
        put?: never;
        /**
         * Open a brokerage case for a buyer
         * @description Needs the scope `broker`.
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
         * One of your cases, with its offers and timeline
         * @description Needs the scope `broker`.
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
         * A new progress link for the buyer; the old one ends
         * @description Needs the scope `broker`.
         */
        post: operations["renew_progress_link"];
        /**
         * End the progress link of the buyer
         * @description Needs the scope `broker`.
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
         * Whether a domain can be brokered
         * @description Needs the scope `broker`.
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
         * Make a checkout link: the house collects, you earn a commission
         * @description Needs the scope `embed`.
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
         * One of your checkout sessions
         * @description Needs the scope `embed`.
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
         * One domain: price, availability, metadata
         * @description Needs the scope `search`.
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
         * The at most five domains that fit a query best
         * @description Needs the scope `search`.
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
         * Event history, oldest first
         * @description Needs the scope `webhook`.
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
         * Your tracked links, newest first, with what they brought
         * @description Needs the scope `refer`.
         */
        get: operations["list_links"];
        put?: never;
        /**
         * Make a tracked link
         * @description Needs the scope `refer`.
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
         * Clicks on your tracked links, by day
         * @description Needs the scope `report`.
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
         * What the house owes you in commissions, entry by entry, newest first
         * @description Needs the scope `report`.
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
         * What the house paid you as an affiliate, newest first
         * @description Needs the scope `report`.
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
         * Sales that your tracked links brought, newest first
         * @description Needs the scope `report`.
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
    "/api/partner/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your orders, newest first
         * @description Needs the scope `search` or `buy`.
         */
        get: operations["list_orders"];
        put?: never;
        /**
         * Record a sale that you collected
         * @description Needs the scope `buy`.
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
         * One of your orders, with its transfer and timeline
         * @description Needs the scope `search` or `buy`.
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
    "/api/partner/v1/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the house paid you, newest first
         * @description Needs the scope `report`.
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
         * One payout with the commissions that it pays
         * @description Needs the scope `report`.
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
         * Buy-now price and floor price of a listed domain
         * @description Needs the scope `search`.
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
         * Reserve a domain at a firm price for 10 minutes
         * @description Needs the scope `buy`.
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
         * One of your quotes
         * @description Needs the scope `buy`.
         */
        get: operations["get_quote"];
        put?: never;
        post?: never;
        /**
         * Release a quote before it lapses
         * @description Needs the scope `buy`.
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
         * Refund all of an order before its delivery; there is no refund of a part
         * @description Needs the scope `buy`.
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
         * Sandbox: play the broker, move a case
         * @description Needs the scope `broker`. There for sandbox credentials only.
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
         * Sandbox: play the broker, record an offer
         * @description Needs the scope `broker`. There for sandbox credentials only.
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
         * Sandbox: play the broker, record the answer to an offer
         * @description Needs the scope `broker`. There for sandbox credentials only.
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
         * Sandbox: let time pass
         * @description Needs the scope `buy`. There for sandbox credentials only.
         */
        post: operations["sandbox_advance_clock"];
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
         * Sandbox: play the operator, clear review
         * @description Needs the scope `buy`. There for sandbox credentials only.
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
         * Sandbox: play the operator, complete transfer
         * @description Needs the scope `buy`. There for sandbox credentials only.
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
         * Sandbox: play the operator, fail transfer
         * @description Needs the scope `buy`. There for sandbox credentials only.
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
         * Sandbox: play the operator, start transfer
         * @description Needs the scope `buy`. There for sandbox credentials only.
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
         * Sandbox: start over
         * @description Needs the scope `buy`. There for sandbox credentials only.
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
         * Sandbox: close your settlement period
         * @description Needs the scope `buy`. There for sandbox credentials only.
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
         * Statements by period, newest first, the open one included
         * @description Needs the scope `buy`.
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
         * One statement with its lines; as CSV on request
         * @description Needs the scope `buy`.
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
         * Your sales by every payment model, newest first, with totals
         * @description Needs the scope `report`.
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
         * The registered webhook endpoint
         * @description Needs the scope `webhook`.
         */
        get: operations["get_webhook"];
        /**
         * Register or update the webhook endpoint
         * @description Needs the scope `webhook`.
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
         * Delivery attempts, newest first
         * @description Needs the scope `webhook`.
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
         * Send the event of a delivery again
         * @description Needs the scope `webhook`.
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
         * Replays, newest first
         * @description Needs the scope `webhook`.
         */
        get: operations["list_webhook_replays"];
        put?: never;
        /**
         * Send the events of a span of time again
         * @description Needs the scope `webhook`.
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
         * How far a replay is
         * @description Needs the scope `webhook`.
         */
        get: operations["get_webhook_replay"];
        put?: never;
        post?: never;
        /**
         * End a replay early
         * @description Needs the scope `webhook`.
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
         * Send a test event to the webhook endpoint
         * @description Needs the scope `webhook`.
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
         * @description Check a signature over the raw body first, answer within five seconds, and keep the ids that you have handled: an event may come more than once. `type` says what `data` holds; more types may be added.
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
        /** @description Every error of every endpoint has this form. */
        Error: {
            error: {
                /** @description What went wrong, for programs. */
                code: string;
                /** @description Of a validation_error: a list of `{field, issue}`. */
                details?: unknown;
                /** @description What went wrong, for people. */
                message: string;
                /** @description The X-Request-Id of the answer. */
                request_id: string;
            };
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
                /** @description From this UTC day on. */
                from?: string;
                /** @description Before this date; of a time, its whole UTC day counts. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description From click to commission: what your tracked links brought */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        from: string | null;
                        series: {
                            checkouts: number;
                            clicks: number;
                            /** @description Your commission. */
                            commission_cents: number;
                            /** Format: date */
                            date: string;
                            /** @description What was sold, at its prices. */
                            gmv_cents: number;
                            sales: number;
                        }[];
                        to: string | null;
                        totals: {
                            checkouts: number;
                            clicks: number;
                            /** @description Your commission. */
                            commission_cents: number;
                            /** @description What was sold, at its prices. */
                            gmv_cents: number;
                            sales: number;
                        };
                    };
                };
            };
        };
    };
    check_availability: {
        parameters: {
            query: {
                /** @description In any case, as A-labels or U-labels. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether a domain can be bought now, and its price */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether it can be bought now; what somebody has reserved cannot. */
                        available: boolean;
                        currency: string | null;
                        domain: string;
                        price_cents: number | null;
                    };
                };
            };
        };
    };
    list_cases: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description In any case, as A-labels or U-labels. */
                domain?: string;
                /** @description At or after: a date (UTC) or an RFC 3339 time. */
                from?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Only in this status. */
                status?: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                /** @description Only of this tier. */
                tier?: "managed" | "self_serve";
                /** @description Before: a date (UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your cases and their outcomes, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cases: {
                            budget: number;
                            case_id: string;
                            /** @description Your commission. */
                            commission_cents: number | null;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            domain: string;
                            price_cents: number | null;
                            /** @enum {string} */
                            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                            /** @enum {string} */
                            tier: "managed" | "self_serve";
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                        /** @description Null: this is the last page. */
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
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
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
                     * @description Where the buyer is told how the case goes.
                     */
                    buyer_email: string;
                    /** @description ISO 4217. Default: USD. */
                    currency?: string | null;
                    /** @description In any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description For the broker; the page of the buyer does not show it. */
                    note?: string | null;
                    /**
                     * @description With `self_serve` the buyer makes and answers offers on the progress page.
                     * @enum {string}
                     */
                    tier: "managed" | "self_serve";
                };
            };
        };
        responses: {
            /** @description Open a brokerage case for a buyer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        budget: number;
                        buyer_email: string;
                        case_id: string;
                        /** @description Your commission. */
                        commission_cents: number | null;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        note: string | null;
                        offers: {
                            answered_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            made_by: "buyer" | "owner";
                            message: string | null;
                            offer_id: string;
                            price_cents: number;
                            /** @enum {string} */
                            status: "open" | "accepted" | "rejected" | "countered" | "replaced" | "lapsed";
                        }[];
                        price_cents: number | null;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                        /** @enum {string} */
                        status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                        /** @enum {string} */
                        tier: "managed" | "self_serve";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            by: ("buyer" | "owner") | null;
                            note: string | null;
                            price_cents: number | null;
                            /** @enum {string} */
                            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                            /** @enum {string} */
                            type: "brokerage.case_opened" | "brokerage.case_sourcing" | "brokerage.case_contacted" | "brokerage.case_negotiating" | "brokerage.case_agreed" | "brokerage.case_completed" | "brokerage.case_declined" | "brokerage.case_no_contact" | "brokerage.case_cancelled" | "brokerage.contact_tried" | "brokerage.offer_made" | "brokerage.offer_accepted" | "brokerage.offer_rejected" | "brokerage.budget_raised";
                        }[];
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    get_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of your cases. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One of your cases, with its offers and timeline */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        budget: number;
                        buyer_email: string;
                        case_id: string;
                        /** @description Your commission. */
                        commission_cents: number | null;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        note: string | null;
                        offers: {
                            answered_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            made_by: "buyer" | "owner";
                            message: string | null;
                            offer_id: string;
                            price_cents: number;
                            /** @enum {string} */
                            status: "open" | "accepted" | "rejected" | "countered" | "replaced" | "lapsed";
                        }[];
                        price_cents: number | null;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                        /** @enum {string} */
                        status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                        /** @enum {string} */
                        tier: "managed" | "self_serve";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            by: ("buyer" | "owner") | null;
                            note: string | null;
                            price_cents: number | null;
                            /** @enum {string} */
                            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                            /** @enum {string} */
                            type: "brokerage.case_opened" | "brokerage.case_sourcing" | "brokerage.case_contacted" | "brokerage.case_negotiating" | "brokerage.case_agreed" | "brokerage.case_completed" | "brokerage.case_declined" | "brokerage.case_no_contact" | "brokerage.case_cancelled" | "brokerage.contact_tried" | "brokerage.offer_made" | "brokerage.offer_accepted" | "brokerage.offer_rejected" | "brokerage.budget_raised";
                        }[];
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    renew_progress_link: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your cases. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A new progress link for the buyer; the old one ends */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        case_id: string;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                    };
                };
            };
        };
    };
    revoke_progress_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of your cases. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End the progress link of the buyer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        case_id: string;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                    };
                };
            };
        };
    };
    check_brokerage_eligibility: {
        parameters: {
            query: {
                /** @description In any case, as A-labels or U-labels. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether a domain can be brokered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        domain: string;
                        /** @description Null when nobody can tell: a case may be opened, and a broker looks. */
                        eligible: boolean | null;
                        reason: ("active_site" | "already_in_case" | "listed_for_sale") | null;
                    };
                };
            };
        };
    };
    create_checkout_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What you know of the buyer, to be filled in beforehand. */
                    buyer?: {
                        /** @description ISO 3166-1 alpha-2, such as DE. */
                        country?: string | null;
                        /** @description An e-mail address. */
                        email?: string | null;
                        /** @description In full. */
                        name?: string | null;
                    } | null;
                    /** @description Where a buyer who would not pay goes back. */
                    cancel_url?: string | null;
                    /** @description In any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description Your reference of the session. */
                    external_ref?: string | null;
                    /** @description Up to 50 values of your own. */
                    metadata?: {
                        [key: string]: string | number | boolean | null;
                    } | null;
                    /** @description Where the buyer goes after paying; `checkout_session_id` and `public_id` are added. */
                    return_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Make a checkout link: the house collects, you earn a commission */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The page to send the buyer to. */
                        checkout_url: string;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        /** Format: date-time */
                        expires_at: string;
                        external_ref: string | null;
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        price_cents: number;
                        public_id: string | null;
                        /** @enum {string} */
                        status: "open" | "paid" | "expired" | "cancelled";
                    };
                };
            };
        };
    };
    get_checkout_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of yours. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One of your checkout sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The page to send the buyer to. */
                        checkout_url: string;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        /** Format: date-time */
                        expires_at: string;
                        external_ref: string | null;
                        id: string;
                        metadata: {
                            [key: string]: unknown;
                        };
                        price_cents: number;
                        public_id: string | null;
                        /** @enum {string} */
                        status: "open" | "paid" | "expired" | "cancelled";
                    };
                };
            };
        };
    };
    get_domain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The domain, in any case, as A-labels or U-labels. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One domain: price, availability, metadata */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether it can be bought now; what somebody has reserved cannot. */
                        available: boolean;
                        currency: string;
                        domain: string;
                        /** @description The least that the house would take. */
                        floor_price_cents: number;
                        metadata: {
                            [key: string]: unknown;
                        };
                        price_cents: number;
                        /** @enum {string} */
                        status: "listed" | "reserved" | "sold";
                        tld: string;
                    };
                };
            };
        };
    };
    search_domains: {
        parameters: {
            query: {
                /** @description Only names for this price or less. */
                max_price_cents?: number;
                /** @description What the buyer looks for, in words, or a name. */
                q: string;
                /** @description Only names on this TLD, such as com or co.uk. */
                tld?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The at most five domains that fit a query best */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        query: string;
                        results: {
                            /** @description Whether it can be bought now; what somebody has reserved cannot. */
                            available: boolean;
                            currency: string;
                            domain: string;
                            price_cents: number;
                            /** @description 1 the name itself, 0.99 its label; below, how much of the query the name answers. */
                            score: number;
                            tld: string;
                            /** @description The words or concepts that matched. */
                            why: string;
                        }[];
                    };
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description The last event that you have handled; those after it are answered. Absent: from the first on. */
                after_id?: string;
                /** @description How many a page holds at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Event history, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: ({
                            /** Format: date-time */
                            created_at: string;
                            data: {
                                order: {
                                    currency: string;
                                    domain: string;
                                    public_id: string;
                                    sale_price_cents: number;
                                    /** @enum {string} */
                                    status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                                };
                            };
                            id: string;
                            /** @enum {string} */
                            type: "order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded";
                        } | {
                            /** Format: date-time */
                            created_at: string;
                            data: {
                                order: {
                                    currency: string;
                                    domain: string;
                                    public_id: string;
                                    sale_price_cents: number;
                                    /** @enum {string} */
                                    status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                                };
                                reason: string | null;
                            };
                            id: string;
                            /** @enum {string} */
                            type: "transfer.failed" | "transfer.action_required";
                        } | {
                            /** Format: date-time */
                            created_at: string;
                            data: {
                                case: {
                                    budget: number;
                                    case_id: string;
                                    /** @description Your commission. */
                                    commission_cents: number;
                                    currency: string;
                                    domain: string;
                                    price_cents: number;
                                    /** @constant */
                                    status: "completed";
                                    /** @enum {string} */
                                    tier: "managed" | "self_serve";
                                };
                            };
                            id: string;
                            /** @constant */
                            type: "brokerage.case_completed";
                        })[];
                        /** @description The next `after_id`. Null: no event follows. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    list_links: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description In any case, as A-labels or U-labels. */
                domain?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description What the link is for: all that you do, one name, or a product. */
                type?: "generic" | "domain" | "product";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your tracked links, newest first, with what they brought */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        links: {
                            clicks: number;
                            /** @description Your commission. */
                            commission_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            domain: string | null;
                            id: string;
                            label: string | null;
                            product: string | null;
                            sale_amount_cents: number;
                            sales: number;
                            /** @enum {string} */
                            type: "generic" | "domain" | "product";
                            url: string;
                        }[];
                        /** @description Null: this is the last page. */
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
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A page of this service, as a URL or a path. Default: home, or the page of the domain. */
                    destination_url?: string | null;
                    /** @description Of type `domain`: the name whose page the link leads to. */
                    domain?: string | null;
                    /** @description For yourself, to tell links apart. */
                    label?: string | null;
                    /** @description Of type `product`: what the link is for, in your own words. */
                    product?: string | null;
                    /**
                     * @description What the link is for: all that you do, one name, or a product.
                     * @enum {string}
                     */
                    type: "generic" | "domain" | "product";
                };
            };
        };
        responses: {
            /** @description Make a tracked link */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        clicks: number;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        domain: string | null;
                        id: string;
                        label: string | null;
                        product: string | null;
                        sale_amount_cents: number;
                        sales: number;
                        /** @enum {string} */
                        type: "generic" | "domain" | "product";
                        url: string;
                    };
                };
            };
        };
    };
    get_clicks: {
        parameters: {
            query?: {
                /** @description From this UTC day on. */
                from?: string;
                /** @description Before this date; of a time, its whole UTC day counts. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Clicks on your tracked links, by day */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Clicks of programs, which are not among the others. */
                        bots: number;
                        from: string | null;
                        series: {
                            clicks: number;
                            /** Format: date */
                            date: string;
                        }[];
                        to: string | null;
                        /** @description Repeats of a visitor within a day included. */
                        total: number;
                        /** @description Without repeats of a visitor within a day. */
                        unique: number;
                    };
                };
            };
        };
    };
    list_commissions: {
        parameters: {
            query?: {
                /** @description ISO 4217: balances of different currencies do not add up. */
                currency?: string;
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description How many a page holds at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the house owes you in commissions, entry by entry, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        balance_cents: number;
                        entries: {
                            /** @description What the entry adds to the balance. */
                            amount_cents: number;
                            /** @description The balance after the entry. */
                            balance_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            id: string;
                            /** @description What earned it: the `public_id` of an order, or the `case_id` of a case. */
                            sale_id: string;
                            /** @enum {string} */
                            type: "accrued" | "pending" | "paid_out" | "reversed";
                        }[];
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    list_own_payouts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Only in this status. */
                status?: "pending" | "processing" | "paid" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the house paid you as an affiliate, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        payouts: {
                            amount_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            id: string;
                            /** @enum {string} */
                            kind: "commission" | "brokerage" | "sale";
                            paid_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "processing" | "paid" | "failed" | "canceled";
                        }[];
                        /** @description Of all payouts that were paid, whatever the filter. */
                        total_paid_cents: number;
                    };
                };
            };
        };
    };
    list_sales: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description At or after: a date (UTC) or an RFC 3339 time. */
                from?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Before: a date (UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sales that your tracked links brought, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        sales: {
                            amount_cents: number;
                            buyer: string;
                            /** @description Your commission. */
                            commission_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            domain: string;
                            id: string;
                            link_id: string;
                            public_id: string;
                            status: string;
                        }[];
                    };
                };
            };
        };
    };
    list_orders: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description In any case, as A-labels or U-labels. */
                domain?: string;
                /** @description At or after: a date (UTC) or an RFC 3339 time. */
                from?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Only in this status. */
                status?: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                /** @description Before: a date (UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your orders, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        orders: {
                            /** @description The price less your commission: what you owe for what you collected. */
                            amount_owed_cents: number;
                            buyer: {
                                country: string | null;
                                email: string;
                                name: string | null;
                            };
                            cancel_url: string | null;
                            /** @description Your commission. */
                            commission_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            domain: string;
                            external_payment_ref: string | null;
                            /** @description Whether an operator must look before the transfer may start. */
                            held: boolean;
                            /** @description Why it is held. */
                            hold_reason: string | null;
                            /** @enum {string} */
                            payment_model: "partner_collected" | "hosted_checkout";
                            public_id: string;
                            quote_id: string | null;
                            return_url: string | null;
                            sale_price_cents: number;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            /** @description What happened, oldest first. */
                            timeline: {
                                /** Format: date-time */
                                at: string;
                                note: string | null;
                                /** @enum {string} */
                                status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                                type: string;
                            }[];
                            transfer: {
                                completed_at: string | null;
                                reason: string | null;
                                started_at: string | null;
                                /** @enum {string} */
                                status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                            };
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                    };
                };
            };
        };
    };
    create_order: {
        parameters: {
            query?: never;
            header: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who gets the domain. */
                    buyer: {
                        /** @description ISO 3166-1 alpha-2, such as DE. */
                        country?: string | null;
                        /**
                         * Format: email
                         * @description An e-mail address.
                         */
                        email: string;
                        /** @description In full. */
                        name?: string | null;
                    };
                    /** @description Kept with the order. */
                    cancel_url?: string | null;
                    /** @description The currency of the listing. Default: USD. */
                    currency?: string | null;
                    /** @description In any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description The price that you expect, in cents. Any other is refused with `price_mismatch`. */
                    expected_price?: number | null;
                    /** @description Your reference of the payment. It pays for one order. */
                    external_payment_ref: string;
                    /** @description The `quote_id` of one of your quotes, or its `quote_token`. */
                    quote_id: string;
                    /** @description Kept with the order. */
                    return_url?: string | null;
                    /** @description It must be the current price: while your quote runs, that of the quote. */
                    sale_price_cents: number;
                };
            };
        };
        responses: {
            /** @description Record a sale that you collected */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        buyer: {
                            country: string | null;
                            email: string;
                            name: string | null;
                        };
                        cancel_url: string | null;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        external_payment_ref: string | null;
                        /** @description Whether an operator must look before the transfer may start. */
                        held: boolean;
                        /** @description Why it is held. */
                        hold_reason: string | null;
                        /** @enum {string} */
                        payment_model: "partner_collected" | "hosted_checkout";
                        public_id: string;
                        quote_id: string | null;
                        return_url: string | null;
                        sale_price_cents: number;
                        /** @enum {string} */
                        status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            note: string | null;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            type: string;
                        }[];
                        transfer: {
                            completed_at: string | null;
                            reason: string | null;
                            started_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                        };
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    get_order: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of your orders. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One of your orders, with its transfer and timeline */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        buyer: {
                            country: string | null;
                            email: string;
                            name: string | null;
                        };
                        cancel_url: string | null;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        external_payment_ref: string | null;
                        /** @description Whether an operator must look before the transfer may start. */
                        held: boolean;
                        /** @description Why it is held. */
                        hold_reason: string | null;
                        /** @enum {string} */
                        payment_model: "partner_collected" | "hosted_checkout";
                        public_id: string;
                        quote_id: string | null;
                        return_url: string | null;
                        sale_price_cents: number;
                        /** @enum {string} */
                        status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            note: string | null;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            type: string;
                        }[];
                        transfer: {
                            completed_at: string | null;
                            reason: string | null;
                            started_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                        };
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    list_payouts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Only in this status. */
                status?: "pending" | "processing" | "paid" | "failed" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the house paid you, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        payouts: {
                            amount_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            id: string;
                            /** @enum {string} */
                            kind: "commission" | "brokerage" | "sale";
                            paid_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "processing" | "paid" | "failed" | "canceled";
                        }[];
                        /** @description Of all payouts that were paid, whatever the filter. */
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
                /** @description One of yours. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One payout with the commissions that it pays */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        id: string;
                        /** @enum {string} */
                        kind: "commission" | "brokerage" | "sale";
                        lines: {
                            amount_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            entry_id: string;
                            /** @description What earned it: the `public_id` of an order, or the `case_id` of a case. */
                            sale_id: string;
                            /** @enum {string} */
                            type: "accrued" | "pending" | "paid_out" | "reversed";
                        }[];
                        paid_at: string | null;
                        /** @enum {string} */
                        status: "pending" | "processing" | "paid" | "failed" | "canceled";
                    };
                };
            };
        };
    };
    get_pricing: {
        parameters: {
            query: {
                /** @description In any case, as A-labels or U-labels. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Buy-now price and floor price of a listed domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        currency: string;
                        domain: string;
                        /** @description The least that the house would take. */
                        floor_price_cents: number;
                        price_cents: number;
                    };
                };
            };
        };
    };
    create_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In any case, as A-labels or U-labels. */
                    domain: string;
                    /** @description The price that you expect, in cents. Any other is refused with `price_mismatch`. */
                    expected_price?: number | null;
                };
            };
        };
        responses: {
            /** @description Reserve a domain at a firm price for 10 minutes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        /** Format: date-time */
                        expires_at: string;
                        price_cents: number;
                        quote_id: string;
                        /** @description The quote as a JWS, to be checked against /.well-known/jwks.json. */
                        quote_token: string;
                        /** @enum {string} */
                        status: "active" | "consumed" | "released" | "expired";
                    };
                };
            };
        };
    };
    get_quote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `quote_id` of one of your quotes, or its `quote_token`. */
                quote_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One of your quotes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        /** Format: date-time */
                        expires_at: string;
                        price_cents: number;
                        quote_id: string;
                        /** @description The quote as a JWS, to be checked against /.well-known/jwks.json. */
                        quote_token: string;
                        /** @enum {string} */
                        status: "active" | "consumed" | "released" | "expired";
                    };
                };
            };
        };
    };
    release_quote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `quote_id` of one of your quotes, or its `quote_token`. */
                quote_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Release a quote before it lapses */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        /** Format: date-time */
                        expires_at: string;
                        price_cents: number;
                        quote_id: string;
                        /** @description The quote as a JWS, to be checked against /.well-known/jwks.json. */
                        quote_token: string;
                        /** @enum {string} */
                        status: "active" | "consumed" | "released" | "expired";
                    };
                };
            };
        };
    };
    request_refund: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why, in words: for the timeline of the order. */
                    note?: string | null;
                    /** @description One of your orders. */
                    public_id: string;
                    /** @description Default: `other`. */
                    reason?: ("duplicate" | "fraudulent" | "requested_by_customer" | "transfer_failed" | "other") | null;
                };
            };
        };
        responses: {
            /** @description Refund all of an order before its delivery; there is no refund of a part */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        public_id: string;
                        refund_id: string;
                        /** @constant */
                        status: "succeeded";
                    };
                };
            };
        };
    };
    sandbox_move_case: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your cases. */
                case_id: string;
                /** @description What the broker does next. */
                move: "source" | "contact" | "negotiate" | "agree" | "complete" | "decline" | "no-contact" | "cancel";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The buyer agreed to a price above the budget.
                     * @default false
                     */
                    buyer_consented?: boolean;
                    /** @description For the buyer and you to read. */
                    note?: string | null;
                    /** @description What was agreed on: `agree` needs it, and `complete` may correct it. */
                    price_cents?: number | null;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the broker, move a case */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        budget: number;
                        buyer_email: string;
                        case_id: string;
                        /** @description Your commission. */
                        commission_cents: number | null;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        note: string | null;
                        offers: {
                            answered_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            made_by: "buyer" | "owner";
                            message: string | null;
                            offer_id: string;
                            price_cents: number;
                            /** @enum {string} */
                            status: "open" | "accepted" | "rejected" | "countered" | "replaced" | "lapsed";
                        }[];
                        price_cents: number | null;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                        /** @enum {string} */
                        status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                        /** @enum {string} */
                        tier: "managed" | "self_serve";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            by: ("buyer" | "owner") | null;
                            note: string | null;
                            price_cents: number | null;
                            /** @enum {string} */
                            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                            /** @enum {string} */
                            type: "brokerage.case_opened" | "brokerage.case_sourcing" | "brokerage.case_contacted" | "brokerage.case_negotiating" | "brokerage.case_agreed" | "brokerage.case_completed" | "brokerage.case_declined" | "brokerage.case_no_contact" | "brokerage.case_cancelled" | "brokerage.contact_tried" | "brokerage.offer_made" | "brokerage.offer_accepted" | "brokerage.offer_rejected" | "brokerage.budget_raised";
                        }[];
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_record_offer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your cases. */
                case_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The buyer agreed to a price above the budget.
                     * @default false
                     */
                    buyer_consented?: boolean;
                    /**
                     * @description Whose offer it is.
                     * @enum {string}
                     */
                    made_by: "buyer" | "owner";
                    /** @description Shown to both sides. */
                    message?: string | null;
                    /** @description What is offered. */
                    price_cents: number;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the broker, record an offer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        budget: number;
                        buyer_email: string;
                        case_id: string;
                        /** @description Your commission. */
                        commission_cents: number | null;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        note: string | null;
                        offers: {
                            answered_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            made_by: "buyer" | "owner";
                            message: string | null;
                            offer_id: string;
                            price_cents: number;
                            /** @enum {string} */
                            status: "open" | "accepted" | "rejected" | "countered" | "replaced" | "lapsed";
                        }[];
                        price_cents: number | null;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                        /** @enum {string} */
                        status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                        /** @enum {string} */
                        tier: "managed" | "self_serve";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            by: ("buyer" | "owner") | null;
                            note: string | null;
                            price_cents: number | null;
                            /** @enum {string} */
                            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                            /** @enum {string} */
                            type: "brokerage.case_opened" | "brokerage.case_sourcing" | "brokerage.case_contacted" | "brokerage.case_negotiating" | "brokerage.case_agreed" | "brokerage.case_completed" | "brokerage.case_declined" | "brokerage.case_no_contact" | "brokerage.case_cancelled" | "brokerage.contact_tried" | "brokerage.offer_made" | "brokerage.offer_accepted" | "brokerage.offer_rejected" | "brokerage.budget_raised";
                        }[];
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_record_answer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description What the other side said. */
                answer: "accept" | "reject";
                /** @description One of your cases. */
                case_id: string;
                /** @description The offer that is open. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The buyer agreed to a price above the budget.
                     * @default false
                     */
                    buyer_consented?: boolean;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the broker, record the answer to an offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        budget: number;
                        buyer_email: string;
                        case_id: string;
                        /** @description Your commission. */
                        commission_cents: number | null;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        note: string | null;
                        offers: {
                            answered_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** @enum {string} */
                            made_by: "buyer" | "owner";
                            message: string | null;
                            offer_id: string;
                            price_cents: number;
                            /** @enum {string} */
                            status: "open" | "accepted" | "rejected" | "countered" | "replaced" | "lapsed";
                        }[];
                        price_cents: number | null;
                        /** @description The page on which the buyer follows the case, without a login. */
                        progress_url: string | null;
                        /** @enum {string} */
                        status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                        /** @enum {string} */
                        tier: "managed" | "self_serve";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            by: ("buyer" | "owner") | null;
                            note: string | null;
                            price_cents: number | null;
                            /** @enum {string} */
                            status: "open" | "sourcing" | "contacted" | "negotiating" | "agreed" | "completed" | "declined" | "no_contact" | "cancelled";
                            /** @enum {string} */
                            type: "brokerage.case_opened" | "brokerage.case_sourcing" | "brokerage.case_contacted" | "brokerage.case_negotiating" | "brokerage.case_agreed" | "brokerage.case_completed" | "brokerage.case_declined" | "brokerage.case_no_contact" | "brokerage.case_cancelled" | "brokerage.contact_tried" | "brokerage.offer_made" | "brokerage.offer_accepted" | "brokerage.offer_rejected" | "brokerage.budget_raised";
                        }[];
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_advance_clock: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How much time passes, in seconds; a year at most. */
                    advance_seconds: number;
                };
            };
        };
        responses: {
            /** @description Sandbox: let time pass */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        advanced_seconds: number;
                        checkout_sessions_expired: number;
                        deliveries_due: number;
                        quotes_expired: number;
                        settlements_closed: string[];
                    };
                };
            };
        };
    };
    sandbox_clear_review: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your orders. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why, for the timeline of the order. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the operator, clear review */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        buyer: {
                            country: string | null;
                            email: string;
                            name: string | null;
                        };
                        cancel_url: string | null;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        external_payment_ref: string | null;
                        /** @description Whether an operator must look before the transfer may start. */
                        held: boolean;
                        /** @description Why it is held. */
                        hold_reason: string | null;
                        /** @enum {string} */
                        payment_model: "partner_collected" | "hosted_checkout";
                        public_id: string;
                        quote_id: string | null;
                        return_url: string | null;
                        sale_price_cents: number;
                        /** @enum {string} */
                        status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            note: string | null;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            type: string;
                        }[];
                        transfer: {
                            completed_at: string | null;
                            reason: string | null;
                            started_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                        };
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_complete_transfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your orders. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why, for the timeline of the order. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the operator, complete transfer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        buyer: {
                            country: string | null;
                            email: string;
                            name: string | null;
                        };
                        cancel_url: string | null;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        external_payment_ref: string | null;
                        /** @description Whether an operator must look before the transfer may start. */
                        held: boolean;
                        /** @description Why it is held. */
                        hold_reason: string | null;
                        /** @enum {string} */
                        payment_model: "partner_collected" | "hosted_checkout";
                        public_id: string;
                        quote_id: string | null;
                        return_url: string | null;
                        sale_price_cents: number;
                        /** @enum {string} */
                        status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            note: string | null;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            type: string;
                        }[];
                        transfer: {
                            completed_at: string | null;
                            reason: string | null;
                            started_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                        };
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_fail_transfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your orders. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why, for the timeline of the order. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the operator, fail transfer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        buyer: {
                            country: string | null;
                            email: string;
                            name: string | null;
                        };
                        cancel_url: string | null;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        external_payment_ref: string | null;
                        /** @description Whether an operator must look before the transfer may start. */
                        held: boolean;
                        /** @description Why it is held. */
                        hold_reason: string | null;
                        /** @enum {string} */
                        payment_model: "partner_collected" | "hosted_checkout";
                        public_id: string;
                        quote_id: string | null;
                        return_url: string | null;
                        sale_price_cents: number;
                        /** @enum {string} */
                        status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            note: string | null;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            type: string;
                        }[];
                        transfer: {
                            completed_at: string | null;
                            reason: string | null;
                            started_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                        };
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_start_transfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of your orders. */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why, for the timeline of the order. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Sandbox: play the operator, start transfer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        buyer: {
                            country: string | null;
                            email: string;
                            name: string | null;
                        };
                        cancel_url: string | null;
                        /** @description Your commission. */
                        commission_cents: number;
                        /** Format: date-time */
                        created_at: string;
                        currency: string;
                        domain: string;
                        external_payment_ref: string | null;
                        /** @description Whether an operator must look before the transfer may start. */
                        held: boolean;
                        /** @description Why it is held. */
                        hold_reason: string | null;
                        /** @enum {string} */
                        payment_model: "partner_collected" | "hosted_checkout";
                        public_id: string;
                        quote_id: string | null;
                        return_url: string | null;
                        sale_price_cents: number;
                        /** @enum {string} */
                        status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        /** @description What happened, oldest first. */
                        timeline: {
                            /** Format: date-time */
                            at: string;
                            note: string | null;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                            type: string;
                        }[];
                        transfer: {
                            completed_at: string | null;
                            reason: string | null;
                            started_at: string | null;
                            /** @enum {string} */
                            status: "pending" | "in_progress" | "action_required" | "failed" | "completed" | "cancelled";
                        };
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
        };
    };
    sandbox_reset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sandbox: start over */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        reset: true;
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
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sandbox: close your settlement period */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        order_count: number;
                        settlements: {
                            /** @description The price less your commission: what you owe for what you collected. */
                            amount_owed_cents: number;
                            /** @description Your commission. */
                            commission_retained_cents: number;
                            currency: string;
                            /** @description What was delivered in the period, at its prices. */
                            gross_sold_cents: number;
                            id: string;
                            order_count: number;
                            /** @description Null while the period is open. */
                            period_end: string | null;
                            /** Format: date-time */
                            period_start: string;
                            /** @description What was refunded before its delivery: nothing is owed for it. */
                            refunded_cents: number;
                            /** @enum {string} */
                            status: "open" | "closed";
                        }[];
                    };
                };
            };
        };
    };
    list_settlements: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description How many a page holds at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Statements by period, newest first, the open one included */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        settlements: {
                            /** @description The price less your commission: what you owe for what you collected. */
                            amount_owed_cents: number;
                            /** @description Your commission. */
                            commission_retained_cents: number;
                            currency: string;
                            /** @description What was delivered in the period, at its prices. */
                            gross_sold_cents: number;
                            id: string;
                            order_count: number;
                            /** @description Null while the period is open. */
                            period_end: string | null;
                            /** Format: date-time */
                            period_start: string;
                            /** @description What was refunded before its delivery: nothing is owed for it. */
                            refunded_cents: number;
                            /** @enum {string} */
                            status: "open" | "closed";
                        }[];
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
                /** @description One of yours. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One statement with its lines; as CSV on request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The price less your commission: what you owe for what you collected. */
                        amount_owed_cents: number;
                        /** @description Your commission. */
                        commission_retained_cents: number;
                        currency: string;
                        /** @description What was delivered in the period, at its prices. */
                        gross_sold_cents: number;
                        id: string;
                        lines: {
                            /** @description Your commission. */
                            commission_cents: number;
                            completed_at: string | null;
                            domain: string;
                            gross_cents: number;
                            owed_cents: number;
                            public_id: string;
                            /** @enum {string} */
                            type: "sale" | "refund";
                        }[];
                        order_count: number;
                        /** @description Null while the period is open. */
                        period_end: string | null;
                        /** Format: date-time */
                        period_start: string;
                        /** @description What was refunded before its delivery: nothing is owed for it. */
                        refunded_cents: number;
                        /** @enum {string} */
                        status: "open" | "closed";
                    };
                    "text/csv": string;
                };
            };
        };
    };
    list_transactions: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description At or after: a date (UTC) or an RFC 3339 time. */
                from?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Only sales of this kind. */
                payment_model?: "partner_collected" | "hosted_checkout" | "brokerage";
                /** @description Only in this status. */
                status?: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED" | "completed";
                /** @description Before: a date (UTC) or an RFC 3339 time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your sales by every payment model, newest first, with totals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        /** @description Of everything that the filter finds, not of this page alone. */
                        totals: {
                            /** @description Your commission. */
                            commission_cents: number;
                            count: number;
                            /** @description What was sold, at its prices. */
                            gmv_cents: number;
                        };
                        transactions: {
                            amount_cents: number;
                            /** @description Your commission. */
                            commission_cents: number;
                            /** Format: date-time */
                            created_at: string;
                            currency: string;
                            domain: string;
                            /** @enum {string} */
                            payment_model: "partner_collected" | "hosted_checkout" | "brokerage";
                            public_id: string;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED" | "completed";
                        }[];
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
            /** @description The registered webhook endpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether events are sent to it. */
                        active: boolean;
                        /** Format: date-time */
                        created_at: string;
                        /** @description Why it was switched off. */
                        inactive_reason: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        url: string;
                    };
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
                    /** @description What deliveries are signed with: 16 to 128 characters. */
                    secret: string;
                    /** @description https on a public address. The sandbox of a service on your own machine takes http and loopback, too. */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Register or update the webhook endpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether events are sent to it. */
                        active: boolean;
                        /** Format: date-time */
                        created_at: string;
                        /** @description Why it was switched off. */
                        inactive_reason: string | null;
                        /** Format: date-time */
                        updated_at: string;
                        url: string;
                    };
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description Only attempts to deliver this event. */
                event_id?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description Whether the receiver answered 2xx within five seconds. */
                result?: "delivered" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delivery attempts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /** Format: date-time */
                            at: string;
                            attempt: number;
                            duration_ms: number;
                            error: string | null;
                            event_id: string;
                            id: string;
                            /** @description How the answer of the receiver began, 1 KiB at most. */
                            response_body: string | null;
                            /** @description Null when no answer came. */
                            response_status: number | null;
                            type: string;
                        }[];
                        /** @description Null: this is the last page. */
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
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description One of yours. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send the event of a delivery again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event_id: string;
                        type: string;
                    };
                };
            };
        };
    };
    list_webhook_replays: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                /** @description How many a page holds at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replays, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null: this is the last page. */
                        next_cursor: string | null;
                        replays: {
                            /** Format: date-time */
                            created_at: string;
                            delivered_count: number;
                            ended_at: string | null;
                            event_count: number;
                            /** @description How many were given up. */
                            failed_count: number;
                            /** Format: date-time */
                            from: string;
                            id: string;
                            /** @description How many were handed to the deliveries so far. */
                            queued_count: number;
                            /** @enum {string} */
                            status: "running" | "done" | "cancelled";
                            /** Format: date-time */
                            to: string;
                            types: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "brokerage.case_completed")[] | null;
                        }[];
                    };
                };
            };
        };
    };
    create_webhook_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description At or after: a date (UTC) or an RFC 3339 time. */
                    from: string;
                    /** @description Before: a date (UTC) or an RFC 3339 time. */
                    to?: string | null;
                    /** @description Only these types. Absent: all. */
                    types?: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "brokerage.case_completed")[] | null;
                };
            };
        };
        responses: {
            /** @description Send the events of a span of time again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        delivered_count: number;
                        ended_at: string | null;
                        event_count: number;
                        /** @description How many were given up. */
                        failed_count: number;
                        /** Format: date-time */
                        from: string;
                        id: string;
                        /** @description How many were handed to the deliveries so far. */
                        queued_count: number;
                        /** @enum {string} */
                        status: "running" | "done" | "cancelled";
                        /** Format: date-time */
                        to: string;
                        types: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "brokerage.case_completed")[] | null;
                    };
                };
            };
        };
    };
    get_webhook_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of yours. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How far a replay is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        delivered_count: number;
                        ended_at: string | null;
                        event_count: number;
                        /** @description How many were given up. */
                        failed_count: number;
                        /** Format: date-time */
                        from: string;
                        id: string;
                        /** @description How many were handed to the deliveries so far. */
                        queued_count: number;
                        /** @enum {string} */
                        status: "running" | "done" | "cancelled";
                        /** Format: date-time */
                        to: string;
                        types: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "brokerage.case_completed")[] | null;
                    };
                };
            };
        };
    };
    cancel_webhook_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of yours. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End a replay early */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        delivered_count: number;
                        ended_at: string | null;
                        event_count: number;
                        /** @description How many were given up. */
                        failed_count: number;
                        /** Format: date-time */
                        from: string;
                        id: string;
                        /** @description How many were handed to the deliveries so far. */
                        queued_count: number;
                        /** @enum {string} */
                        status: "running" | "done" | "cancelled";
                        /** Format: date-time */
                        to: string;
                        types: ("order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded" | "transfer.failed" | "transfer.action_required" | "brokerage.case_completed")[] | null;
                    };
                };
            };
        };
    };
    send_test_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a test event to the webhook endpoint */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        type: "webhook.test";
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
                "application/json": {
                    /** Format: date-time */
                    created_at: string;
                    data: {
                        order: {
                            currency: string;
                            domain: string;
                            public_id: string;
                            sale_price_cents: number;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        };
                    };
                    id: string;
                    partner_id: string;
                    /** @enum {string} */
                    type: "order.recorded" | "order.paid" | "order.manual_review_cleared" | "order.transfer_started" | "order.transfer_completed" | "order.settled" | "order.refunded";
                } | {
                    /** Format: date-time */
                    created_at: string;
                    data: {
                        order: {
                            currency: string;
                            domain: string;
                            public_id: string;
                            sale_price_cents: number;
                            /** @enum {string} */
                            status: "EXTERNALLY_PAID" | "PAID" | "TRANSFER_IN_PROGRESS" | "TRANSFER_COMPLETED" | "SETTLED" | "REFUNDED" | "CANCELLED";
                        };
                        reason: string | null;
                    };
                    id: string;
                    partner_id: string;
                    /** @enum {string} */
                    type: "transfer.failed" | "transfer.action_required";
                } | {
                    /** Format: date-time */
                    created_at: string;
                    data: {
                        case: {
                            budget: number;
                            case_id: string;
                            commission_cents: number;
                            currency: string;
                            domain: string;
                            price_cents: number;
                            /** @constant */
                            status: "completed";
                            /** @enum {string} */
                            tier: "managed" | "self_serve";
                        };
                    };
                    id: string;
                    partner_id: string;
                    /** @constant */
                    type: "brokerage.case_completed";
                } | {
                    /** Format: date-time */
                    created_at: string;
                    data: {
                        message: string;
                    };
                    id: string;
                    partner_id: string;
                    /** @constant */
                    type: "webhook.test";
                };
            };
        };
        responses: never;
    };
}
