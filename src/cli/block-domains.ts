import { domainsIn } from './field-options.ts'
import { Failed, readText, type Terminal } from './terminal.ts'

/** What one request takes. */
const AT_ONCE = 10_000

/** Blocks the domains of a file, some thousands in a request. */
export async function blockDomains({ ask, print }: Terminal, file: string): Promise<void> {
  const domains = domainsIn(readText(file))
  if (domains.length === 0) throw new Failed(`error: ${file} names no domains`)
  const sum = { blocked: 0, withdrawn: 0 }
  for (let at = 0; at < domains.length; at += AT_ONCE) {
    const some = { domains: domains.slice(at, at + AT_ONCE) }
    const done = (await ask('POST', '/blocked-domains', some)) as typeof sum
    sum.blocked += done.blocked
    sum.withdrawn += done.withdrawn
  }
  print(sum)
}
