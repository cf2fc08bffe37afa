/** A credential that both the servers and the load know. */
export interface BenchCredential {
  keyId: string
  secret: string
  partnerId: string
}

export const PRICE_CENTS = 129_900

/** A batch of requests: reads of listings chosen at random, searches, orders that use up one batch of quotes, or as given. */
export type Batch =
  | { kind: 'read'; count: number; listings: number; credentials: BenchCredential[] }
  | { kind: 'search'; count: number; queries: string[]; credentials: BenchCredential[] }
  | { kind: 'verbatim'; count: number; requests: string[] }
  | { kind: 'order'; count: number; name: string; credentials: BenchCredential[] }

export function listingName(index: number): string {
  return `listing-${index}.com`
}

/** The domain of a prepared sale; quotes and listings are made by the same rule in SQL. */
export function saleName(batch: string, index: number): string {
  return `sale-${batch}-${index}.com`
}

export function quoteId(batch: string, index: number): string {
  return `qt_${batch}_${index}`
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
