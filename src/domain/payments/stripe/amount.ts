/**
 * Stripe counts a few currencies otherwise than ISO 4217 does: these in hundredths, though they have none, and
 * the ariary in wholes (docs.stripe.com/currencies#special-cases). What comes out broken Stripe rejects.
 */
const IN_HUNDREDTHS = new Set(['ISK', 'UGX'])
const IN_WHOLES = new Set(['MGA'])

/** An amount in minor units of ISO 4217, as Stripe counts it. */
export function toStripe(cents: number, currency: string): number {
  if (IN_HUNDREDTHS.has(currency)) return cents * 100
  return IN_WHOLES.has(currency) ? cents / 100 : cents
}

/** An amount that Stripe tells, whose codes are in lower case, in minor units of ISO 4217. */
export function fromStripe(amount: number, code: string): number {
  const currency = code.toUpperCase()
  if (IN_HUNDREDTHS.has(currency)) return amount / 100
  return IN_WHOLES.has(currency) ? amount * 100 : amount
}
