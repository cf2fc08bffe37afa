import { digitsOf, MAX_CENTS, moneyText } from '../../lib/money.ts'

export { money } from '../../lib/money.ts'

/** An amount as people read it, to the unit, as a chart shows it: `$1,250`. */
export function wholeMoney(cents: number, currency: string): string {
  const whole = { style: 'currency', currency, maximumFractionDigits: 0 } as const
  return new Intl.NumberFormat('en-US', whole).format(cents / 10 ** digitsOf(currency))
}

/** The same beside an axis, where a large one would not fit: `$1.5M`. */
export function axisMoney(cents: number, currency: string): string {
  const short = { style: 'currency', currency, notation: 'compact' } as const
  return new Intl.NumberFormat('en-US', short).format(cents / 10 ** digitsOf(currency))
}

/** An amount in a list; a dash where there is none. */
export function amount(cents: number | null, currency: string): string {
  return cents === null ? '–' : moneyText(cents, currency)
}

/** A comma begins a fraction only where something else stands between thousands: `12,50` may lack a digit. */
const AMOUNTS = [
  /^(\d{1,3}(?:,\d{3})+|\d{1,3}(?:\s\d{3})+|\d{1,12})(?:\.(\d{1,3}))?$/,
  /^(\d{1,3}(?:\.\d{3})+|\d{1,3}(?:\s\d{3})+),(\d{1,2})$/,
  /^(\d{1,3}(?:\.\d{3}){2,})$/,
]

/**
 * Reads an amount above zero as people write it: `4500`, `4,500`, `$4,500.50`, `4 500 USD`, `4.500,50`. Returns minor
 * units of the currency, as many as `digitsOf` gives it; null when it is no amount, could be two, or has a fraction that
 * the currency does not.
 */
export function parseAmount(text: string, currency: string): number | null {
  const bare = text
    .trim()
    .replace(new RegExp(String.raw`^(?:\$|${currency})\s?`, 'i'), '')
    .replace(new RegExp(String.raw`\s?(?:\$|${currency})$`, 'i'), '')
  const parts = AMOUNTS.map((form) => form.exec(bare)).find((match) => match !== null)
  const [, whole = '', fraction = ''] = parts ?? []
  const digits = digitsOf(currency)
  // Two digits may stand behind the point of any: `450000.00` of JPY.
  if (fraction.length > Math.max(2, digits) || Number(fraction.slice(digits)) > 0) return null
  const cents = Number(
    `${whole.replace(/\D/g, '')}${fraction.slice(0, digits).padEnd(digits, '0')}`,
  )
  return cents >= 1 && cents <= MAX_CENTS ? cents : null
}

/** A moment as people read it: `5 January 2026, 09:30 UTC`. */
export function moment(at: Date): string {
  const text = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at)
  return `${text.replace(' at ', ', ')} UTC`
}
