import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici'

/** What the target of a request may be. */
export interface AddressPolicy {
  allowLoopback: boolean
  allowHttp: boolean
}

export interface GuardedRequest {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** One deadline for the whole: name resolution, connection, TLS, headers and body. */
  timeoutMs: number
  maxBodyBytes: number
  /**
   * Answer with the headers and so much of the body, whatever becomes of the rest: what has not come a
   * moment after the headers is thrown away unread, and `maxBodyBytes` means nothing.
   */
  peekBytes?: number
  /** Ends the request before its deadline. */
  signal?: AbortSignal
}

interface GuardedResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Requests to addresses that others chose. Redirects are answered, not followed. */
export interface GuardedHttp {
  request(url: string, policy: AddressPolicy, request: GuardedRequest): Promise<GuardedResponse>
  /** Waits for the requests under way, then ends all connections. */
  close(): Promise<void>
}

export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/** The policy does not let us reach the target. */
export class BlockedAddress extends Error {}
export class ResponseTooLarge extends Error {}
export class DeadlinePassed extends Error {}

/** Also ends the attempts whose request has passed its deadline: undici cannot abort those. */
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 4_000
/** How long a body may take to begin, where only its beginning is wanted. */
const PEEK_MS = 200

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

/** Says in a sentence why the policy refuses a URL as it is written, or null when it does not. */
export function targetProblem(url: string, policy: AddressPolicy): string | null {
  // The URL parser would also take `https:host` and cut blanks and line breaks out.
  if (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url)) {
    return 'The URL must be an absolute http or https URL.'
  }
  const { protocol, hostname, username, password } = new URL(url)
  if (protocol === 'http:' && !policy.allowHttp) return 'The URL must use https.'
  if (username !== '' || password !== '') return 'The URL must not contain credentials.'
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host, policy.allowLoopback)) {
    return 'The URL must not point to an address that is not public.'
  }
  if (/(?:^|\.)localhost\.*$/.test(host) && !policy.allowLoopback) {
    return 'The URL must not point to localhost.'
  }
  return null
}

export function createGuardedHttp(options: { lookup?: Lookup } = {}): GuardedHttp {
  // A kept connection was checked for one policy only, so the two kinds share none.
  const publicAgent = guardedAgent(false, options.lookup ?? askNameServers)
  const loopbackAgent = guardedAgent(true, options.lookup ?? askSystem)
  const underWay = new Set<Promise<GuardedResponse>>()

  return {
    async request(url, policy, request) {
      const problem = targetProblem(url, policy)
      if (problem !== null) throw new BlockedAddress(problem)
      const { peekBytes, maxBodyBytes } = request
      const agent = policy.allowLoopback ? loopbackAgent : publicAgent
      const answer =
        peekBytes === undefined
          ? withDeadline(request, async (signal) =>
              withBody(await exchange(agent, url, request, signal), wholeOf, maxBodyBytes),
            )
          : // An answer whose headers came in time is one, however its body goes on.
            withDeadline(request, (signal) => exchange(agent, url, request, signal)).then(
              (response) => withBody(response, beginningOf, peekBytes),
            )
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

async function exchange(
  dispatcher: Agent,
  url: string,
  { method, headers, body }: GuardedRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return await send(url, { dispatcher, method, headers, body: body ?? null, signal })
}

async function withBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  read: (body: Readable, bytes: number) => Promise<Buffer>,
  bytes: number,
): Promise<GuardedResponse> {
  return { status: statusCode, headers, body: await read(body, bytes) }
}

async function wholeOf(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    received += chunk.length
    // Leaving the loop destroys the body and with it the connection.
    if (received > maxBytes) throw new ResponseTooLarge(`More than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Never fails: a body that breaks off has begun with what came. Read to its end, it leaves the connection. */
async function beginningOf(body: Readable, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  body.on('error', () => {})
  const timer = setTimeout(() => body.destroy(), PEEK_MS)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      received += chunk.length
      if (received > bytes) break
    }
  } catch {
    // What has come is all there is.
  } finally {
    clearTimeout(timer)
  }
  // A copy, so that nobody who keeps it keeps a whole chunk.
  return Buffer.concat(chunks, Math.min(received, bytes))
}

/** Rejects at the deadline by itself, since undici notes an abort only once it is connected. */
export function withDeadline<T>(
  { timeoutMs, signal }: Pick<GuardedRequest, 'timeoutMs' | 'signal'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const end = (error: unknown) => {
      reject(error)
      controller.abort(error)
    }
    const late = () => end(new DeadlinePassed(`No complete answer within ${timeoutMs} ms.`))
    const leave = () => end(signal?.reason)
    if (signal?.aborted) return leave()
    const timer = setTimeout(late, timeoutMs)
    signal?.addEventListener('abort', leave, { once: true })
    work(controller.signal)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      })
      .then(resolve, reject)
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
