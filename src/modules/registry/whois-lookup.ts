import { z } from 'zod'
import { domainField, iso, timestamp } from '../../kernel/fields.ts'
import { publicRead } from '../../kernel/operation.ts'
import type { WhoisRecord } from './registry.ts'
import { registryName } from './tlds.ts'

/** What is said of a name that has no record. */
const NO_RECORD: WhoisRecord = {
  registrar: null,
  registrant: null,
  created_at: null,
  updated_at: null,
  expires_at: null,
  status: [],
  nameservers: [],
  dnssec: null,
}

const REGISTERED = { available: false, registered: true, unknown: null } as const

const whoisView = z.object({
  domain: z.string().describe('The registered name that the answer is about, in A-labels'),
  registered: z.boolean().nullable().describe('Null: nothing could be found out'),
  registrar: z
    .object({
      name: z.string().nullable(),
      iana_id: z.string().nullable().describe("The number in IANA's registry of registrars"),
    })
    .nullable(),
  registrant: z
    .object({
      organization: z.string().nullable(),
      country: z.string().nullable().describe('ISO 3166 code'),
      redacted: z.boolean().describe('Whether more is known and withheld'),
    })
    .nullable()
    .describe('Null: the registry publishes nothing'),
  created_at: timestamp.nullable(),
  updated_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  status: z.array(z.string()).describe('EPP status codes, such as clientTransferProhibited'),
  nameservers: z.array(z.string()),
  dnssec: z.boolean().nullable().describe('Whether the delegation is signed; null: not said'),
  source: z.enum(['simulated', 'rdap', 'whois']),
  checked_at: timestamp.describe('When the registry was asked; answers are kept for a while'),
})

export type WhoisAnswer = z.output<typeof whoisView>

export const whoisLookup = publicRead({
  name: 'whois_lookup',
  summary: 'Who a domain is registered with, and until when',
  description:
    'Looks a domain up at its registry, by RDAP or else WHOIS: registrar, dates, name servers, status. ' +
    'A name below a registered one is answered as the registered one. Persons are never named. ' +
    'Use domain search instead to learn whether and for how much a name can be had.',
  method: 'POST',
  path: '/api/tools/whois',
  rate: 'whois',
  cacheSeconds: 0,
  input: z.object({ domain: domainField.describe('Such as example.com') }),
  output: whoisView,
  status: 200,
  errors: ['validation_error'],
  example: {
    input: { domain: 'example.com' },
    output: {
      domain: 'example.com',
      registered: true,
      registrar: { name: 'RESERVED-Internet Assigned Numbers Authority', iana_id: '376' },
      registrant: null,
      created_at: '1995-08-14T00:00:00.000Z',
      updated_at: '2025-08-14T00:00:00.000Z',
      expires_at: '2033-08-14T00:00:00.000Z',
      status: ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'],
      nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
      dnssec: true,
      source: 'simulated',
      checked_at: '2026-01-15T12:00:00.000Z',
    },
  },
  async handler({ house, signal }, { domain }) {
    const name = registryName(domain).registrable ?? domain
    const { state, source, checkedAt, record } = await house.registry.lookup(name, signal)
    return {
      domain: name,
      registered: REGISTERED[state],
      ...(record ?? NO_RECORD),
      source,
      checked_at: iso(checkedAt),
    }
  },
})
