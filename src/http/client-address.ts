import ipaddr from 'ipaddr.js'

/** As some proxies pass clients on: `203.0.113.7:61234`, `[2001:db8::7]:61234`. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\]]+)\]|(?<ipv4>[\d.]+)):\d+$/

/** An IPv6 client is its /64 network, since that is what one customer gets (contract, section 4). */
export function clientOf(forwarded: string): string {
  const address = read(forwarded)
  // Whatever else a trusted proxy passes on is no key to count by: all of it counts as one.
  if (address === null) return 'unknown'
  return address.kind() === 'ipv4' ? address.toString() : network(address, 64)
}

/** The /48 of an IPv6 client: the most that one line gets, which makes many clients. Null for any other. */
export function siteOf(forwarded: string): string | null {
  const address = read(forwarded)
  return address?.kind() === 'ipv6' ? network(address, 48) : null
}

function read(forwarded: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const { ipv4, ipv6 } = WITH_PORT.exec(forwarded)?.groups ?? {}
  const address = ipv4 ?? ipv6 ?? forwarded
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

function network(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const first = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`)
  return `${first.toString()}/${bits}`
}
