import { z } from 'zod'
import type { Caller } from '../../kernel/operation.ts'

export const publicPriceView = {
  price_cents: z.int().nullable().describe('Null while `price_masked` is true.'),
  price_masked: z.boolean().describe('True for callers without a token.'),
  currency: z.string(),
}

/** The one place that decides who sees a marketplace price (contract, section 13). */
export function publicPrice(
  caller: Caller,
  { price_cents, currency }: { price_cents: number; currency: string },
) {
  const price_masked = caller.kind === 'anonymous'
  return { price_cents: price_masked ? null : price_cents, price_masked, currency }
}
