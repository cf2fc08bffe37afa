import { z } from 'zod'

/** Which RDAP servers are asked about which top-level domain: the only ones that are ever asked. */
export interface Bootstrap {
  publication: Date
  servers: ReadonlyMap<string, readonly string[]>
}

const File = z.object({
  publication: z.iso.datetime({ offset: true }),
  services: z.array(
    z.tuple([z.array(z.string().max(80)), z.array(z.string().max(500))], z.unknown()),
  ),
})

/** Reads IANA's file (RFC 9224). Servers that can be asked over TLS go before those that cannot. */
export function readBootstrap(text: string): Bootstrap {
  const { publication, services } = File.parse(JSON.parse(text))
  const servers = new Map<string, string[]>()
  for (const [tlds, urls] of services) {
    const good = urls.filter(isBase).toSorted((a, b) => Number(isPlain(a)) - Number(isPlain(b)))
    for (const tld of good.length > 0 ? tlds : []) servers.set(tld.toLowerCase(), good)
  }
  return { publication: new Date(publication), servers }
}

const isPlain = (url: string) => url.startsWith('http:')
const isBase = (url: string) => /^https?:\/\/[^@?#\s]+\/$/.test(url) && URL.canParse(url)
