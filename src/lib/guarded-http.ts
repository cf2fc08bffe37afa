import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import { type ExchangeAnswer, type ExchangeRequest, exchange } from './exchange.ts'

/** What the target of a request may be. */
export interface AddressPolicy {
  allowLoopback: boolean
  allowHttp: boolean
}

/** Requests to addresses that others chose. Redirects are answered, not followed. */
export interface GuardedHttp {
  request(url: string, policy: AddressPolicy, request: ExchangeRequest): Promise<ExchangeAnswer>
  /** Waits for the requests under way, then ends all connections. */
  close(): Promise<void>
}

export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/** The policy does not let us reach the target. */
export class BlockedAddress extends Error {}

/** Also ends the attempts whose request has passed its deadline: undici cannot abort those. */
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 4_000

const IPV6_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** Where DNS64 puts IPv4 addresses (RFC 6052); a network with IPv6 alone reaches the rest so. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/** Azure's host agent: an internal service under an address that looks like any other. */
const AZURE_HOST = '168.63.129.16'

export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  if (address === null) return false
  if (address.kind() === 'ipv6' && !address.match(NAT64)) {
    // No other block holds public addresses (ipaddr.js calls them unicast too). 6to4 and Teredo are
    // ranges of their own in it, so that they are refused whichever IPv4 address they embed.
    return address.match(IPV6_UNICAST) && address.range() === 'unicast'
  }
  const ipv4 = new ipaddr.IPv4(address.toByteArray().slice(-4))
  return ipv4.range() === 'unicast' && ipv4.toString() !== AZURE_HOST
}

/** Says of a URL why the policy refuses it as it is written, or null when it does not. */
export function targetProblem(url: string, policy: AddressPolicy): string | null {
  const judged = judgeTarget(url, policy)
  return typeof judged === 'string' ? judged : null
}

function judgeTarget(url: string, policy: AddressPolicy): URL | string {
  // The URL parser would also take `https:host` and cut blanks and line breaks out.
  if (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url)) {
    return 'must be an absolute http or https URL'
  }
  const target = new URL(url)
  if (target.protocol === 'http:' && !policy.allowHttp) return 'must use https'
  if (target.username !== '' || target.password !== '') {
    return 'must not contain credentials'
  }
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host, policy.allowLoopback)) {
    return 'must not point to an address that is not public'
  }
  if (/(?:^|\.)localhost\.*$/.test(host) && !policy.allowLoopback) {
    return 'must not point to localhost'
  }
  return target
}

export function createGuardedHttp(options: { lookup?: Lookup } = {}): GuardedHttp {
  // A kept connection was checked for one policy only, so the two kinds share none.
  const publicAgent = guardedAgent(false, options.lookup ?? askNameServers)
  const loopbackAgent = guardedAgent(true, options.lookup ?? askSystem)
  const underWay = new Set<Promise<ExchangeAnswer>>()

  return {
    async request(url, policy, request) {
      const target = judgeTarget(url, policy)
      if (typeof target === 'string') throw new BlockedAddress(`The URL ${target}.`)
      const agent = policy.allowLoopback ? loopbackAgent : publicAgent
      const answer = exchange(agent, target, request)
      underWay.add(answer)
      return answer.finally(() => underWay.delete(answer))
    },
    async close() {
      await Promise.allSettled(underWay)
      await Promise.all([publicAgent.destroy(), loopbackAgent.destroy()])
    },
  }
}

/** Gives connections the allowed addresses of a name and no others. */
export function guardedLookup(
  allowLoopback: boolean,
  resolve: Lookup = allowLoopback ? askSystem : askNameServers,
): LookupFunction {
  async function allowedAddresses(hostname: string): Promise<LookupAddress[]> {
    const found = await resolve(hostname)
    const allowed = found.filter(({ address }) => isAllowed(address, allowLoopback))
    if (allowed.length === 0) throw new BlockedAddress(`${hostname} has no public address.`)
    return allowed
  }
  return (hostname, _options, callback) => {
    allowedAddresses(hostname).then(
      (allowed) => callback(null, allowed),
      (error) => callback(error, []),
    )
  }
}

function guardedAgent(allowLoopback: boolean, resolve: Lookup): Agent {
  const lookup = guardedLookup(allowLoopback, resolve)
  const dial = buildConnector({ lookup, autoSelectFamily: true, timeout: CONNECT_TIMEOUT_MS })
  return new Agent({
    // Node asks no lookup for an IP literal; `targetProblem` has judged those before we come here.
    connect: (target, callback) =>
      dial(target, (error, socket) => {
        if (error !== null) return callback(error, null)
        const peer = socket.remoteAddress
        if (peer !== undefined && isAllowed(peer, allowLoopback)) return callback(null, socket)
        socket.destroy()
        if (peer === undefined) return callback(new Error('The target hung up at once.'), null)
        callback(new BlockedAddress(`${target.hostname} is not at a public address.`), null)
      }),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Otherwise the other side could have us keep a connection for ten minutes.
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

export function isAllowed(ip: string, allowLoopback: boolean): boolean {
  return isPublicAddress(ip) || (allowLoopback && parseAddress(ip)?.range() === 'loopback')
}

/** An IPv4-mapped address is read as the IPv4 address. */
function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // ipaddr.js also takes `127.1` and the like, which others read in other ways.
  return isIP(ip) !== 0 && ipaddr.isValid(ip) ? ipaddr.process(ip) : null
}

/** Without the threads of getaddrinfo: there two names that hang would hold up all others. */
async function askNameServers(hostname: string): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && answers[0].status === 'rejected') throw answers[0].reason
  return found.map((address) => ({ address, family: isIP(address) }))
}

/** Where loopback is a target, the hosts file counts too. */
const askSystem: Lookup = (hostname) => dns.lookup(hostname, { all: true })
