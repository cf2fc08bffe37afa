import ipaddr from 'ipaddr.js'

/** Whether a text is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
}

/** Whether an address is one of these, or in one of these networks; an IPv4 address also in its IPv6 form. */
export function isAmong(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const given = ipaddr.process(address)
  return networks.some((network) => {
    const [base, bits] = network.includes('/')
      ? ipaddr.parseCIDR(network)
      : ([ipaddr.process(network), null] as const)
    if (base.kind() !== given.kind()) return false
    return given.match(base, bits ?? (base.kind() === 'ipv4' ? 32 : 128))
  })
}
