import { type AddressPolicy, isLoopbackUrl, targetProblem } from 'domain-marketplace-safe-fetch'
import type { Stripe } from 'stripe'
import { ENVIRONMENT_VARIABLES, type Environment } from './environment.ts'
import { entries } from './environment-fields.ts'

/** A setting that cannot be used; the message says which and why. */
export class BadSetting extends Error {}

/** The settings of the service, as `readSettings` makes them of the environment. */
export type Settings = ReturnType<typeof settingsOf>

/** An endpoint that speaks OpenAI's `/v1/embeddings`. */
export interface EmbeddingsSettings {
  /** In full, with the path that texts are posted to. */
  url: string
  model: string
  key: string | undefined
  /** Asked of the endpoint when set, for models that can shorten their vectors. */
  dimensions: number | undefined
  /** How long a search waits for its query's vector. */
  timeoutMs: number
}

/** A method of payment, as Stripe names it. */
export type StripePaymentMethod = Stripe.Checkout.SessionCreateParams.AllowedPaymentMethodType

interface PaymentSettings {
  /** What takes live payments; the sandbox always has the test provider. */
  paymentProvider: 'test' | 'stripe' | 'none'
  /** What takes live payments takes test cards for them. */
  isTestKey: boolean
  stripe:
    | {
        secretKey: string
        /** One for each endpoint at Stripe. */
        webhookSecrets: string[]
        apiBase: string
        paymentMethods: StripePaymentMethod[]
      }
    | undefined
}

/** Reads the settings; an empty variable counts as absent. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = ENVIRONMENT_VARIABLES.safeParse(given)
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new BadSetting(problems.join('; '))
  }
  return settingsOf(result.data)
}

function settingsOf(env: Environment) {
  const baseUrl = env.BASE_URL ?? `http://localhost:${env.PORT}`
  // A service that is reached on this machine only listens there only.
  const host = env.HOST ?? (isLoopbackUrl(baseUrl) ? 'localhost' : '::')
  if (env.ADMIN_PORT === env.PORT && ['::', '0.0.0.0', env.ADMIN_HOST].includes(host)) {
    throw new BadSetting('ADMIN_PORT: must be another port than PORT')
  }
  return {
    port: env.PORT,
    host,
    /** The listener that alone serves the admin API; null where it is served with the rest. */
    admin: env.ADMIN_PORT === undefined ? null : { port: env.ADMIN_PORT, host: env.ADMIN_HOST },
    baseUrl,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    databaseOwnerUrl: databaseOwnerOf(env),
    databasePoolSize: env.DATABASE_POOL_SIZE,
    drainMs: env.DRAIN_SECONDS * 1000,
    adminToken: env.ADMIN_TOKEN,
    metricsToken: env.METRICS_TOKEN,
    telemetry: telemetryOf(env),
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? senderOf(env, baseUrl),
    secretsKeys: env.SECRETS_KEY,
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
    /** Undefined: by the number of names. */
    searchIndex: env.SEARCH_INDEX,
    review: {
      overCents: env.REVIEW_OVER_CENTS,
      // Where real names are sold to strangers, somebody looks at what a new partner brings first.
      firstLiveOrders:
        env.REVIEW_FIRST_LIVE_ORDERS ??
        (env.REGISTRY === 'live' && !isLoopbackUrl(baseUrl) ? 3 : 0),
    },
    partnerCollectedBps: env.PARTNER_COLLECTED_BPS,
    brokerageBps: env.BROKERAGE_BPS,
    hostedCheckoutBps: env.HOSTED_CHECKOUT_BPS,
    referralBps: env.REFERRAL_BPS,
    /** By where the buyer came from. */
    sellerBps: {
      market: env.SELLER_BPS,
      lander: env.SELLER_LANDER_BPS ?? env.SELLER_BPS,
      partner: env.SELLER_PARTNER_BPS ?? env.SELLER_BPS,
    },
    commissionHoldDays: env.COMMISSION_HOLD_DAYS,
    payoutThresholdCents: env.PAYOUT_THRESHOLD_CENTS,
    payoutSchedule: env.PAYOUT_SCHEDULE,
    operatorSecondFactor: secondFactorOf(env, baseUrl),
    alerts: alertsOf(env, baseUrl),
    brand: {
      name: env.BRAND_NAME,
      logo: env.BRAND_LOGO,
      color: env.BRAND_COLOR,
      supportEmail: env.SUPPORT_EMAIL,
      termsUrl: env.TERMS_URL,
      privacyUrl: env.PRIVACY_URL,
    },
    pagesDir: env.PAGES_DIR,
    pagePrices: env.PAGE_PRICES,
    registrationUrl: env.REGISTRATION_URL,
    platform: {
      name: env.PLATFORM_NAME,
      address: env.PLATFORM_ADDRESS,
      country: env.PLATFORM_COUNTRY,
      taxId: env.PLATFORM_TAX_ID,
      iban: env.PLATFORM_IBAN,
      bic: env.PLATFORM_BIC,
    },
    tax: env.TAX,
    taxRulesFile: env.TAX_RULES_FILE,
    payeeDelayHours: env.PAYEE_DELAY_HOURS,
    listingHoldHours: env.LISTING_HOLD_HOURS ?? (env.REGISTRY === 'live' ? 24 : 0),
    fourEyesCents: env.FOUR_EYES_CENTS,
    statementDueDays: env.STATEMENT_DUE_DAYS,
    overdueHoldDays: env.OVERDUE_HOLD_DAYS,
    ...paymentsOf(env, baseUrl),
    payoutRail: payoutRailOf(env),
    requestLogDays: env.REQUEST_LOG_DAYS,
    settlementSchedule: env.SETTLEMENT_SCHEDULE,
    embeddings: embeddingsOf(env),
    transferCheckMinutes: env.TRANSFER_CHECK_MINUTES,
    dnsServers: env.DNS_SERVERS,
    marketplaceNameservers: env.MARKETPLACE_NAMESERVERS,
    registry: env.REGISTRY,
    registryQueriesPerMinute: env.REGISTRY_QUERIES_PER_MINUTE,
  }
}

/** The name in quotes, since it may hold what parts addresses. */
function senderOf({ BRAND_NAME }: Environment, baseUrl: string): string {
  const name = BRAND_NAME.replace(/["\\]/g, '\\$&')
  return `"${name}" <no-reply@${new URL(baseUrl).hostname}>`
}

/** Without it one password opens the whole market, so that it can be off on this machine alone. */
function secondFactorOf({ OPERATOR_SECOND_FACTOR }: Environment, baseUrl: string): boolean {
  if (OPERATOR_SECOND_FACTOR === 'on') return true
  if (isLoopbackUrl(baseUrl)) return false
  throw new BadSetting('OPERATOR_SECOND_FACTOR: can be off only while BASE_URL is loopback')
}

/** Where alerts may be posted: only a service that is tried on this machine reaches this machine. */
export function alertPolicy(baseUrl: string): AddressPolicy {
  const isLocal = isLoopbackUrl(baseUrl)
  return { allowHttp: isLocal, allowLoopback: isLocal }
}

function alertsOf(env: Environment, baseUrl: string) {
  const { ALERT_EMAIL, ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret, ALERT_SANDBOX } = env
  if (Boolean(url) !== Boolean(secret)) {
    throw new BadSetting('ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: set both or none')
  }
  const problem = url && targetProblem(url, alertPolicy(baseUrl))
  if (problem) throw new BadSetting(`ALERT_WEBHOOK_URL: ${problem}`)
  return {
    email: ALERT_EMAIL,
    webhook: url && secret ? { url, secret } : undefined,
    sandbox: ALERT_SANDBOX === 'on',
  }
}

function payoutRailOf({ PAYOUT_RAIL, STRIPE_SECRET_KEY }: Environment): Environment['PAYOUT_RAIL'] {
  if (PAYOUT_RAIL === 'stripe' && STRIPE_SECRET_KEY === undefined) {
    throw new BadSetting('PAYOUT_RAIL: stripe needs STRIPE_SECRET_KEY beside it')
  }
  return PAYOUT_RAIL
}

function databaseOwnerOf({ DATABASE_URL, DATABASE_OWNER_URL }: Environment): string | undefined {
  if (DATABASE_OWNER_URL !== undefined && DATABASE_URL === undefined) {
    throw new BadSetting('DATABASE_OWNER_URL: needs DATABASE_URL beside it')
  }
  return DATABASE_OWNER_URL
}

/** All or nothing, since half of it would do nothing and say nothing. */
function embeddingsOf(env: Environment): EmbeddingsSettings | undefined {
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
    timeoutMs: env.EMBEDDINGS_TIMEOUT_MS ?? 150,
  }
}

function telemetryOf(env: Environment) {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  return {
    endpoint,
    headers: env.OTEL_EXPORTER_OTLP_HEADERS,
    /** What all that is sent says of this service. */
    resource: {
      'service.name': 'domain-marketplace',
      ...env.OTEL_RESOURCE_ATTRIBUTES,
      ...(env.OTEL_SERVICE_NAME && { 'service.name': env.OTEL_SERVICE_NAME }),
    },
    /** The share of traces that are kept, 0 to 1. */
    sampled: env.OTEL_TRACES_SAMPLER_ARG,
  }
}

/** Stripe where it is configured; else the test provider, but never where strangers could buy live names by test cards. */
function paymentsOf(env: Environment, baseUrl: string): PaymentSettings {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = env
  if (secretKey && webhookSecret) {
    return {
      paymentProvider: 'stripe',
      isTestKey: /^[sr]k_test_/.test(secretKey),
      stripe: {
        secretKey,
        webhookSecrets: entries(webhookSecret),
        apiBase: env.STRIPE_API_BASE,
        paymentMethods: env.STRIPE_PAYMENT_METHODS,
      },
    }
  }
  if (secretKey || webhookSecret) {
    throw new BadSetting('STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: set both or none')
  }
  const isOwn = !env.DATABASE_URL && (isLoopbackUrl(baseUrl) || env.LIVE_TEST_PAYMENTS === 'on')
  return { paymentProvider: isOwn ? 'test' : 'none', isTestKey: false, stripe: undefined }
}
