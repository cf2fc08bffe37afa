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

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** Whether money is counted in it today: a code of ISO 4217 in capitals. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}

/** An amount in mails: `12.34 USD`. */
export function moneyText(cents: number, currency: string): string {
  return `${(cents / 100).toFixed(2)} ${currency}`
}
