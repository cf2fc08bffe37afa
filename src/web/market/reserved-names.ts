import type { Database } from '../../db/dialect.ts'
import { findLiveListing, listingStatus } from '../../domain/listings/listing.ts'

/** Which of the names on a page nobody else can buy for the moment; all are read in one statement. */
export async function reservedNames(
  db: Database,
  names: readonly { domain: string }[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const listings = await Promise.all(names.map(({ domain }) => findLiveListing(db, domain)))
  return new Set(
    listings.flatMap((listing) =>
      listing && listingStatus(listing, now) !== 'listed' ? [listing.domain] : [],
    ),
  )
}
