import { readTable } from './registry-data.ts'
import type { Tld, TldType } from './tlds.ts'

export interface Requirements {
  term: { min_years: number; max_years: number }
  grace_days: number
  organization: string | null
  registrant_countries: string[] | null
  nameservers: { required: boolean; min: number; max: number }
  dnssec: boolean
  idn: boolean
  privacy: boolean
}

type Column =
  | 'tld'
  | 'min_years'
  | 'max_years'
  | 'grace_days'
  | 'organization'
  | 'registrant_countries'
  | 'nameservers_required'
  | 'nameservers_min'
  | 'nameservers_max'
  | 'dnssec'
  | 'idn'
  | 'privacy'
  | 'source'

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'

const own = new Map<string, Requirements>(
  readTable<Column>('requirements.csv').map((row) => [row.tld, readRow(row)]),
)

function readRow(row: Record<Column, string>): Requirements {
  const countries = row.registrant_countries.replace('EU', EU).split(' ').filter(Boolean)
  return {
    term: { min_years: Number(row.min_years), max_years: Number(row.max_years) },
    grace_days: Number(row.grace_days),
    organization: row.organization || null,
    registrant_countries: countries.length > 0 ? countries.toSorted() : null,
    nameservers: {
      required: row.nameservers_required === 'yes',
      min: Number(row.nameservers_min),
      max: Number(row.nameservers_max),
    },
    dnssec: row.dnssec === 'yes',
    idn: row.idn === 'yes',
    privacy: row.privacy === 'yes',
  }
}

/** What ICANN's base registry agreement lets every generic top-level domain do. */
const GENERIC: Requirements = {
  term: { min_years: 1, max_years: 10 },
  grace_days: 45,
  organization: null,
  registrant_countries: null,
  nameservers: { required: false, min: 0, max: 13 },
  dnssec: true,
  idn: true,
  privacy: true,
}

const DEFAULTS: Record<TldType, Requirements> = {
  generic: GENERIC,
  'generic-restricted': GENERIC,
  sponsored: { ...GENERIC, organization: 'Members of the community that the sponsor serves' },
  'country-code': { ...GENERIC, grace_days: 30, idn: false, privacy: false },
  infrastructure: {
    ...GENERIC,
    organization: 'Names of the infrastructure of the Internet, made by the IETF and IANA',
    idn: false,
    privacy: false,
  },
  reserved: {
    ...GENERIC,
    term: { min_years: 0, max_years: 0 },
    grace_days: 0,
    organization: 'Nobody: reserved for tests and examples (RFC 2606)',
    nameservers: { required: false, min: 0, max: 0 },
    dnssec: false,
    idn: false,
    privacy: false,
  },
}

export function requirementsOf({ tld, type, isOpen }: Tld): Requirements {
  const found = own.get(tld) ?? DEFAULTS[type]
  if (isOpen || found.organization !== null) return found
  return { ...found, organization: "The registry's operator and whom it permits" }
}
