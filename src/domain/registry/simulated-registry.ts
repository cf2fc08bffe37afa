import { createHash } from 'node:crypto'
import type { WhoisRecord } from 'domain-marketplace-registry-lookup'
import { after, type Clock, HOUR, yearsAfter } from '../../lib/clock.ts'
import type { Registry, RegistryResult } from './registry.ts'
import { findTld, registryName } from './tlds.ts'

/** Made up, under the numbers that IANA keeps for tests: no true registrar is said to hold a made-up name. */
const REGISTRARS = [
  { name: 'Harbor Names (simulated)', iana_id: '9995' },
  { name: 'Larkspur Domains (simulated)', iana_id: '9996' },
  { name: 'Northlight Registrar (simulated)', iana_id: '9998' },
  { name: 'Quillwork Registry Services (simulated)', iana_id: '9999' },
]
const COUNTRIES = ['US', 'DE', 'GB', 'FR', 'NL', 'CA', 'IN', 'JP', 'BR', 'AU']
const ORGANIZATIONS = [null, null, 'Example Holdings Ltd', 'Sample Works GmbH', 'Placeholder Inc.']

/** Of labels with so many letters, so many of a hundred are taken. */
const TAKEN_PERCENT = [0, 100, 100, 98, 92, 80, 65, 50, 40, 32, 24, 16, 10, 6, 3]

const MARKMONITOR = { name: 'MarkMonitor Inc.', iana_id: '292' }
const IANA = { name: 'RESERVED-Internet Assigned Numbers Authority', iana_id: '376' }
const IANA_SERVERS = ['a.iana-servers.net', 'b.iana-servers.net']
/** Names that everybody would try, with what is publicly known of them. */
const WELL_KNOWN: Record<
  string,
  { registrar: WhoisRecord['registrar']; created: string; ns: string[] }
> = {
  'example.com': { registrar: IANA, created: '1995-08-14', ns: IANA_SERVERS },
  'example.net': { registrar: IANA, created: '1995-08-14', ns: IANA_SERVERS },
  'example.org': { registrar: IANA, created: '1995-08-31', ns: IANA_SERVERS },
  'iana.org': {
    registrar: null,
    created: '1995-06-05',
    ns: ['ns.icann.org', 'a.iana-servers.net'],
  },
  'icann.org': {
    registrar: null,
    created: '1998-09-14',
    ns: ['ns.icann.org', 'a.icann-servers.net'],
  },
  'google.com': {
    registrar: MARKMONITOR,
    created: '1997-09-15',
    ns: ['ns1.google.com', 'ns2.google.com'],
  },
  'youtube.com': {
    registrar: MARKMONITOR,
    created: '2005-02-15',
    ns: ['ns1.google.com', 'ns2.google.com'],
  },
  'github.com': {
    registrar: MARKMONITOR,
    created: '2007-10-09',
    ns: ['dns1.p08.nsone.net', 'dns2.p08.nsone.net'],
  },
  'wikipedia.org': {
    registrar: MARKMONITOR,
    created: '2001-01-13',
    ns: ['ns0.wikimedia.org', 'ns1.wikimedia.org'],
  },
  'amazon.com': {
    registrar: MARKMONITOR,
    created: '1994-11-01',
    ns: ['ns1.amzndns.com', 'ns2.amzndns.com'],
  },
  'microsoft.com': {
    registrar: MARKMONITOR,
    created: '1991-05-02',
    ns: ['ns1-39.azure-dns.com', 'ns2-39.azure-dns.net'],
  },
  'apple.com': { registrar: null, created: '1987-02-19', ns: ['a.ns.apple.com', 'b.ns.apple.com'] },
  'facebook.com': {
    registrar: null,
    created: '1997-03-29',
    ns: ['a.ns.facebook.com', 'b.ns.facebook.com'],
  },
  'cloudflare.com': {
    registrar: null,
    created: '2009-02-17',
    ns: ['ns3.cloudflare.com', 'ns4.cloudflare.com'],
  },
  'mit.edu': { registrar: null, created: '1985-05-23', ns: ['use2.akam.net', 'eur5.akam.net'] },
  'nasa.gov': { registrar: null, created: '1997-10-02', ns: ['a1-32.akam.net', 'a3-67.akam.net'] },
}

/**
 * Responds as registries do, always the same of the same name, without asking anyone: for the embedded
 * default, for tests, and wherever registries cannot be reached. Names that this service knows to be somebody's
 * are registered.
 */
export function createSimulatedRegistry(
  clock: Clock,
  isOwned: (domain: string) => Promise<boolean>,
): Registry {
  return {
    async lookup(domain, signal) {
      signal?.throwIfAborted()
      const result = { reason: null, source: 'simulated', checkedAt: clock.now() } as const
      const { registrable, tld } = registryName(domain)
      if (!registrable || !isAsked(registrable, tld)) {
        return { state: 'unknown', ...result, record: null }
      }
      const isTaken =
        isWellKnown(registrable) || isTakenByChance(registrable) || (await isOwned(registrable))
      if (isTaken) return { state: 'registered', ...result, record: madeUp(registrable) }
      // Nothing can be registered below a name that is not.
      const state: RegistryResult['state'] = registrable === domain ? 'available' : 'unknown'
      return { state, ...result, record: null }
    },
    async close() {},
  }
}

/** What a public registry would say nothing of stays unknown. */
function isAsked(registrable: string, tld: string): boolean {
  return (findTld(tld)?.isOpen ?? false) || isWellKnown(registrable)
}

function isWellKnown(domain: string): boolean {
  return Object.hasOwn(WELL_KNOWN, domain)
}

/** Short names of letters are mostly taken, on .com most of all; long ones and those with digits rarely. */
function isTakenByChance(domain: string): boolean {
  const [label = '', ...rest] = domain.split('.')
  const percent = TAKEN_PERCENT[label.length] ?? 0
  const rare = /[0-9-]/.test(label) && label.length > 4 ? 0.25 : 1
  const wanted = rest.join('.') === 'com' ? 1 : 0.6
  return dice(domain, 'taken') % 100 < percent * rare * wanted
}

function madeUp(domain: string): WhoisRecord {
  const known = isWellKnown(domain) ? WELL_KNOWN[domain] : undefined
  const registrar = pick(REGISTRARS, domain, 'registrar')
  const newYear = new Date(Date.UTC(1998 + (dice(domain, 'year') % 26), 0, 1))
  const created = known
    ? new Date(known.created)
    : after(newYear, (dice(domain, 'hour') % 8_700) * HOUR)
  const year = created.getUTCFullYear()
  const host = pick(['ns.simulated-dns.example', 'dns.simulated-host.example'], domain, 'host')
  return {
    registrar: known ? known.registrar : registrar,
    registrant: known
      ? null
      : {
          organization: pick(ORGANIZATIONS, domain, 'organization'),
          country: pick(COUNTRIES, domain, 'country'),
          redacted: true,
        },
    created_at: created.toISOString(),
    updated_at: yearsAfter(created, 2025 - year).toISOString(),
    // Far away, so that a response stays the same for as long as a simulation is in use.
    expires_at: yearsAfter(created, 2033 + (dice(domain, 'expiry') % 5) - year).toISOString(),
    status: known
      ? ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited']
      : ['clientTransferProhibited'],
    nameservers: known ? known.ns : [`ns1.${host}`, `ns2.${host}`],
    dnssec: dice(domain, 'dnssec') % 5 === 0,
  }
}

function pick<T>(choices: readonly T[], domain: string, what: string): T {
  return choices[dice(domain, what) % choices.length] as T
}

/** A number that looks thrown, and is always the same for a name and a question. */
function dice(domain: string, what: string): number {
  return createHash('sha256').update(`${what} ${domain}`).digest().readUInt32BE()
}
