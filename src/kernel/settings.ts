/** Everything that an operator can set; read from the environment in `config.ts`. */
export interface Settings {
  port: number
  host: string
  /** The service's public address, without a slash at the end. */
  baseUrl: string
  dataDir: string
  databaseUrl: string | undefined
  databasePoolSize: number
  /** How long a stopping instance still takes requests, so that load balancers see it is not ready. */
  drainMs: number
  adminToken: string | undefined
  metricsToken: string | undefined
  /** The mail server; without one mails are kept, and shown to operators. */
  smtpUrl: string | undefined
  mailFrom: string
  secretsKey: Uint8Array | undefined
  /** Addresses or networks of reverse proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[]
  logLevel: string
  demoPartner: boolean
  rateLimits: {
    /** Requests a minute of one client address or user. */
    publicPerMinute: number
    /** WHOIS lookups a minute of one client address or user. */
    whoisPerMinute: number
    /** Registrations of OAuth clients a minute of one client address. */
    registrationPerMinute: number
    /** Requests a minute of one credential. */
    partnerPerMinute: number
  }
  /** Whose pages may call the MCP server, beside our own. */
  mcpOrigins: string[]
  /** Where a domain search also looks, most wanted first. */
  searchTlds: string[]
  review: {
    /** Orders above this price are held, live ones as well as the sandbox's; undefined holds none. */
    overCents: number | undefined
    /** So many of a partner's first live orders are held. */
    firstLiveOrders: number
  }
  /** The commission of a new partner on sales that it collects itself, in basis points. */
  partnerCollectedBps: number
  /** Where vectors of texts come from, beside the built-in lexicon; undefined for nowhere. */
  embeddings: EmbeddingsSettings | undefined
  /** The commission of a new partner on brokered deals, in basis points. */
  brokerageBps: number
  /** The same on sales through its checkout links, and on those that its tracked links bring. */
  hostedCheckoutBps: number
  referralBps: number
  /** The house's commission on a user's own domain that it sells, in basis points. */
  sellerBps: number
  /** So long is a live commission held before it can be paid out; the sandbox holds none. */
  commissionHoldDays: number
  /** Live payouts are made of this much at least. */
  payoutThresholdCents: number
  payoutSchedule: 'monthly' | 'manual'
  /** What takes live payments; the sandbox always has the test provider. */
  paymentProvider: 'test' | 'stripe' | 'none'
  stripe: { secretKey: string; webhookSecret: string; apiBase: string } | undefined
  /** So many days are requests to the partner API kept in its log. */
  requestLogDays: number
  settlementSchedule: 'monthly' | 'manual'
  /** Whether registries are asked by RDAP and WHOIS, or simulated. */
  registry: 'simulated' | 'live'
  /** So many questions a minute does this instance ask one registry server. */
  registryQueriesPerMinute: number
}

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
