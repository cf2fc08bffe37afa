import ipaddr from 'ipaddr.js'

/** An IPv6 client is its /64 network, since that is what one customer gets (contract, section 4). */
export function clientOf(address: string): string {
  // Whatever else a trusted proxy passes on is no key to count by: all of it counts as one.
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`)
  return `${network.toString()}/64`
}
