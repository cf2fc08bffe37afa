import type { Database } from '../../db/dialect.ts'
import { reasonOnMarketplace } from '../../domain/brokerage/eligibility.ts'
import { findListing, findLiveListing } from '../../domain/listings/listing.ts'
import { marketplaceIn } from '../../domain/partners/partner.ts'
import { findTld, registryName } from '../../domain/registry/tlds.ts'

/**
 * Whether the marketplace's broker can be asked for a name: it is `open` for it, `running` for somebody already,
 * `for_sale` here, or `test` alone, with no owner whom anyone could write to.
 */
export type BrokerageOption = 'open' | 'running' | 'for_sale' | 'test'

export async function brokerageOption(db: Database, domain: string): Promise<BrokerageOption> {
  if (findTld(registryName(domain).tld)?.type === 'reserved') return 'test'
  const [live, sandbox, reason] = await Promise.all([
    findLiveListing(db, domain),
    findListing(db, marketplaceIn('sandbox'), domain),
    reasonOnMarketplace(db, marketplaceIn('live'), domain),
  ])
  if (!live && sandbox) return 'test'
  if (reason === 'listed_for_sale') return 'for_sale'
  return reason === null ? 'open' : 'running'
}
