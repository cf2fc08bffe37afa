/** The highest price that we store, in cents; its product with 10,000 basis points is still exact. */
export const MAX_CENTS = 100_000_000_000

export interface Split {
  commission_cents: number
  amount_owed_cents: number
}

/**
 * Splits a price into the partner's commission and what is owed to the marketplace.
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

/** The currencies to which ISO 4217 gives another number of digits behind the point than two. */
const WITHOUT_CENTS = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '),
)
const IN_THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/**
 * How many digits of an amount in minor units stand behind the point: 2 of USD, none of JPY. `Intl` goes by
 * what shops write, which leaves out the cents of HUF or COP: with it a price would read a hundred times as high.
 */
export function digitsOf(currency: string): number {
  if (WITHOUT_CENTS.has(currency)) return 0
  return IN_THOUSANDTHS.has(currency) ? 3 : 2
}

function withDigits(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits }
}

/** An amount as people read it: `$1,250.00`. */
export function money(cents: number, currency: string): string {
  const digits = digitsOf(currency)
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    ...withDigits(digits),
  })
  return format.format(cents / 10 ** digits)
}

/** An amount in units of its currency, as machines read it: `1250.00`. */
export function unitsOf(cents: number, currency: string): string {
  const digits = digitsOf(currency)
  return (cents / 10 ** digits).toFixed(digits)
}

/** An amount in a mail or a list, where its currency may be any: `1,250.00 USD`. */
export function moneyText(cents: number, currency: string): string {
  const digits = digitsOf(currency)
  return `${(cents / 10 ** digits).toLocaleString('en-US', withDigits(digits))} ${currency}`
}
