import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseUrl } from './parse-url.ts'

/** What the target of a request may be. */
export interface AddressPolicy {
  allowLoopback: boolean
  allowHttp: boolean
}

/** The policy does not let us reach the target. */
export class BlockedAddress extends Error {}

const IPV6_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** Where DNS64 puts IPv4 addresses (RFC 6052); a network with IPv6 alone reaches the rest so. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/** Azure's host agent: an internal service under an address that looks like any other. */
const AZURE_HOST = '168.63.129.16'

/** Whether an IP address is one that anybody on the internet reaches. False for what is no IP address. */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  if (address === null) return false
  if (address.kind() === 'ipv6' && !address.match(NAT64)) {
    // No other block holds public addresses (ipaddr.js calls them unicast too). 6to4 and Teredo are
    // ranges of their own in it, so that they are rejected whichever IPv4 address they embed.
    return address.match(IPV6_UNICAST) && address.range() === 'unicast'
  }
  const ipv4 = new ipaddr.IPv4(address.toByteArray().slice(-4))
  return ipv4.range() === 'unicast' && ipv4.toString() !== AZURE_HOST
}

/** Public addresses alone, this machine's too, or those of private networks (RFC 1918, RFC 4193) as well. */
export type Reach = 'public' | 'loopback' | 'private'

/** Whether a connection to an IP address is allowed. */
export function isAllowed(ip: string, reach: Reach): boolean {
  if (reach === 'public' || isPublicAddress(ip)) return isPublicAddress(ip)
  const range = parseAddress(ip)?.range()
  return (
    range === 'loopback' ||
    (reach === 'private' && (range === 'private' || range === 'uniqueLocal'))
  )
}

export function reachOf({ allowLoopback }: { allowLoopback: boolean }): Reach {
  return allowLoopback ? 'loopback' : 'public'
}

/** Says of a URL why the policy rejects it as it is written, or null when it does not. */
export function targetProblem(url: string, policy: AddressPolicy): string | null {
  const judged = judgeTarget(url, policy)
  return typeof judged === 'string' ? judged : null
}

/** The target, or why the policy rejects it. */
export function judgeTarget(url: string, policy: AddressPolicy): URL | string {
  // The URL parser would also take `https:host` and cut blanks and line breaks out.
  const target = /^https?:\/\/\S+$/i.test(url) ? parseUrl(url) : null
  if (target === null) return 'must be an absolute http or https URL'
  if (target.protocol === 'http:' && !policy.allowHttp) return 'must use https'
  if (target.username !== '' || target.password !== '') {
    return 'must not contain credentials'
  }
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host, reachOf(policy))) {
    return 'must not point to an address that is not public'
  }
  if (/(?:^|\.)localhost\.*$/.test(host) && !policy.allowLoopback) {
    return 'must not point to localhost'
  }
  return target
}

/** Whether an address is one that only this machine reaches. */
export function isLoopbackUrl(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}

/** An IPv4-mapped address is read as the IPv4 address. */
function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // ipaddr.js also takes `127.1` and the like, which others read in other ways.
  return isIP(ip) !== 0 && ipaddr.isValid(ip) ? ipaddr.process(ip) : null
}
