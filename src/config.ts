import { isIP } from 'node:net'
import addressparser from 'nodemailer/lib/addressparser'
import { z } from 'zod'
import type { EmbeddingsSettings, Settings } from './kernel/settings.ts'
import { parseDomainName } from './lib/domain-name.ts'
import { isLoopbackUrl } from './lib/loopback.ts'
import { TOKEN_RULE, TOKEN_TEXT } from './lib/token-text.ts'

/** A setting that cannot be used; the message says which and why. */
export class BadSetting extends Error {}

const whole = (least: number, most: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .transform(Number)

const oneOf = <const Names extends string[]>(...names: Names) =>
  z.enum(names, `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`)

/** An address, a block of addresses, or one of the names that Fastify knows. */
function isProxy(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(entry)
  const isPrefix = prefix === undefined || /^\d{1,3}$/.test(prefix)
  return rest.length === 0 && isPrefix && Number(prefix ?? 0) <= (version === 4 ? 32 : 128)
}

function entries(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
}

/** Mounted secrets often end with a line break, which no header would carry. */
const bearerToken = z.string().trim().regex(TOKEN_TEXT, TOKEN_RULE)

const key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must be of letters, digits and signs without blanks')

/** One address, with a name or without. Of a text without one nodemailer would send from nobody. */
function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text)
  return others.length === 0 && /^[^\s@]+@[^\s@]+$/.test(sender?.address ?? '')
}

const EMBEDDINGS_TIMEOUT_MS = 150
const perMinute = whole(1, 100_000_000)

/** Every environment variable that the service reads, with its default; docs/OPERATING.md explains them. */
const Environment = z.object({
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().optional(),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
    .refine((url) => new URL(url).pathname === '/', 'must be without a path')
    .refine((url) => !/[@?#]/.test(url), 'must hold no name, query or fragment')
    .transform((url) => new URL(url).origin)
    .optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(?:ql)?$/, error: 'must be a postgresql:// URL' })
    .optional(),
  DATABASE_POOL_SIZE: whole(1, 1_000).default(20),
  DRAIN_SECONDS: whole(0, 5).default(0),
  ADMIN_TOKEN: bearerToken.optional(),
  METRICS_TOKEN: bearerToken.min(16, 'must have at least 16 characters').optional(),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL', abort: true })
    .refine((url) => new URL(url).hostname !== '', 'must name the mail server')
    .optional(),
  MAIL_FROM: z
    .string()
    .max(320, 'must have at most 320 characters')
    .refine(isSender, 'must be one address, such as Market <no-reply@market.example>')
    .optional(),
  SECRETS_KEY: z
    .string()
    .trim()
    .pipe(z.base64('must be base64'))
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
    .refine((key) => key.length === 32, 'must be 32 bytes in base64')
    .optional(),
  MCP_ORIGINS: z
    .string()
    .default('')
    .transform(entries)
    .refine(
      (origins) =>
        origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'must be a list of origins such as https://app.example',
    ),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(entries)
    .refine((list) => list.every(isProxy), 'must be a list of addresses such as 10.0.0.0/8'),
  SEARCH_TLDS: z
    .string()
    .default('com,net,org,io,co,ai,app,dev,shop,xyz')
    .transform((list) => entries(list).map((tld) => parseDomainName(`name.${tld}`)?.tld))
    .refine(
      (tlds) => tlds.every((tld) => tld !== undefined),
      'must be a list such as com,net,co.uk',
    )
    .refine((tlds) => tlds.length >= 1 && tlds.length <= 20, 'must name 1 to 20 TLDs')
    .transform((tlds) => [...new Set(tlds.filter((tld) => tld !== undefined))]),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  DEMO_PARTNER: oneOf('on', 'off').default('on'),
  RATE_LIMIT_PUBLIC: perMinute.default(600),
  RATE_LIMIT_WHOIS: perMinute.default(60),
  RATE_LIMIT_REGISTRATION: perMinute.default(60),
  RATE_LIMIT_PARTNER: perMinute.default(1_200),
  REVIEW_OVER_CENTS: whole(0, Number.MAX_SAFE_INTEGER).optional(),
  REVIEW_FIRST_LIVE_ORDERS: whole(0, 1_000).default(0),
  PARTNER_COLLECTED_BPS: whole(0, 10_000).default(1_000),
  BROKERAGE_BPS: whole(0, 10_000).default(1_000),
  HOSTED_CHECKOUT_BPS: whole(0, 10_000).default(1_000),
  REFERRAL_BPS: whole(0, 10_000).default(500),
  SELLER_BPS: whole(0, 10_000).default(1_500),
  COMMISSION_HOLD_DAYS: whole(0, 365).default(30),
  PAYOUT_THRESHOLD_CENTS: whole(1, 100_000_000).default(1),
  PAYOUT_SCHEDULE: oneOf('monthly', 'manual').default('monthly'),
  STRIPE_SECRET_KEY: key.optional(),
  STRIPE_WEBHOOK_SECRET: key.optional(),
  STRIPE_API_BASE: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
    .default('https://api.stripe.com'),
  REQUEST_LOG_DAYS: whole(1, 365).default(7),
  SETTLEMENT_SCHEDULE: oneOf('monthly', 'manual').default('monthly'),
  EMBEDDINGS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
    .refine((url) => new URL(url).username === '', 'must not hold a key: set EMBEDDINGS_KEY')
    .optional(),
  EMBEDDINGS_MODEL: z.string().max(200, 'must have at most 200 characters').optional(),
  EMBEDDINGS_KEY: key.optional(),
  EMBEDDINGS_DIMENSIONS: whole(8, 8_192).optional(),
  EMBEDDINGS_TIMEOUT_MS: whole(10, 10_000).optional(),
  REGISTRY: oneOf('simulated', 'live').default('simulated'),
  REGISTRY_QUERIES_PER_MINUTE: perMinute.default(120),
})

/** Reads the settings; an empty variable counts as absent. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = Environment.safeParse(given)
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new BadSetting(problems.join('; '))
  }
  const env = result.data
  const baseUrl = env.BASE_URL ?? `http://localhost:${env.PORT}`
  return {
    port: env.PORT,
    // A service that is reached on this machine only listens there only.
    host: env.HOST ?? (isLoopbackUrl(baseUrl) ? 'localhost' : '::'),
    baseUrl,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    drainMs: env.DRAIN_SECONDS * 1000,
    adminToken: env.ADMIN_TOKEN,
    metricsToken: env.METRICS_TOKEN,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? `Domain Marketplace <no-reply@${new URL(baseUrl).hostname}>`,
    secretsKey: env.SECRETS_KEY,
    trustedProxies: env.TRUSTED_PROXIES,
    logLevel: env.LOG_LEVEL,
    demoPartner: env.DEMO_PARTNER === 'on',
    rateLimits: {
      publicPerMinute: env.RATE_LIMIT_PUBLIC,
      whoisPerMinute: env.RATE_LIMIT_WHOIS,
      registrationPerMinute: env.RATE_LIMIT_REGISTRATION,
      partnerPerMinute: env.RATE_LIMIT_PARTNER,
    },
    mcpOrigins: env.MCP_ORIGINS,
    searchTlds: env.SEARCH_TLDS,
    review: {
      overCents: env.REVIEW_OVER_CENTS,
      firstLiveOrders: env.REVIEW_FIRST_LIVE_ORDERS,
    },
    partnerCollectedBps: env.PARTNER_COLLECTED_BPS,
    brokerageBps: env.BROKERAGE_BPS,
    hostedCheckoutBps: env.HOSTED_CHECKOUT_BPS,
    referralBps: env.REFERRAL_BPS,
    sellerBps: env.SELLER_BPS,
    commissionHoldDays: env.COMMISSION_HOLD_DAYS,
    payoutThresholdCents: env.PAYOUT_THRESHOLD_CENTS,
    payoutSchedule: env.PAYOUT_SCHEDULE,
    ...paymentsOf(env),
    requestLogDays: env.REQUEST_LOG_DAYS,
    settlementSchedule: env.SETTLEMENT_SCHEDULE,
    embeddings: embeddingsOf(env),
    registry: env.REGISTRY,
    registryQueriesPerMinute: env.REGISTRY_QUERIES_PER_MINUTE,
  }
}

/** All or nothing, since half of it would do nothing and say nothing. */
function embeddingsOf(env: z.output<typeof Environment>): EmbeddingsSettings | undefined {
  const names = Object.keys(env).filter((name) => name.startsWith('EMBEDDINGS_'))
  if (names.length === 0) return undefined
  if (env.EMBEDDINGS_URL === undefined || env.EMBEDDINGS_MODEL === undefined) {
    const missing = ['EMBEDDINGS_URL', 'EMBEDDINGS_MODEL'].filter((name) => !names.includes(name))
    throw new BadSetting(`${names[0]}: needs ${missing.join(' and ')} beside it`)
  }
  const url = new URL(env.EMBEDDINGS_URL)
  if (!url.pathname.endsWith('/embeddings')) {
    url.pathname = `${url.pathname.replace(/\/$/, '')}/embeddings`
  }
  return {
    url: url.href,
    model: env.EMBEDDINGS_MODEL,
    key: env.EMBEDDINGS_KEY,
    dimensions: env.EMBEDDINGS_DIMENSIONS,
    timeoutMs: env.EMBEDDINGS_TIMEOUT_MS ?? EMBEDDINGS_TIMEOUT_MS,
  }
}

/** Stripe where it is configured; else the test provider, but never on a database meant to sell for real. */
function paymentsOf(
  env: z.output<typeof Environment>,
): Pick<Settings, 'paymentProvider' | 'stripe'> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = env
  if (secretKey && webhookSecret) {
    return {
      paymentProvider: 'stripe',
      stripe: { secretKey, webhookSecret, apiBase: env.STRIPE_API_BASE },
    }
  }
  if (secretKey || webhookSecret) {
    throw new BadSetting('STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: set both or none')
  }
  return { paymentProvider: env.DATABASE_URL ? 'none' : 'test', stripe: undefined }
}
