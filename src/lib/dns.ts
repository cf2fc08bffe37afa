import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Reads DNS. Null where nothing can be said: a server failed, or did not respond in time. */
export interface Dns {
  /** The TXT records of a name, the strings of each joined; CNAMEs are followed. */
  txt(name: string): Promise<string[] | null>
  /** The name servers that a domain is delegated to, in lower case and without the last dot. */
  nameservers(domain: string): Promise<string[] | null>
}

const TIMEOUT_MS = 2_000
const TRIES = 2
const MAX_CNAMES = 8

/** There is no such name, or it has no such record. */
const NOTHING = ['ENOTFOUND', 'ENODATA']

/** Asks these servers, each `host:port` or `host`; the system's where there are none. */
export function createDns(servers: readonly string[]): Dns {
  let made: Promise<Resolver> | undefined
  const resolver = () => {
    made ??= makeResolver(servers)
    made.catch(() => {
      made = undefined
    })
    return made
  }

  /** Null: not known. */
  async function ask(read: (resolver: Resolver) => Promise<string[]>): Promise<string[] | null> {
    try {
      return await read(await resolver())
    } catch (error) {
      return NOTHING.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : null
    }
  }

  async function txt(name: string, hops = 0): Promise<string[] | null> {
    const found = await ask(async (dns) =>
      (await dns.resolveTxt(name)).map((strings) => strings.join('')),
    )
    if (found === null || found.length > 0 || hops === MAX_CNAMES) return found
    // A server that does not recurse says where to look, and leaves that to us.
    const aliases = await ask((dns) => dns.resolveCname(name))
    const [alias] = aliases ?? []
    return alias === undefined ? aliases : await txt(alias, hops + 1)
  }

  return {
    txt,
    async nameservers(domain) {
      const hosts = await ask((dns) => dns.resolveNs(domain))
      return hosts?.map((host) => host.toLowerCase().replace(/\.$/, '')) ?? null
    },
  }
}

async function makeResolver(servers: readonly string[]): Promise<Resolver> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(await Promise.all(servers.map(addressOf)))
  return resolver
}

async function addressOf(server: string): Promise<string> {
  const [, host = server, port = '53'] = /^(.+?):(\d+)$/.exec(server) ?? []
  if (isIP(server) === 6) return server
  const bare = host.replace(/^\[|\]$/g, '')
  const address = isIP(bare) ? bare : (await lookup(bare)).address
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`
}
