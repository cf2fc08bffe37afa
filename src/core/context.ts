import type { GuardedHttp } from 'domain-marketplace-safe-fetch'
import type { Database } from '../db/dialect.ts'
import type { DatabaseServer } from '../db/server.ts'
import type { SiteProbe } from '../domain/brokerage/site-probe.ts'
import type { PayoutRail } from '../domain/payees/payout-rail.ts'
import type { Payments } from '../domain/payments/registry.ts'
import type { Registrars } from '../domain/registrars/connections.ts'
import type { Registry } from '../domain/registry/registry.ts'
import type { TaxRules } from '../domain/tax/tax.ts'
import type { Clock } from '../lib/clock.ts'
import type { Dns } from '../lib/dns.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Brand } from './brand.ts'
import type { Environment } from './caller.ts'
import type { Mail } from './mail.ts'
import type { Settings } from './settings.ts'
import type { SigningKey } from './signing-key.ts'

/** What the whole service shares, put together once by hand in `app.ts`. */
export interface AppContext {
  settings: Settings
  brand: Brand
  clock: Clock
  server: DatabaseServer
  db: Database
  secrets: SecretBox
  signingKey: SigningKey
  http: GuardedHttp
  search: ListingSearch
  mail: Mail
  log: Log
  sites: SiteProbe
  payments: Payments
  /** Null where files for the bank are all that pays out. */
  payoutRail: PayoutRail | null
  registry: Registry
  registrars: Registrars
  dns: Dns
  tax: TaxRules
}

/** Ranks what is listed against a query, by meaning and by letters. */
export interface ListingSearch {
  /** The best first, at most `limit`; of names that were listed a moment ago, filtered. */
  rank(
    environment: Environment,
    query: string,
    filter: { tld?: string | undefined; maxPriceCents?: number | undefined },
    limit: number,
  ): Promise<{ domain: string; score: number; why: string }[]>
  /** Undefined when no endpoint is set. */
  embeddings: SearchEmbeddings | undefined
  stop(): Promise<void>
}

/** How a judged set of queries ranks with an embedding model and without. */
export interface ModelCheck {
  queries: number
  recall_without: number
  recall_with: number
  /** Queries that find more with the model, and less. */
  better: number
  worse: number
  is_used: boolean
}

/** What an embeddings endpoint adds to the search, as seen from outside. */
export interface SearchEmbeddings {
  model: string
  /** Has labels embedded that are not yet, for some seconds. */
  embedLabels(signal: AbortSignal): Promise<void>
  /** Of what is listed: how many different labels' words have a vector, and how many wait for one. */
  progress(): Promise<{ embedded: number; waiting: number }>
  /** Whether the model helps search, so that it is used; undefined until that has been checked. */
  check(): ModelCheck | undefined
  /** How many searches did without, by reason. */
  fallbacks: ReadonlyMap<string, number>
}

/** The part of pino that the layers below HTTP use. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
