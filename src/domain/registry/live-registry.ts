import {
  type Bootstrap,
  createRegistryLookup,
  type WhoisServer,
} from 'domain-marketplace-registry-lookup'
import type { GuardedHttp } from 'domain-marketplace-safe-fetch'
import type { Log } from '../../core/context.ts'
import type { Database } from '../../db/dialect.ts'
import { type Clock, MINUTE } from '../../lib/clock.ts'
import { newerBootstrap, shippedBootstrap } from './rdap-bootstrap.ts'
import type { Registry } from './registry.ts'
import { readTable } from './registry-data.ts'
import { cacheResult, readCachedResult } from './result-cache.ts'
import { registryName } from './tlds.ts'

/** Who is asked, and where. */
export interface Upstream {
  bootstrap: Bootstrap
  whoisServers: ReadonlyMap<string, WhoisServer>
  whoisPort: number
  /** Only tests have their servers on this machine; no setting leads here. */
  allowLoopback: boolean
}

interface LiveRegistryOptions {
  db: Database
  clock: Clock
  http: GuardedHttp
  log: Log
  queriesPerMinute: number
  upstream?: Upstream
  /** For tests: shorter ones. */
  deadlines?: { wholeMs: number; eachMs: number }
}

const RELOAD_MS = 10 * MINUTE

export function publicUpstream(): Upstream {
  const rows = readTable<'tld' | 'server' | 'query'>('whois-servers.csv')
  return {
    bootstrap: shippedBootstrap(),
    whoisServers: new Map(rows.map(({ tld, server, query }) => [tld, { server, query }])),
    whoisPort: 43,
    allowLoopback: false,
  }
}

/** Asks the real registries. Results are kept in the database for all instances. */
export function createLiveRegistry(options: LiveRegistryOptions): Registry {
  const { db, clock, http, log, queriesPerMinute, deadlines } = options
  const { bootstrap: shipped, ...upstream } = options.upstream ?? publicUpstream()
  let bootstrap = shipped
  let loadedAt: Date | null = null
  const { lookup, close } = createRegistryLookup({
    ...upstream,
    http,
    clock,
    queriesPerMinute,
    bootstrap: currentBootstrap,
    cache: {
      read: (domain) => readCachedResult(db, domain, clock.now()),
      write: (domain, result) =>
        cacheResult(db, domain, result).catch((error: unknown) =>
          log.warn({ err: error }, 'registry: a result could not be kept'),
        ),
    },
    onFailure: (failure) => log.info(failure, 'registry: no response'),
    ...(deadlines && { deadlines }),
  })

  async function currentBootstrap(): Promise<Bootstrap> {
    const now = clock.now()
    if (!loadedAt || now.getTime() - loadedAt.getTime() >= RELOAD_MS) {
      loadedAt = now
      bootstrap = (await newerBootstrap(db, bootstrap)) ?? bootstrap
    }
    return bootstrap
  }

  return {
    async lookup(domain, signal, client, maxAgeMs) {
      signal?.throwIfAborted()
      const { registrable, tld } = registryName(domain)
      if (!registrable) {
        return {
          state: 'unknown',
          reason: null,
          source: 'rdap',
          checkedAt: clock.now(),
          record: null,
        }
      }
      const result = await lookup(registrable, tld, signal, client, maxAgeMs)
      // Nothing can be registered below a name that is not.
      return result.state === 'available' && registrable !== domain
        ? { ...result, state: 'unknown' }
        : result
    },
    close,
  }
}
