// Made by `npm run client-types` from the OpenAPI documents of the service.

export interface paths {
    "/api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this API offers
         * @description Answers 401 with a challenge that names the metadata of the authorization server when no token is sent, and an index of the operations when a valid one is.
         */
        get: operations["get_api_index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a batch can hold
         * @description The catalogue of the operations that a batch can hold, with the JSON Schemas of their params.
         */
        get: operations["list_batch_operations"];
        put?: never;
        /**
         * Up to 20 reads in one request
         * @description Runs up to 20 operations at once, each as its single call would: with its own status, its own error and its own count against the limits. A bad entry fails alone. GET on this path lists the operations with the JSON Schemas of their params.
         */
        post: operations["run_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domain/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Whether a domain is available, and its siblings on other TLDs
         * @description Says whether a name can be registered, is for sale here, or is taken, and the same for its label on other TLDs. Give a whole name (example.com) or a bare label (example). Use it when somebody wants a name; for the details of a registration use whois_lookup. Marketplace prices are null without an access token. With `Accept: application/x-ndjson` each result is a line of its own, sent as soon as it is known.
         */
        post: operations["search_domain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/domains/bulk/{op}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * One change to up to 1,000 domains that you own
         * @description Applies one operation to up to 1,000 domains of the user who has signed in: with the session of the pages, or with a personal access token that the user made. Each name succeeds or fails by itself. With `dry_run` nothing is changed, and the answer says what would happen. Renewals are charged from the price book to the payment method that the user saved, all of a call in one charge; a name is renewed only once the charge has succeeded, and has the status 202 until its outcome is known.
         */
        post: operations["change_domains"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/listings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Domains for sale on this marketplace
         * @description Lists the domains that this marketplace sells, a page at a time. Use it to browse or filter what is on offer; to ask about one name, use search_domain. Follow page.next_cursor until it is null. Prices are null without an access token.
         */
        get: operations["list_listings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pricing/tld": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The price to register, renew, transfer or restore on a top-level domain
         * @description Tells the current USD price of one operation on a top-level domain (or a suffix such as co.uk). It is the price of an ordinary name; names listed in the marketplace have prices of their own.
         */
        get: operations["tld_registration_price"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tlds/{tld}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What registering on a top-level domain requires
         * @description Tells who may register names on a top-level domain (or a suffix such as co.uk), for how many years, with which name servers, and what its registry supports. Use it before offering a registration.
         */
        get: operations["tld_requirements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/whois": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Who a domain is registered with, and until when
         * @description Looks a domain up at its registry, by RDAP or else WHOIS: registrar, dates, name servers, status. A name below a registered one is answered as the registered one. Persons are never named. Use domain search instead to learn whether and for how much a name can be had.
         */
        post: operations["whois_lookup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
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
    get_api_index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What this API offers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uri */
                        batch_url: string;
                        /** Format: uri */
                        documentation_url: string;
                        /** Format: uri */
                        openapi_url: string;
                        operations: {
                            /** @enum {string} */
                            method: "GET" | "POST";
                            op: string;
                            path: string;
                            summary: string;
                        }[];
                    };
                };
            };
        };
    };
    list_batch_operations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a batch can hold */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        max_operations: number;
                        operations: {
                            description: string;
                            /** @enum {string} */
                            method: "GET" | "POST";
                            op: string;
                            /** @description A JSON Schema. */
                            params: {
                                [key: string]: unknown;
                            };
                            path: string;
                        }[];
                    };
                };
            };
        };
    };
    run_batch: {
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
                    operations: {
                        id: string;
                        op: string;
                        /** @default {} */
                        params?: {
                            [key: string]: unknown;
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Up to 20 reads in one request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        /** @description How many have a status of 400 or more. */
                        failed: number;
                        /** @description In the order of the operations. */
                        results: {
                            /** @description The single call's answer, or an error of the usual form. */
                            body: {
                                [key: string]: unknown;
                            };
                            /** @description How many requests the entry counted as. */
                            cost: number;
                            /** @description As given; null when the entry had none. */
                            id: string | null;
                            op: string | null;
                            /** @description What the single call would have answered. */
                            status: number;
                        }[];
                    };
                };
            };
        };
    };
    search_domain: {
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
                    /** @description A domain name, or the label before its first dot. */
                    q: string;
                };
            };
        };
        responses: {
            /** @description Whether a domain is available, and its siblings on other TLDs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        query: string;
                        /** @description The asked name first. */
                        results: {
                            /** @description Whether it can be had now, by registering it or by buying it here; null is unknown. */
                            available: boolean | null;
                            /** Format: date-time */
                            checked_at: string;
                            currency: string | null;
                            domain: string;
                            listing: {
                                currency: string;
                                /** @description Null while `price_masked` is true. */
                                price_cents: number | null;
                                /** @description True for callers without a token. */
                                price_masked: boolean;
                                /**
                                 * Format: uri
                                 * @description The page that sells it.
                                 */
                                url: string;
                            } | null;
                            /** @description What a first registration costs, when the name is available and we offer its TLD. */
                            registration_price_cents: number | null;
                            /**
                             * @description Who said so: this marketplace of what it sells, else a registry.
                             * @enum {string}
                             */
                            source: "marketplace" | "simulated" | "rdap" | "whois";
                            /**
                             * @description `available` to register, `listed` for sale here, `registered` by somebody.
                             * @enum {string}
                             */
                            state: "available" | "listed" | "registered" | "unknown";
                            tld: string;
                        }[];
                    };
                    "application/x-ndjson": {
                        /** @description Whether it can be had now, by registering it or by buying it here; null is unknown. */
                        available: boolean | null;
                        /** Format: date-time */
                        checked_at: string;
                        currency: string | null;
                        domain: string;
                        /** @constant */
                        kind: "row";
                        listing: {
                            currency: string;
                            /** @description Null while `price_masked` is true. */
                            price_cents: number | null;
                            /** @description True for callers without a token. */
                            price_masked: boolean;
                            /**
                             * Format: uri
                             * @description The page that sells it.
                             */
                            url: string;
                        } | null;
                        /** @description What a first registration costs, when the name is available and we offer its TLD. */
                        registration_price_cents: number | null;
                        /**
                         * @description Who said so: this marketplace of what it sells, else a registry.
                         * @enum {string}
                         */
                        source: "marketplace" | "simulated" | "rdap" | "whois";
                        /**
                         * @description `available` to register, `listed` for sale here, `registered` by somebody.
                         * @enum {string}
                         */
                        state: "available" | "listed" | "registered" | "unknown";
                        tld: string;
                    };
                };
            };
        };
    };
    change_domains: {
        parameters: {
            query?: never;
            header?: {
                /** @description Of your choice, such as a UUID. A repeat with it gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                op: "lock" | "unlock" | "set_auto_renew" | "set_nameservers" | "set_privacy" | "renew" | "list_for_sale" | "set_price" | "delist";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    domains: string[];
                    /** @default false */
                    dry_run?: boolean;
                    /** @description What the operation needs. */
                    params?: {
                        /** @description For set_auto_renew and set_privacy. */
                        enabled?: boolean;
                        /** @description The least that would be taken; the price when absent. */
                        floor_price_cents?: number;
                        /** @description For set_nameservers; an empty list takes them away. */
                        nameservers?: string[];
                        /** @description For list_for_sale and set_price, in US cents. */
                        price_cents?: number;
                        /** @description For renew. */
                        years?: number;
                    };
                };
            };
        };
        responses: {
            /** @description One change to up to 1,000 domains that you own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        dry_run: boolean;
                        failed: number;
                        /** @enum {string} */
                        op: "lock" | "unlock" | "set_auto_renew" | "set_nameservers" | "set_privacy" | "renew" | "list_for_sale" | "set_price" | "delist";
                        /** @description Renewals whose charge is under way; a mail says what became of it. */
                        pending: number;
                        /** @description In the order of the domains. */
                        results: {
                            domain: string;
                            /** @description Why it failed, as an error of any endpoint says it. */
                            error?: {
                                code: string;
                                details?: unknown;
                                message: string;
                                request_id: string;
                            };
                            /** @description What a call for this name alone would have answered. */
                            status: number;
                        }[];
                        succeeded: number;
                    };
                };
            };
        };
    };
    list_listings: {
        parameters: {
            query?: {
                /** @description The `page.next_cursor` of the page before, with the same filters and sort. */
                cursor?: string;
                /** @description How many a page holds at most. */
                limit?: number;
                /** @description The highest price, in cents; with a token, as `min`. */
                max?: number;
                /** @description How many characters the name before its first dot may have, as A-labels. */
                max_length?: number;
                /** @description The lowest price, in cents. It would tell what is masked, so it needs a token. */
                min?: number;
                /** @description How many to pass over. Only a cursor keeps its place when names are sold meanwhile. */
                offset?: number;
                /** @description Words that the name before its first dot must all hold; one of one or two characters begins it. */
                q?: string;
                sort?: "newest" | "price_asc" | "price_desc";
                /** @description What follows the first dot, such as com. */
                tld?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Domains for sale on this marketplace */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            currency: string;
                            domain: string;
                            /** Format: date-time */
                            listed_at: string;
                            /** @description Null while `price_masked` is true. */
                            price_cents: number | null;
                            /** @description True for callers without a token. */
                            price_masked: boolean;
                            tld: string;
                        }[];
                        page: {
                            has_more: boolean;
                            limit: number;
                            next_cursor: string | null;
                            offset: number;
                            total: number;
                        };
                    };
                };
            };
        };
    };
    tld_registration_price: {
        parameters: {
            query: {
                /** @description restore: take an expired name back, its renewal included */
                op?: "register" | "renew" | "transfer" | "restore";
                /** @description Such as com, co.uk or xn--p1ai; a leading dot is ignored */
                tld: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The price to register, renew, transfer or restore on a top-level domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        currency: "USD";
                        /** @enum {string} */
                        op: "register" | "renew" | "transfer" | "restore";
                        /** @description For all the years together */
                        price_cents: number;
                        /** @description Lower-case A-labels */
                        tld: string;
                        /** @description What the price is for: the fewest years that can be had */
                        years: number;
                    };
                };
            };
        };
    };
    tld_requirements: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Such as com, co.uk or xn--p1ai; a leading dot is ignored */
                tld: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What registering on a top-level domain requires */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the delegation can be signed */
                        dnssec: boolean;
                        /** @description Days after the expiry in which a renewal is still an ordinary one */
                        grace_days: number;
                        /** @description Whether internationalised names can be registered */
                        idn: boolean;
                        nameservers: {
                            max: number;
                            min: number;
                            /** @description Whether a name is registered only with working name servers */
                            required: boolean;
                        };
                        /** @description Who may register; null: anyone */
                        organization: string | null;
                        /** @description Whether a privacy service may stand in for the registrant */
                        privacy: boolean;
                        /** @description ISO 3166 codes of the countries that registrants are from; null: any */
                        registrant_countries: string[] | null;
                        /** @description The years that a registration may last */
                        term: {
                            max_years: number;
                            min_years: number;
                        };
                        /** @description Lower-case A-labels */
                        tld: string;
                        /**
                         * @description As in IANA's root database; reserved: by RFC 2606
                         * @enum {string}
                         */
                        type: "generic" | "generic-restricted" | "sponsored" | "country-code" | "infrastructure" | "reserved";
                    };
                };
            };
        };
    };
    whois_lookup: {
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
                    /** @description Such as example.com */
                    domain: string;
                };
            };
        };
        responses: {
            /** @description Who a domain is registered with, and until when */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description When the registry was asked; answers are kept for a while
                         */
                        checked_at: string;
                        created_at: string | null;
                        /** @description Whether the delegation is signed; null: not said */
                        dnssec: boolean | null;
                        /** @description The registered name that the answer is about, in A-labels */
                        domain: string;
                        expires_at: string | null;
                        nameservers: string[];
                        /** @description Null: nothing could be found out */
                        registered: boolean | null;
                        /** @description Null: the registry publishes nothing */
                        registrant: {
                            /** @description ISO 3166 code */
                            country: string | null;
                            organization: string | null;
                            /** @description Whether more is known and withheld */
                            redacted: boolean;
                        } | null;
                        registrar: {
                            /** @description The number in IANA's registry of registrars */
                            iana_id: string | null;
                            name: string | null;
                        } | null;
                        /** @enum {string} */
                        source: "simulated" | "rdap" | "whois";
                        /** @description EPP status codes, such as clientTransferProhibited */
                        status: string[];
                        updated_at: string | null;
                    };
                };
            };
        };
    };
}
