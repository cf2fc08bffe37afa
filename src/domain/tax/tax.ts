import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { BadSetting, type Settings } from '../../core/settings.ts'

/** What is added to a price, or why nothing is. */
export interface TaxLine {
  cents: number
  /** Such as `VAT`; null where nothing is added. */
  name: string | null
  rate_bps: number
  /** Said on the invoice, such as that the buyer owes the tax. */
  note: string | null
}

interface TaxedBuyer {
  country: string | null
  /** A tax number, of a business. */
  taxId: string | null
}

/** How tax is counted. Prices are without tax; it is added, and shown before anybody pays (contract, section 17). */
export interface TaxRules {
  id: 'none' | 'rules'
  /** Whether buyers are asked for a tax number. */
  asksForTaxId: boolean
  of(priceCents: number, buyer: TaxedBuyer): TaxLine
}

const NOTHING: TaxLine = { cents: 0, name: null, rate_bps: 0, note: null }

/** No tax is counted, and the invoice says so. */
const none: TaxRules = {
  id: 'none',
  asksForTaxId: false,
  of: () => ({ ...NOTHING, note: 'No tax is charged.' }),
}

const country = z.string().regex(/^[A-Z]{2}$/, 'must be a two-letter country code')

const RulesFile = z.strictObject({
  country: country.describe('Where the marketplace is taxed.'),
  rates: z
    .array(
      z.strictObject({
        country: country.describe('The country of the buyer.'),
        name: z.string().min(1).max(40).describe('What the tax is called there, such as VAT.'),
        rate_bps: z.int().min(0).max(10_000).describe('The rate, in basis points.'),
        reverse_charge: z
          .boolean()
          .optional()
          .describe('Whether a business there, with a tax number, owes the tax itself.'),
      }),
    )
    .refine(
      (rates) => new Set(rates.map((rate) => rate.country)).size === rates.length,
      'must name each country once',
    ),
})
type Rules = z.output<typeof RulesFile>

const REVERSE_CHARGE = 'Reverse charge: the buyer accounts for the tax.'

/** By a table of countries; of a country that it does not name nothing is added. */
function byRules({ country: home, rates }: Rules): TaxRules {
  const byCountry = new Map(rates.map((rate) => [rate.country, rate]))
  return {
    id: 'rules',
    asksForTaxId: rates.some(({ reverse_charge }) => reverse_charge),
    of(priceCents, buyer) {
      const rate = byCountry.get(buyer.country ?? '')
      if (!rate) return { ...NOTHING, note: 'No tax is charged in the country of the buyer.' }
      if (rate.reverse_charge && buyer.taxId !== null && rate.country !== home) {
        return { ...NOTHING, name: rate.name, note: REVERSE_CHARGE }
      }
      const cents = Math.round((priceCents * rate.rate_bps) / 10_000)
      return { cents, name: rate.name, rate_bps: rate.rate_bps, note: null }
    },
  }
}

/** Reads what the settings name; a file that cannot be used stops the start. */
export function createTax({ tax, taxRulesFile }: Pick<Settings, 'tax' | 'taxRulesFile'>): TaxRules {
  if (tax === 'none') return none
  if (taxRulesFile === undefined) throw new BadSetting('TAX_RULES_FILE: is required with TAX=rules')
  let given: unknown
  try {
    given = JSON.parse(readFileSync(taxRulesFile, 'utf8'))
  } catch (error) {
    throw new BadSetting(`TAX_RULES_FILE: ${taxRulesFile} cannot be read: ${String(error)}`)
  }
  const checked = RulesFile.safeParse(given)
  if (checked.success) return byRules(checked.data)
  const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new BadSetting(`TAX_RULES_FILE: ${problems.join('; ')}`)
}
