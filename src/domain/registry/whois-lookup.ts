import type { WhoisRecord } from 'domain-marketplace-registry-lookup'
import { z } from 'zod'
import { clientOf } from '../../core/caller.ts'
import { domainField, iso, timestamp } from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import { forSaleField, forSaleView, readForSale } from './for-sale.ts'
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

const REGISTERED = {
  available: false,
  reserved: false,
  premium: false,
  registered: true,
  unknown: null,
} as const

const whoisView = z
  .object({
    domain: z.string().describe('The registered name that the record is about, in A-labels.'),
    registered: z
      .boolean()
      .nullable()
      .describe('Whether it is registered; null when it could not be found out.'),
    registrar: z
      .object({
        name: z.string().nullable().describe('The name of the registrar, or null.'),
        iana_id: z
          .string()
          .nullable()
          .describe("The number in IANA's registry of registrars, or null."),
      })
      .nullable()
      .describe('The registrar of the name, or null.'),
    registrant: z
      .object({
        organization: z
          .string()
          .nullable()
          .describe('The organization that registered the name, or null.'),
        country: z
          .string()
          .nullable()
          .describe('Its country, as an ISO 3166-1 alpha-2 code, or null.'),
        redacted: z.boolean().describe('Whether the registry withholds what it knows.'),
      })
      .nullable()
      .describe('Who registered the name; null when the registry publishes nothing.'),
    created_at: timestamp.nullable().describe('When the name was registered, or null.'),
    updated_at: timestamp.nullable().describe('When the registration last changed, or null.'),
    expires_at: timestamp.nullable().describe('When the registration ends, or null.'),
    status: z.array(z.string()).describe('EPP status codes, such as clientTransferProhibited.'),
    nameservers: z.array(z.string()).describe('The hosts that the name is delegated to.'),
    dnssec: z
      .boolean()
      .nullable()
      .describe('Whether the delegation is signed; null when the registry does not say.'),
    for_sale: forSaleView,
    source: z.enum(['simulated', 'rdap', 'whois']).describe('How the registry was asked.'),
    checked_at: timestamp.describe(
      'When the registry was asked, in UTC. Records are cached for a while.',
    ),
  })
  .meta({ id: 'WhoisRecord', description: 'What the registry of a name says about it.' })

export type WhoisResponse = z.output<typeof whoisView>

export const whoisLookup = publicRead({
  name: 'whois_lookup',
  summary: 'Who a domain is registered with, and until when',
  description:
    'Looks a domain up at its registry, by RDAP or else WHOIS: registrar, dates, name servers, status. ' +
    'For a name below a registered one, the response is about the registered one. Persons are never named. ' +
    'Use domain search instead to learn whether and for how much a name can be had.',
  method: 'POST',
  path: '/api/tools/whois',
  rate: 'whois',
  cacheSeconds: 0,
  input: z.object({
    domain: domainField.describe(
      'The domain to look up, such as example.com, in any case, as A-labels or U-labels.',
    ),
  }),
  output: whoisView,
  status: 200,
  errors: ['validation_error'],
  aliases: { domain: ['name', 'q', 'query'] },
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
      for_sale: null,
      source: 'simulated',
      checked_at: '2026-01-15T12:00:00.000Z',
    },
  },
  async handler({ app, signal, caller }, { domain }) {
    const name = registryName(domain).registrable ?? domain
    const [{ state, source, checkedAt, record }, offer] = await Promise.all([
      app.registry.lookup(name, signal, clientOf(caller)),
      readForSale(app, name),
    ])
    return {
      domain: name,
      registered: REGISTERED[state],
      ...(record ?? NO_RECORD),
      ...forSaleField(app, REGISTERED[state] === true ? offer : null),
      source,
      checked_at: iso(checkedAt),
    }
  },
})
