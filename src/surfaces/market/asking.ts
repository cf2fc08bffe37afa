import type { Database } from '../../kernel/database/dialect.ts'
import { reasonInHouse } from '../../modules/brokerage/eligibility.ts'
import { findListing } from '../../modules/inventory/listing.ts'
import { findTld, registryName } from '../../modules/registry/tlds.ts'

/**
 * Whether the house's broker can be asked for a name: it is `open` for it, `running` for somebody already,
 * `for_sale` here, or `test` alone, with no owner whom anyone could write to.
 */
export type Asking = 'open' | 'running' | 'for_sale' | 'test'

export async function askingOf(db: Database, domain: string): Promise<Asking> {
  if (findTld(registryName(domain).tld)?.type === 'reserved') return 'test'
  const [live, sandbox, reason] = await Promise.all([
    findListing(db, 'live', domain),
    findListing(db, 'sandbox', domain),
    reasonInHouse(db, 'live', domain),
  ])
  if (!live && sandbox) return 'test'
  if (reason === 'listed_for_sale') return 'for_sale'
  return reason === null ? 'open' : 'running'
}
