import { type GuardedHttp, unlessAborted } from 'domain-marketplace-safe-fetch'
import type { Bootstrap } from './bootstrap.ts'
import type { Clock } from './clock.ts'
import { queryRdap } from './rdap.ts'
import type { RegistryResult } from './result.ts'
import { createUpstreamLimits } from './upstream-limits.ts'
import { cleanText, type Outcome, UpstreamFailed } from './upstream-response.ts'
import { queryWhois } from './whois.ts'

/** A server that speaks WHOIS (RFC 3912), and the form of its query, such as `-T dn,ace {domain}`. */
export interface WhoisServer {
  server: string
  query: string
}

export interface RegistryLookupOptions {
  http: GuardedHttp
  clock: Clock
  /** To one server, from this process. */
  queriesPerMinute: number
  /** The RDAP servers that may be asked, as known now. */
  bootstrap(): Promise<Bootstrap>
  /** The WHOIS servers that may be asked, by top-level domain. */
  whoisServers: ReadonlyMap<string, WhoisServer>
  whoisPort?: number
  /** Whether servers may be on this machine; for tests. */
  allowLoopback?: boolean
  /** Keeps results for a while. */
  cache: {
    read(domain: string): Promise<RegistryResult | null>
    write(domain: string, result: RegistryResult): Promise<void>
  }
  /** Hears which server gave no response that could be relied on, and why. */
  onFailure?(failure: {
    server: string
    source: RegistryResult['source']
    reason: string | null
  }): void
  deadlines?: { wholeMs: number; eachMs: number }
}

export interface RegistryLookup {
  /**
   * What the registry says of a registrable name. It never rejects for what a registry does or fails to do:
   * what cannot be found out is `unknown`. It rejects when the signal aborts.
   * @param client who asks: one of them may use a quarter of what a server may be asked. Their questions wait for
   *   their turn, as long as the deadline allows; those of nobody, as of jobs, do not.
   * @param maxAgeMs a kept result that is as old or older is not returned: the registry is asked. Absent: the cache decides
   */
  lookup(
    domain: string,
    tld: string,
    signal?: AbortSignal,
    client?: string,
    maxAgeMs?: number,
  ): Promise<RegistryResult>
  /** Ends what is under way. */
  close(): Promise<void>
}

/** One question to a registry takes no longer, whichever ways are tried. */
const DEADLINES = { wholeMs: 10_000, eachMs: 5_000 }
const WHOIS_PORT = 43
const MAX_RDAP_SERVERS = 2

/** A way to ask for a name, with the server that it counts against. */
interface Way {
  source: RegistryResult['source']
  server: string
  ask(signal: AbortSignal): Promise<Outcome>
}

/** Asks the registries: RDAP first, WHOIS where there is none or it fails. A name is asked for once at a time. */
export function createRegistryLookup(options: RegistryLookupOptions): RegistryLookup {
  const { http, clock, cache, whoisServers } = options
  const { whoisPort = WHOIS_PORT, allowLoopback = false } = options
  const { wholeMs, eachMs } = options.deadlines ?? DEADLINES
  const limits = createUpstreamLimits(options.queriesPerMinute, clock)
  const closing = new AbortController()
  const underWay = new Map<string, Promise<RegistryResult>>()

  async function waysTo(domain: string, tld: string): Promise<Way[]> {
    const { servers } = await options.bootstrap()
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

  async function find(
    domain: string,
    tld: string,
    client: string | undefined,
    maxAgeMs: number,
  ): Promise<RegistryResult> {
    const kept = await cache.read(domain)
    if (kept && clock.now().getTime() - kept.checkedAt.getTime() < maxAgeMs) return kept
    const ways = await waysTo(domain, tld)
    const signal = AbortSignal.any([AbortSignal.timeout(wholeMs), closing.signal])
    let source: Way['source'] = 'rdap'
    let isAsked = false
    for (const way of ways) {
      source = way.source
      if (signal.aborted || !(await limits.take(way.server, client, signal))) continue
      isAsked = true
      try {
        const outcome = await way.ask(signal)
        const found = { reason: null, ...outcome, source, checkedAt: clock.now() }
        return await keep(domain, found)
      } catch (error) {
        if (closing.signal.aborted) break
        if (error instanceof UpstreamFailed && error.retryAfterMs !== undefined) {
          limits.backOff(way.server, error.retryAfterMs)
        }
        // It may quote what the server sent.
        const reason = cleanText(error instanceof Error ? error.message : String(error))
        options.onFailure?.({ server: way.server, source, reason })
      }
    }
    const checkedAt = clock.now()
    const result = { state: 'unknown', reason: null, source, checkedAt, record: null } as const
    // What was not asked is asked next time.
    return isAsked && !closing.signal.aborted ? await keep(domain, result) : result
  }

  async function keep(domain: string, result: RegistryResult): Promise<RegistryResult> {
    await cache.write(domain, result)
    return result
  }

  function findOnce(
    domain: string,
    tld: string,
    client: string | undefined,
    maxAgeMs: number,
  ): Promise<RegistryResult> {
    // One that may return an older result is another question.
    const key = `${domain} ${maxAgeMs}`
    const running = underWay.get(key)
    if (running) return running
    const found = find(domain, tld, client, maxAgeMs).finally(() => underWay.delete(key))
    underWay.set(key, found)
    return found
  }

  return {
    async lookup(domain, tld, signal, client, maxAgeMs = Number.POSITIVE_INFINITY) {
      signal?.throwIfAborted()
      // A caller who leaves does not take the response away from the others.
      return await unlessAborted(findOnce(domain, tld, client, maxAgeMs), signal)
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}
