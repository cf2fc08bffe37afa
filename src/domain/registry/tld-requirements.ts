import { z } from 'zod'
import { tldField } from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import { HOUR, SECOND } from '../../lib/clock.ts'
import { requirementsOf } from './requirements.ts'
import { mustFindTld, TLD_TYPES } from './tlds.ts'

export const tldRequirements = publicRead({
  name: 'tld_requirements',
  summary: 'What registering on a top-level domain requires',
  description:
    'Tells who may register names on a top-level domain (or a suffix such as co.uk), for how many years, ' +
    'with which name servers, and what its registry supports. Use it before offering a registration.',
  method: 'GET',
  path: '/api/tlds/{tld}/metadata',
  rate: 'public',
  cacheSeconds: HOUR / SECOND,
  input: z.object({
    tld: tldField,
  }),
  output: z
    .object({
      tld: z.string().describe('The top-level domain or suffix, in lower-case A-labels.'),
      type: z.enum(TLD_TYPES).describe("Its type in IANA's root database; `reserved` by RFC 2606."),
      term: z
        .object({
          min_years: z.int().min(0).describe('The fewest years.'),
          max_years: z.int().min(0).describe('The most years.'),
        })
        .describe('How long a registration may last.'),
      grace_days: z
        .int()
        .min(0)
        .describe('The days after the expiry in which a renewal still costs the ordinary price.'),
      organization: z.string().nullable().describe('Who may register; null for anyone.'),
      registrant_countries: z
        .array(z.string())
        .nullable()
        .describe(
          'The countries that registrants must be from, as ISO 3166-1 codes; null for any.',
        ),
      nameservers: z
        .object({
          required: z.boolean().describe('Whether registering takes working name servers.'),
          min: z.int().min(0).describe('The fewest name servers.'),
          max: z.int().min(0).describe('The most name servers.'),
        })
        .describe('The name servers that a registration takes.'),
      dnssec: z.boolean().describe('Whether the delegation can be signed.'),
      idn: z.boolean().describe('Whether internationalized names can be registered.'),
      privacy: z.boolean().describe('Whether a privacy service may stand in for the registrant.'),
    })
    .meta({ id: 'TldRequirements', description: 'What registering on a top-level domain takes.' }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  example: {
    input: { tld: 'com' },
    output: {
      tld: 'com',
      type: 'generic',
      term: { min_years: 1, max_years: 10 },
      grace_days: 45,
      organization: null,
      registrant_countries: null,
      nameservers: { required: false, min: 0, max: 13 },
      dnssec: true,
      idn: true,
      privacy: true,
    },
  },
  async handler(_context, { tld }) {
    const found = mustFindTld(tld)
    return { tld, type: found.type, ...requirementsOf(found) }
  },
})
