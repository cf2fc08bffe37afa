import { z } from 'zod'
import { tldField } from '../../kernel/fields.ts'
import { publicRead } from '../../kernel/operation.ts'
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
    tld: tldField.describe('Such as com, co.uk or xn--p1ai; a leading dot is ignored'),
  }),
  output: z.object({
    tld: z.string().describe('Lower-case A-labels'),
    type: z.enum(TLD_TYPES).describe("As in IANA's root database; reserved: by RFC 2606"),
    term: z
      .object({ min_years: z.int().min(0), max_years: z.int().min(0) })
      .describe('The years that a registration may last'),
    grace_days: z
      .int()
      .min(0)
      .describe('Days after the expiry in which a renewal is still an ordinary one'),
    organization: z.string().nullable().describe('Who may register; null: anyone'),
    registrant_countries: z
      .array(z.string())
      .nullable()
      .describe('ISO 3166 codes of the countries that registrants are from; null: any'),
    nameservers: z.object({
      required: z.boolean().describe('Whether a name is registered only with working name servers'),
      min: z.int().min(0),
      max: z.int().min(0),
    }),
    dnssec: z.boolean().describe('Whether the delegation can be signed'),
    idn: z.boolean().describe('Whether internationalised names can be registered'),
    privacy: z.boolean().describe('Whether a privacy service may stand in for the registrant'),
  }),
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
