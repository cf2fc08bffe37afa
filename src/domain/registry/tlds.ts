import { parse } from 'tldts'
import { z } from 'zod'
import { ApiError } from '../../core/errors.ts'
import { readTable } from './registry-data.ts'

/** As in IANA's root database; `reserved` are those of RFC 2606, which no registry has. */
export const TLD_TYPES = [
  'generic',
  'generic-restricted',
  'sponsored',
  'country-code',
  'infrastructure',
  'reserved',
] as const
export type TldType = (typeof TLD_TYPES)[number]

export interface Tld {
  /** A-labels: `com`, `xn--p1ai`, and suffixes that registries sell names under, such as `co.uk`. */
  tld: string
  type: TldType
  /** Whether the public may register names in it. */
  isOpen: boolean
}

const known = new Map<string, Tld>(
  readTable<'tld' | 'type' | 'registration'>('tlds.csv').map(({ tld, type, registration }) => [
    tld,
    { tld, type: z.enum(TLD_TYPES).parse(type), isOpen: registration === 'open' },
  ]),
)

export function findTld(tld: string): Tld | null {
  return known.get(tld) ?? null
}

export function allTlds(): Tld[] {
  return [...known.values()]
}

export function mustFindTld(tld: string): Tld {
  const found = findTld(tld)
  if (found) return found
  throw new ApiError('not_found', `There is no top-level domain .${tld} that we know of.`)
}

/** A name as registries see it. */
export interface RegistryName {
  /** The name that is, or would be, registered: `example.com` of `www.example.com`; null of a suffix. */
  registrable: string | null
  /** The last label, by which its registry is found. */
  tld: string
}

export function registryName(domain: string): RegistryName {
  const tld = domain.slice(domain.lastIndexOf('.') + 1)
  // What ends in a private suffix, such as github.io, is still registered with the registry of .io.
  return { registrable: parse(domain, { allowPrivateDomains: false }).domain, tld }
}
