import type { Database } from '../../db/dialect.ts'
import { findLiveListing } from '../../domain/listings/listing.ts'

/** The names that are for sale before the others, each in the order that it had. */
export async function listedFirst<Name extends { domain: string }>(
  db: Database,
  names: readonly Name[],
): Promise<Name[]> {
  const listings = await Promise.all(names.map(({ domain }) => findLiveListing(db, domain)))
  const isListed = (_: Name, index: number) => listings[index]?.status === 'listed'
  return [...names.filter(isListed), ...names.filter((name, index) => !isListed(name, index))]
}
