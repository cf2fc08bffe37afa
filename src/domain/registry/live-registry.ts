import { type GuardedHttp, unlessAborted } from 'domain-marketplace-safe-fetch'
import type { Log } from '../../core/context.ts'
import type { Database } from '../../db/dialect.ts'
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts'
import { queryRdap } from './rdap.ts'
import { type Bootstrap, newerBootstrap, shippedBootstrap } from './rdap-bootstrap.ts'
import type { Registry, RegistryResult } from './registry.ts'
import { readTable } from './registry-data.ts'
import { cacheResult, readCachedResult } from './result-cache.ts'
import { registryName } from './tlds.ts'
import { createUpstreamLimits } from './upstream-limits.ts'
import { cleanText, type Outcome, UpstreamFailed } from './upstream-response.ts'
import { queryWhois } from './whois.ts'

/** Who is asked, and where. */
export interface Upstream {
  bootstrap: Bootstrap
  whoisServers: ReadonlyMap<string, WhoisServer>
  whoisPort: number
  /** Only tests have their servers on this machine; no setting leads here. */
  allowLoopback: boolean
}

interface WhoisServer {
  server: string
  query: string
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

/** One question to a registry takes no longer, whichever ways are tried. */
const DEADLINES = { wholeMs: 10 * SECOND, eachMs: 5 * SECOND }
const RELOAD_MS = 10 * MINUTE
const MAX_RDAP_SERVERS = 2

export function publicUpstream(): Upstream {
  const rows = readTable<'tld' | 'server' | 'query'>('whois-servers.csv')
  return {
    bootstrap: shippedBootstrap(),
    whoisServers: new Map(rows.map(({ tld, server, query }) => [tld, { server, query }])),
    whoisPort: 43,
    allowLoopback: false,
  }
}

/** A way to ask for a name, with the server that it counts against. */
interface Way {
  source: 'rdap' | 'whois'
  server: string
  ask(signal: AbortSignal): Promise<Outcome>
}

type LiveResult = RegistryResult & { source: 'rdap' | 'whois' }

/**
 * Asks the registries: RDAP first, WHOIS where there is none or it fails. Answers are kept in the database
 * for all instances, and a name is asked for by one question at a time.
 */
export function createLiveRegistry(options: LiveRegistryOptions): Registry {
  const { db, clock, http, log, queriesPerMinute } = options
  const { whoisServers, whoisPort, allowLoopback, ...upstream } =
    options.upstream ?? publicUpstream()
  const { wholeMs, eachMs } = options.deadlines ?? DEADLINES
  const limits = createUpstreamLimits(queriesPerMinute, clock)
  const closing = new AbortController()
  const underWay = new Map<string, Promise<RegistryResult>>()
  let { bootstrap } = upstream
  let loadedAt: Date | null = null

  async function currentBootstrap(): Promise<Bootstrap> {
    const now = clock.now()
    if (!loadedAt || now.getTime() - loadedAt.getTime() >= RELOAD_MS) {
      loadedAt = now
      bootstrap = (await newerBootstrap(db, bootstrap)) ?? bootstrap
    }
    return bootstrap
  }

  async function waysTo(domain: string, tld: string): Promise<Way[]> {
    const { servers } = await currentBootstrap()
    const shared = { domain, allowLoopback, timeoutMs: eachMs }
    const ways = (servers.get(tld) ?? []).slice(0, MAX_RDAP_SERVERS).map(
      (base): Way => ({
        source: 'rdap',
        server: new URL(base).host,
        ask: (signal) => queryRdap({ ...shared, http, base, tld, signal }),
      }),
    )
    const whois = whoisServers.get(tld)
    if (whois) {
      const { server: host, query } = whois
      ways.push({
        source: 'whois',
        server: host,
        ask: (signal) => queryWhois({ ...shared, host, port: whoisPort, query, signal }),
      })
    }
    return ways
  }

  async function find(domain: string, tld: string): Promise<RegistryResult> {
    const kept = await readCachedResult(db, domain, clock.now())
    if (kept) return kept
    const ways = await waysTo(domain, tld)
    const signal = AbortSignal.any([AbortSignal.timeout(wholeMs), closing.signal])
    let source: Way['source'] = 'rdap'
    let isAsked = false
    for (const way of ways) {
      source = way.source
      if (signal.aborted || !limits.take(way.server)) continue
      isAsked = true
      try {
        const outcome = await way.ask(signal)
        return await keep(domain, { ...outcome, source, checkedAt: clock.now() })
      } catch (error) {
        if (closing.signal.aborted) break
        if (error instanceof UpstreamFailed && error.retryAfterMs !== undefined) {
          limits.backOff(way.server, error.retryAfterMs)
        }
        // It may quote what the server sent.
        const reason = cleanText(error instanceof Error ? error.message : String(error))
        log.info({ server: way.server, source, reason }, 'registry: no answer')
      }
    }
    const result: LiveResult = { state: 'unknown', source, checkedAt: clock.now(), record: null }
    // What was not asked is asked next time.
    return isAsked && !closing.signal.aborted ? await keep(domain, result) : result
  }

  async function keep(domain: string, result: LiveResult): Promise<RegistryResult> {
    try {
      await cacheResult(db, domain, result)
    } catch (error) {
      log.warn({ err: error }, 'registry: an answer could not be kept')
    }
    return result
  }

  function findOnce(domain: string, tld: string): Promise<RegistryResult> {
    const running = underWay.get(domain)
    if (running) return running
    const found = find(domain, tld).finally(() => underWay.delete(domain))
    underWay.set(domain, found)
    return found
  }

  return {
    async lookup(domain, signal) {
      signal?.throwIfAborted()
      const { registrable, tld } = registryName(domain)
      if (!registrable) {
        return { state: 'unknown', source: 'rdap', checkedAt: clock.now(), record: null }
      }
      // A caller who leaves does not take the response away from the others.
      const result = await unlessAborted(findOnce(registrable, tld), signal)
      // Nothing can be registered below a name that is not.
      if (result.state === 'available' && registrable !== domain) {
        return { ...result, state: 'unknown' }
      }
      return result
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}
