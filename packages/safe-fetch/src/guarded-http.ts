import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import {
  type AddressPolicy,
  BlockedAddress,
  isAllowed,
  judgeTarget,
  type Reach,
} from './addresses.ts'
import { type ExchangeRequest, type ExchangeResponse, exchange } from './exchange.ts'

/** Requests to addresses that others chose. Redirects are not followed: they come as the response. */
export interface GuardedHttp {
  request(url: string, policy: AddressPolicy, request: ExchangeRequest): Promise<ExchangeResponse>
  /** Waits for the requests under way, then ends all connections. */
  close(): Promise<void>
}

export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/** Also ends the attempts whose request has passed its deadline: undici cannot abort those. */
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 4_000

export function createGuardedHttp(options: { lookup?: Lookup } = {}): GuardedHttp {
  // A kept connection was checked for one policy only, so the two kinds share none.
  const publicAgent = guardedAgent('public', options.lookup ?? queryNameServers)
  const loopbackAgent = guardedAgent('loopback', options.lookup ?? askSystem)
  const underWay = new Set<Promise<ExchangeResponse>>()

  return {
    async request(url, policy, request) {
      const target = judgeTarget(url, policy)
      if (typeof target === 'string') throw new BlockedAddress(`The URL ${target}.`)
      const agent = policy.allowLoopback ? loopbackAgent : publicAgent
      const result = exchange(agent, target, request)
      underWay.add(result)
      return result.finally(() => underWay.delete(result))
    },
    async close() {
      await Promise.allSettled(underWay)
      await Promise.all([publicAgent.destroy(), loopbackAgent.destroy()])
    },
  }
}

/** Gives connections the allowed addresses of a name and no others. */
export function guardedLookup(
  reach: Reach,
  resolve: Lookup = reach === 'public' ? queryNameServers : askSystem,
): LookupFunction {
  async function allowedAddresses(hostname: string): Promise<LookupAddress[]> {
    const found = await resolve(hostname)
    const allowed = found.filter(({ address }) => isAllowed(address, reach))
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

function guardedAgent(reach: Reach, resolve: Lookup): Agent {
  const lookup = guardedLookup(reach, resolve)
  const dial = buildConnector({ lookup, autoSelectFamily: true, timeout: CONNECT_TIMEOUT_MS })
  return new Agent({
    // Node asks no lookup for an IP literal; `targetProblem` has judged those before we come here.
    connect: (target, callback) =>
      dial(target, (error, socket) => {
        if (error !== null) return callback(error, null)
        const peer = socket.remoteAddress
        if (peer !== undefined && isAllowed(peer, reach)) return callback(null, socket)
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

/** Without the threads of getaddrinfo: there two names that hang would hold up all others. */
async function queryNameServers(hostname: string): Promise<LookupAddress[]> {
  const responses = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)])
  const found = responses.flatMap((response) =>
    response.status === 'fulfilled' ? response.value : [],
  )
  if (found.length === 0 && responses[0].status === 'rejected') throw responses[0].reason
  return found.map((address) => ({ address, family: isIP(address) }))
}

/** Where loopback is a target, the hosts file counts too. */
const askSystem: Lookup = (hostname) => dns.lookup(hostname, { all: true })
