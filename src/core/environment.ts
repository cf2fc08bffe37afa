import { parseDomainName } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import { BRAND_VARIABLES } from './environment-brand.ts'
import { BUSINESS_VARIABLES } from './environment-business.ts'
import {
  bearerToken,
  entries,
  isProxy,
  isSender,
  key,
  keyOf,
  oneOf,
  perMinute,
  whole,
} from './environment-fields.ts'
import { TELEMETRY_VARIABLES } from './environment-telemetry.ts'
import type { StripePaymentMethod } from './settings.ts'

/**
 * Every environment variable that the service reads, with its default and what it is; the table in
 * docs/OPERATING.md is made of them. `otherwise` says in words what a default is that depends.
 */
export const ENVIRONMENT_VARIABLES = z.object({
  PORT: whole(0, 65_535)
    .default(3000)
    .describe(
      'Where to listen. 0 takes a free port, another one at each start, which the default `BASE_URL` then names',
    ),
  HOST: z.string().optional().meta({
    description:
      'What to listen on; `::` is all interfaces, and IPv4 alone (`0.0.0.0`) on a machine without IPv6',
    otherwise: 'loopback if `BASE_URL` is, else `::`',
  }),
  ADMIN_PORT: whole(1, 65_535).optional().meta({
    description:
      'A listener of its own for the admin API, which is then found nowhere else; health and metrics are on both',
    otherwise: 'the admin API is served with the rest',
  }),
  ADMIN_HOST: z.string().default('localhost').describe('What the listener of `ADMIN_PORT` is on'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
    .refine((url) => new URL(url).pathname === '/', 'must be without a path')
    .refine((url) => !/[@?#]/.test(url), 'must hold no name, query or fragment')
    .transform((url) => new URL(url).origin)
    .optional()
    .meta({
      description: 'The public address, without a path; quote tokens name it as their issuer',
      otherwise: '`http://localhost:PORT`',
    }),
  DATA_DIR: z
    .string()
    .default('./data')
    .describe('The folder of the embedded database and of generated keys'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(?:ql)?$/, error: 'must be a postgresql:// URL' })
    .optional()
    .describe('PostgreSQL 15 or later, instead of the embedded database'),
  DATABASE_OWNER_URL: z
    .url({ protocol: /^postgres(?:ql)?$/, error: 'must be a postgresql:// URL' })
    .optional()
    .describe(
      'The role that owns the tables and migrates; the role of `DATABASE_URL` then gets what the service needs and no more',
    ),
  DATABASE_POOL_SIZE: whole(1, 1_000)
    .default(20)
    .describe('Connections for transactions; all other statements share three more'),
  DRAIN_SECONDS: whole(0, 5)
    .default(0)
    .describe(
      'How long an instance that stops still takes requests, at most 5, so that a load balancer sees that it is not ready',
    ),
  ADMIN_TOKEN: bearerToken.optional().meta({
    description:
      'The token of the admin API. Fewer than 16 characters give a warning at start; with `REGISTRY=live` at a public `BASE_URL`, fewer than 32 stop it',
    otherwise: 'made on first start, in `DATA_DIR/admin-token`',
  }),
  SECRETS_KEY: z
    .string()
    .trim()
    .transform((list) => entries(list).map((text) => new Uint8Array(Buffer.from(text, 'base64'))))
    .refine((keys) => keys.every((key) => key.length === 32), 'must be 32 bytes in base64')
    .transform(([first, ...older]) => first && ([first, ...older] as const))
    .optional()
    .meta({
      description:
        'The key that seals every secret at rest, 32 bytes in base64: `openssl rand -base64 32`; keys that it has replaced follow it, separated by commas',
      otherwise: 'made on first start, in `DATA_DIR/secrets.key`',
    }),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL', abort: true })
    .refine((url) => new URL(url).hostname !== '', 'must name the mail server')
    .optional()
    .describe(
      'The mail server, `smtp://` or `smtps://` with user and password in it; without one mails are kept and shown by `mail list`',
    ),
  MAIL_FROM: z
    .string()
    .max(320, 'must have at most 320 characters')
    .refine(isSender, 'must be one address, such as Market <no-reply@market.example>')
    .optional()
    .meta({
      description: 'The sender of mails: one address, with or without a display name',
      otherwise: '`no-reply@` the host of `BASE_URL`',
    }),
  MCP_ORIGINS: z
    .string()
    .default('')
    .transform(entries)
    .refine(
      (origins) =>
        origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'must be a list of origins such as https://app.example',
    )
    .describe('Origins, separated by commas, whose pages may call `/mcp` beside our own'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(entries)
    .refine((list) => list.every(isProxy), 'must be a list of addresses such as 10.0.0.0/8')
    .describe('Addresses or networks, separated by commas, whose `X-Forwarded-For` is trusted'),
  ...TELEMETRY_VARIABLES,
  DEMO_PARTNER: oneOf('on', 'off').default('on').describe('`off`: do not create a demo partner'),
  RATE_LIMIT_PUBLIC: perMinute
    .default(600)
    .describe(
      'Requests per minute from one client address or one user of the public API; as many checkouts an hour can be opened from one address, five times that from one IPv6 /48, and fifty times that from all',
    ),
  RATE_LIMIT_WHOIS: perMinute
    .default(60)
    .describe('WHOIS lookups per minute from one client address or user'),
  RATE_LIMIT_REGISTRATION: perMinute
    .default(60)
    .describe(
      'Registrations of OAuth clients per minute from one client address. An hour allows ten times as many registrations and as many offers by visitors from one address, five times either from one IPv6 /48, and fifty times either from all addresses together',
    ),
  RATE_LIMIT_PARTNER: perMinute.default(1_200).describe('Requests per minute from one credential'),
  REVIEW_OVER_CENTS: whole(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Orders above this price are held for review, in the sandbox too'),
  REVIEW_FIRST_LIVE_ORDERS: whole(0, 1_000).optional().meta({
    description: "How many of a partner's first live orders are held for review",
    otherwise: '3 with `REGISTRY=live` at a public `BASE_URL`, else 0',
  }),
  PARTNER_COLLECTED_BPS: whole(0, 10_000)
    .default(1_000)
    .describe('Commission of new partners on sales that they collect, in basis points'),
  BROKERAGE_BPS: whole(0, 10_000)
    .default(1_000)
    .describe('Commission of new partners on brokered deals, in basis points'),
  HOSTED_CHECKOUT_BPS: whole(0, 10_000)
    .default(1_000)
    .describe('Commission of new partners on sales through their checkout links, in basis points'),
  REFERRAL_BPS: whole(0, 10_000)
    .default(500)
    .describe(
      'Commission of new partners on sales that their tracked links bring, in basis points',
    ),
  SELLER_BPS: whole(0, 10_000)
    .default(1_500)
    .describe(
      "The marketplace's commission on users' own domains that it sells, in basis points; what partners and links earn by these sales comes out of it, so it should be above theirs",
    ),
  SELLER_LANDER_BPS: whole(0, 10_000).optional().meta({
    description: "The same where the buyer came by the name's own lander",
    otherwise: '`SELLER_BPS`',
  }),
  SELLER_PARTNER_BPS: whole(0, 10_000).optional().meta({
    description: 'The same where a partner or its link brought the buyer',
    otherwise: '`SELLER_BPS`',
  }),
  COMMISSION_HOLD_DAYS: whole(0, 365)
    .default(30)
    .describe(
      'How long a live commission is held before it can be paid out; the sandbox holds none',
    ),
  PAYOUT_THRESHOLD_CENTS: whole(1, 100_000_000)
    .default(1)
    .describe('The smallest live payout; smaller balances wait'),
  PAYOUT_SCHEDULE: oneOf('monthly', 'manual')
    .default('monthly')
    .describe('`manual`: only an operator makes payouts'),
  ...BRAND_VARIABLES,
  ...BUSINESS_VARIABLES,
  STRIPE_SECRET_KEY: keyOf('sk_ or rk_', ['pk_', 'whsec_'])
    .optional()
    .describe('Enables live payments through Stripe; needs `STRIPE_WEBHOOK_SECRET`'),
  STRIPE_WEBHOOK_SECRET: keyOf('whsec_', ['sk_', 'rk_', 'pk_', 'we_'])
    .optional()
    .describe(
      "Verify Stripe's webhooks: the secret of each endpoint, separated by commas; needs `STRIPE_SECRET_KEY`",
    ),
  STRIPE_API_BASE: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
    .default('https://api.stripe.com')
    .describe("The address of Stripe's API; for tests"),
  PAYOUT_RAIL: oneOf('file', 'stripe')
    .default('file')
    .describe(
      'What pays out: `file`, files for the bank; or `stripe`, transfers to accounts at Stripe Connect as well, for payees who open one',
    ),
  STRIPE_PAYMENT_METHODS: z
    .string()
    .default('card')
    .transform(entries)
    .refine(
      (methods) => methods.length > 0 && methods.every((method) => /^[a-z_]{2,40}$/.test(method)),
      'must be a list such as card,sepa_debit',
    )
    .transform((methods) => methods as StripePaymentMethod[])
    .describe(
      "How buyers can pay on Stripe's page, separated by commas, as Stripe names the methods; slow ones hold the name while they are pending",
    ),
  REQUEST_LOG_DAYS: whole(1, 365)
    .default(7)
    .describe('How many days partners can see their requests; each takes about 500 bytes'),
  SETTLEMENT_SCHEDULE: oneOf('monthly', 'manual')
    .default('monthly')
    .describe('`manual`: only an operator closes periods'),
  SEARCH_TLDS: z
    .string()
    .default('com,net,org,io,co,ai,app,dev,shop,xyz')
    .transform((list) => entries(list).map((tld) => parseDomainName(`name.${tld}`)?.tld))
    .refine(
      (tlds) => tlds.every((tld) => tld !== undefined),
      'must be a list such as com,net,co.uk',
    )
    .refine((tlds) => tlds.length >= 1 && tlds.length <= 20, 'must name 1 to 20 TLDs')
    .transform((tlds) => [...new Set(tlds.filter((tld) => tld !== undefined))])
    .describe('The top-level domains that a search checks, most wanted first; at most 20'),
  SEARCH_INDEX: z.enum(['memory', 'postgres']).optional().meta({
    description:
      'Where searches find their candidates: in the memory of each instance, or in rows of the database; see [Search](#search)',
    otherwise:
      '`postgres` from 200,000 listed names on, `memory` below that and on the embedded database',
  }),
  EMBEDDINGS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
    .refine((url) => new URL(url).username === '', 'must not hold a key: set EMBEDDINGS_KEY')
    .optional()
    .describe(
      "An endpoint that speaks OpenAI's `/v1/embeddings`, such as `https://host/v1`; see [Embeddings](#embeddings)",
    ),
  EMBEDDINGS_MODEL: z
    .string()
    .max(200, 'must have at most 200 characters')
    .optional()
    .describe('The model to request; needs `EMBEDDINGS_URL`'),
  EMBEDDINGS_KEY: key.optional().describe('Sent as a bearer token'),
  EMBEDDINGS_DIMENSIONS: whole(8, 8_192).optional().meta({
    description: 'The number of dimensions to request, for models that can shorten their vectors',
    otherwise: "the model's own",
  }),
  EMBEDDINGS_TIMEOUT_MS: whole(10, 10_000)
    .optional()
    .meta({ description: 'How long a search waits for the vector of its query', otherwise: '150' }),
  TRANSFER_CHECK_MINUTES: whole(1, 1_440)
    .default(30)
    .describe(
      'How often a transfer in progress is checked at its registrar and registry, in minutes',
    ),
  DNS_SERVERS: z
    .string()
    .default('')
    .transform(entries)
    .refine(
      (servers) => servers.every((server) => /^(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/i.test(server)),
      'must be a list such as 9.9.9.9:53',
    )
    .meta({
      description:
        'The DNS servers, `host:port` and separated by commas, that proofs of ownership and `_for-sale` records are read from',
      otherwise: "the system's",
    }),
  MARKETPLACE_NAMESERVERS: z
    .string()
    .default('')
    .transform((list) =>
      entries(list).map((host) => parseDomainName(host.replace(/\.$/, ''))?.domain),
    )
    .refine((hosts) => hosts.every((host) => host !== undefined), 'must be a list of hosts')
    .transform((hosts) => [...new Set(hosts.filter((host) => host !== undefined))])
    .describe(
      'The name servers, separated by commas, that prove the ownership of a domain that is delegated to them; absent: not offered',
    ),
  REGISTRY: oneOf('simulated', 'live')
    .default('simulated')
    .describe('`live`: query the registries by RDAP and WHOIS'),
  REGISTRY_QUERIES_PER_MINUTE: perMinute
    .default(120)
    .describe('Queries per minute from an instance to one registry server'),
})
export type Environment = z.output<typeof ENVIRONMENT_VARIABLES>
