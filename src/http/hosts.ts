import { isIP } from 'node:net'
import { parseDomainName } from 'domain-marketplace-domain-names'
import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { AppContext } from '../core/context.ts'
import type { Settings } from '../core/settings.ts'
import type { Database } from '../db/dialect.ts'
import { findLiveListing, type Listing } from '../domain/listings/listing.ts'
import { MONITORED } from './health.ts'

/** What monitors and our own proxy ask for. */
const AT_ANY_HOST = new Set([...MONITORED, '/internal/tls-allowed'])

/** The host that a request is for, in lower case, without its port; null where there is none or it is malformed. */
export function hostOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const [, host] = /^(\[[^\]]+\]|[^\s:[\]]+?)\.?(?::\d*)?$/.exec(headers.host ?? '') ?? []
  return host?.toLowerCase() ?? null
}

/**
 * Whether a request is for the service itself: for the host of `BASE_URL`, or for this machine by one of its own names
 * while `BASE_URL` is loopback, or while the request comes from this machine.
 */
export function isForService(
  request: FastifyRequest,
  { baseUrl, admin }: Pick<Settings, 'baseUrl' | 'admin'>,
): boolean {
  const { raw, routeOptions } = request
  // Only HTTP/1.0 gets here without it, which some health checks speak.
  if (request.headers.host === undefined) return true
  if (AT_ANY_HOST.has(routeOptions.url ?? '')) return true
  if (admin !== null && raw.socket.localPort === admin.port) return true
  const host = hostOf(request)
  if (host === null) return false
  if (host === new URL(baseUrl).hostname) return true
  const isLocal = isLoopbackUrl(`http://${host}`) || host.endsWith('.localhost')
  if (!isLoopbackUrl(baseUrl)) return isLocal && isLoopback(raw.socket.remoteAddress)
  // A container's name, and the address that the connection came in at.
  return isLocal || !/[.:]/.test(host) || sameAddress(host, raw.socket.localAddress)
}

/**
 * A live name that is on the market: its owner has proved it, or an operator has imported it. Without either it could
 * not be listed.
 */
async function listedAt(db: Database, host: string | null): Promise<Listing | undefined> {
  const name = host === null ? null : parseDomainName(host)
  const listing = name === null ? undefined : await findLiveListing(db, name.domain)
  return listing?.status === 'listed' ? listing : undefined
}

/** What is served at a host that is not the service's own: a name's lander, or the way from `www.` to it. */
export async function landerAt(
  { db }: Pick<AppContext, 'db'>,
  host: string | null,
): Promise<{ listing: Listing; isWww: boolean } | null> {
  const [listing, bare] = await Promise.all([
    listedAt(db, host),
    host?.startsWith('www.') ? listedAt(db, host.slice(4)) : undefined,
  ])
  if (listing) return { listing, isWww: false }
  return bare ? { listing: bare, isWww: true } : null
}

export function isLoopback(address: string | undefined): boolean {
  if (address === undefined || isIP(address) === 0) return false
  return ipaddr.process(address).range() === 'loopback'
}

function sameAddress(host: string, address: string | undefined): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) === 0 || address === undefined || isIP(address) === 0) return false
  return ipaddr.process(bare).toString() === ipaddr.process(address).toString()
}
