import type { Database } from '../../kernel/database/dialect.ts'

export type PriceOperation = 'register' | 'renew' | 'transfer' | 'restore'

/** What the house asks for an operation on a TLD; null where it offers none. */
export async function registrationPrice(
  _db: Database,
  tld: string,
  _op: PriceOperation,
): Promise<{ price_cents: number; currency: string; years: number } | null> {
  return tld === 'com' ? { price_cents: 1_299, currency: 'USD', years: 1 } : null
}
