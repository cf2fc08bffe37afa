import { BlockList, isIP } from 'node:net'
import { parseDomainName } from 'domain-marketplace-domain-names'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { AppContext } from '../core/context.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { isLoopback, landerAt } from './hosts.ts'

/** The networks that `TRUSTED_PROXIES` takes by name. */
const NETWORKS: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Whether a proxy may ask for a certificate for a name (contract, section 18): for those that have a lander here, and
 * for `www.` of them, which leads there. It responds to the proxy itself and to nobody whom the proxy passes on.
 */
export function serveTlsAllowed(fastify: FastifyInstance, app: AppContext): void {
  const proxies = networksOf(app.settings.trustedProxies)

  fastify.get<{ Querystring: { domain?: string | string[] } }>(
    '/internal/tls-allowed',
    async (request, reply) => {
      const { remoteAddress } = request.raw.socket
      const isProxy = isLoopback(remoteAddress) || isAmong(proxies, remoteAddress)
      if (!isProxy || request.headers['x-forwarded-for'] !== undefined) {
        throw new ApiError('forbidden', 'Only a proxy of the service may ask this, for itself.')
      }
      const { domain } = request.query
      const name = typeof domain === 'string' ? parseDomainName(domain) : null
      const lander = name && (await landerAt(app, name.domain))
      if (!lander) throw notFound('name on the market')
      return reply.header('cache-control', 'no-store').send({ domain: name.domain })
    },
  )
}

function networksOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries.flatMap((name) => NETWORKS[name] ?? [name])) {
    const [address = '', prefix] = entry.split('/')
    const version = isIP(address)
    list.addSubnet(address, Number(prefix ?? (version === 4 ? 32 : 128)), `ipv${version as 4 | 6}`)
  }
  return list
}

/** An IPv4-mapped address is read as the IPv4 address. */
function isAmong(list: BlockList, address: string | undefined): boolean {
  if (address === undefined || isIP(address) === 0) return false
  const parsed = ipaddr.process(address)
  return list.check(parsed.toString(), parsed.kind())
}
