import { Resolver } from 'node:dns/promises'
import {
  type AddressPolicy,
  BlockedAddress,
  type GuardedHttp,
  ResponseTooLarge,
  withDeadline,
} from 'domain-marketplace-safe-fetch'
import { sql } from 'kysely'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, type Clock, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { isParkingServer, judgePage, type Page } from './parked.ts'

/** `parked`: something responds, and it is no site of the owner's. `none`: nothing does. */
export type SiteState = 'active' | 'parked' | 'none' | 'unknown'

export interface SiteProbe {
  /** Whether a site runs on a domain: what cannot be found out is `unknown`. Rejects only for the database. */
  check(domain: string): Promise<SiteState>
}

/** What a name server says of a domain. */
type Resolution = { state: 'addresses' | 'none' | 'unknown'; nameservers: string[] }

interface ProbeParts {
  db: Database
  clock: Clock
  http: GuardedHttp
  resolve?: (domain: string) => Promise<Resolution>
  /** Where its site would be, best first; tests have servers of their own. */
  origins?: (domain: string) => string[]
  policy?: AddressPolicy
  timeoutMs?: number
}

/** For how long a response is good: sites stay, and a failure may pass. */
const LIFETIME_MS: Record<SiteState, number> = {
  active: 6 * HOUR,
  parked: HOUR,
  none: HOUR,
  unknown: MINUTE,
}
const TIMEOUT_MS = 6 * SECOND
const REQUEST_MS = 3 * SECOND
const DNS_MS = 2 * SECOND
const MAX_REDIRECTS = 4
const MAX_PAGE_BYTES = 512 * 1024
const PUBLIC: AddressPolicy = { allowLoopback: false, allowHttp: true }
const HEADERS = {
  accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; domain-marketplace-brokerage/1)',
}

export function createSiteProbe(parts: ProbeParts): SiteProbe {
  const { db, clock, timeoutMs = TIMEOUT_MS } = parts
  const underWay = new Map<string, Promise<SiteState>>()

  async function check(domain: string): Promise<SiteState> {
    const known = await readCheck(db, domain, clock.now())
    if (known) return known
    const state = await withDeadline({ timeoutMs }, (signal) => probe(parts, domain, signal)).catch(
      () => 'unknown' as const,
    )
    await keepCheck(db, domain, state, clock.now())
    return state
  }

  return {
    check(domain) {
      // Whoever asks while the question runs joins it.
      const running = underWay.get(domain) ?? check(domain).finally(() => underWay.delete(domain))
      underWay.set(domain, running)
      return running
    },
  }
}

async function probe(parts: ProbeParts, domain: string, signal: AbortSignal): Promise<SiteState> {
  const { origins = originsOf, resolve = queryNameServers } = parts
  const found = await resolve(domain)
  if (found.state !== 'addresses') return found.state
  if (found.nameservers.some(isParkingServer)) return 'parked'
  const states: SiteState[] = []
  for (const origin of origins(domain)) {
    const state = await visit(parts, origin, signal)
    if (state === 'active' || state === 'parked') return state
    states.push(state)
  }
  return states.includes('unknown') ? 'unknown' : 'none'
}

function originsOf(domain: string): string[] {
  return [`https://${domain}/`, `http://${domain}/`, `https://www.${domain}/`]
}

/** Goes to a site as a browser would, each step through the guard. */
async function visit(
  { http, policy = PUBLIC }: ProbeParts,
  origin: string,
  signal: AbortSignal,
): Promise<SiteState> {
  let url = origin
  for (let steps = 0; steps <= MAX_REDIRECTS; steps++) {
    let page: Page
    try {
      const response = await http.request(url, policy, {
        method: 'GET',
        headers: HEADERS,
        timeoutMs: REQUEST_MS,
        maxBodyBytes: MAX_PAGE_BYTES,
        signal,
      })
      page = {
        url,
        status: response.status,
        headers: response.headers,
        body: response.body.toString(),
      }
    } catch (error) {
      return stateOfFailure(error)
    }
    const verdict = judgePage(page, origin)
    if (typeof verdict === 'string') return verdict
    url = verdict.redirect
  }
  // A server that sends its visitors in circles is at least not a site that anyone can read.
  return 'none'
}

/** Nobody listens: no site. A server that is slow or broken tells nothing. */
function stateOfFailure(error: unknown): SiteState {
  if (error instanceof BlockedAddress) return 'none'
  const { code } = error as NodeJS.ErrnoException
  // Nobody runs a page of half a megabyte for no reason.
  if (error instanceof ResponseTooLarge) return 'active'
  const silent = ['ECONNREFUSED', 'ENOTFOUND', 'ENODATA', 'EHOSTUNREACH', 'ENETUNREACH']
  if (silent.includes(code ?? '')) return 'none'
  // A broken certificate keeps browsers out; the plain address may still serve.
  if (code && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'none'
  return 'unknown'
}

async function queryNameServers(domain: string): Promise<Resolution> {
  const resolver = new Resolver({ timeout: DNS_MS, tries: 1 })
  const [ipv4, ipv6, servers] = await Promise.allSettled([
    resolver.resolve4(domain),
    resolver.resolve6(domain),
    resolver.resolveNs(domain),
  ])
  const nameservers = servers.status === 'fulfilled' ? servers.value : []
  if (ipv4.status === 'fulfilled' || ipv6.status === 'fulfilled') {
    return { state: 'addresses', nameservers }
  }
  const saidNo = [ipv4, ipv6].every(
    ({ reason }) => reason?.code === 'ENOTFOUND' || reason?.code === 'ENODATA',
  )
  return { state: saidNo ? 'none' : 'unknown', nameservers }
}

async function readCheck(db: Database, domain: string, now: Date): Promise<SiteState | undefined> {
  const row = await db
    .selectFrom('site_checks')
    .select('state')
    .where('domain', '=', domain)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.state
}

async function keepCheck(db: Database, domain: string, state: SiteState, now: Date): Promise<void> {
  const row = { state, checked_at: now, expires_at: after(now, LIFETIME_MS[state]) }
  await db
    .insertInto('site_checks')
    .values({ domain, ...row })
    .onConflict((known) => known.column('domain').doUpdateSet(row))
    .execute()
}

export async function purgeSiteChecks(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(db, 'site_checks', sql`expires_at <= ${now}`, signal)
}
