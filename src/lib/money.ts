/** The highest price that we store, in cents; its product with 10,000 basis points is still exact. */
export const MAX_CENTS = 100_000_000_000

export interface Split {
  commission_cents: number
  amount_owed_cents: number
}

/**
 * Splits a price into the partner's commission and what is owed to the house.
 * The commission is rounded down to a whole cent, so the parts always add up to the price.
 *
 * @param basisPoints hundredths of a percent, 0 to 10,000
 */
export function splitPrice(priceCents: number, basisPoints: number): Split {
  const commission_cents = Math.floor((priceCents * basisPoints) / 10_000)
  return { commission_cents, amount_owed_cents: priceCents - commission_cents }
}

/** What prices are in where nobody says another (contract, section 1). */
export const HOME_CURRENCY = 'USD'

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** Whether money is counted in it today: a code of ISO 4217 in capitals. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}

/** How many digits of an amount in minor units stand behind the point: 2 of USD, none of JPY. */
export function digitsOf(currency: string): number {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

/** An amount as people read it: `$1,250.00`. */
export function money(cents: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.format(cents / 10 ** digitsOf(currency))
}

/** An amount in a mail or a list, where its currency may be any: `1,250.00 USD`. */
export function moneyText(cents: number, currency: string): string {
  const digits = digitsOf(currency)
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${(cents / 10 ** digits).toLocaleString('en-US', fixed)} ${currency}`
}
