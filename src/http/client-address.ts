import ipaddr from 'ipaddr.js'

/** As some proxies pass clients on: `203.0.113.7:61234`, `[2001:db8::7]:61234`. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\]]+)\]|(?<ipv4>[\d.]+)):\d+$/

/** An IPv6 client is its /64 network, since that is what one customer gets (contract, section 4). */
export function clientOf(forwarded: string): string {
  const { ipv4, ipv6 } = WITH_PORT.exec(forwarded)?.groups ?? {}
  const address = ipv4 ?? ipv6 ?? forwarded
  // Whatever else a trusted proxy passes on is no key to count by: all of it counts as one.
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`)
  return `${network.toString()}/64`
}
