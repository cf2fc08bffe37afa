import { z } from 'zod'
import { type PublicCaller, seesPrices } from '../../core/caller.ts'
import { currencyView } from '../../core/fields.ts'

export const publicPriceView = {
  price_cents: z
    .int()
    .nullable()
    .describe('The price, in cents; null while `price_masked` is true.'),
  price_masked: z.boolean().describe('Whether the price is hidden: true without an access token.'),
  currency: currencyView,
}

/** The one place that decides who sees a marketplace price (contract, section 13). */
export function publicPrice(
  caller: PublicCaller,
  { price_cents, currency }: { price_cents: number; currency: string },
) {
  const price_masked = !seesPrices(caller)
  return { price_cents: price_masked ? null : price_cents, price_masked, currency }
}
