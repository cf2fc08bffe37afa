import type { Environment } from '../../core/caller.ts'

/** What always happens to a sandbox domain of this label, on any TLD (contract, section 6). */
const OUTCOMES = {
  /** The listing price changes right after a quote; the quote's price holds for its holder. */
  'price-moves': 'price_moves',
  /** Its order is held. */
  'manual-review': 'manual_review',
  /** Completing its transfer fails it instead. */
  'transfer-fails': 'transfer_fails',
  /** Someone else buys it between quote and order. */
  'sold-meanwhile': 'sold_meanwhile',
  /** A site runs there, so its owner is not asked whether it is for sale. */
  'active-site': 'active_site',
} as const

export type FixedOutcome = (typeof OUTCOMES)[keyof typeof OUTCOMES]

export function fixedOutcome(environment: Environment, domain: string): FixedOutcome | null {
  if (environment !== 'sandbox') return null
  const label = domain.slice(0, domain.indexOf('.'))
  return Object.hasOwn(OUTCOMES, label) ? OUTCOMES[label as keyof typeof OUTCOMES] : null
}
