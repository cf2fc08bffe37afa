import { type CompiledQuery, type Selectable, sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import { ApiError } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import { prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import { batcher } from '../../lib/batcher.ts'
import { fixedOutcome } from './fixed-outcome.ts'

export type Listing = Selectable<Schema['listings']>
export type ListingStatus = 'listed' | 'reserved' | 'sold'

/** A running quote holds the domain, or a payment under way; once it lapses the listing is free again without anyone's doing. */
export function isReserved(
  listing: Pick<Listing, 'reserved_by' | 'reserved_until'>,
  now: Date,
): boolean {
  return (
    listing.reserved_by !== null && listing.reserved_until !== null && listing.reserved_until > now
  )
}

export function listingStatus(listing: Listing, now: Date): ListingStatus {
  if (listing.status === 'sold') return 'sold'
  if (!isReserved(listing, now)) return 'listed'
  // For as long as it is held, so that the next one meets the same.
  const isSoldMeanwhile = fixedOutcome(listing.environment, listing.domain) === 'sold_meanwhile'
  return isSoldMeanwhile ? 'sold' : 'reserved'
}

export function notListed(domain: string): ApiError {
  return new ApiError('not_found', `${domain} is not listed here.`)
}

interface ListingKey {
  environment: Environment
  domain: string
}

const finderOf = perDatabase((db) => batcher((keys: ListingKey[]) => readListings(db, keys)))

/** Reads one listing; those asked for in the same turn of the event loop are read in one statement. */
export function findListing(
  db: Database,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  return finderOf(db)({ environment, domain })
}

async function readListings(db: Database, keys: ListingKey[]): Promise<(Listing | undefined)[]> {
  const { rows } = await db.executeQuery(
    selectListings({
      environments: keys.map(({ environment }) => environment),
      domains: keys.map(({ domain }) => domain),
    }),
  )
  const found: (Listing | undefined)[] = keys.map(() => undefined)
  for (const { place, ...listing } of rows) found[place - 1] = listing
  return found
}

const selectListings = prepared((db, values: { environments: string[]; domains: string[] }) =>
  sql<Listing & { place: number }>`
    select l.*, k.place::int
    from unnest(${values.environments}::text[], ${values.domains}::text[])
      with ordinality as k (environment, domain, place)
    join listings l on l.environment = k.environment and l.domain = k.domain
    where l.status <> 'delisted'`.compile(db),
)

export type Sale = Pick<Listing, 'status' | 'updated_at'>

/** Whether a domain is or was for sale, as this transaction sees it. */
export async function findSale(
  tx: Pick<Tx, 'selectFrom'>,
  environment: Environment,
  domain: string,
): Promise<Sale | undefined> {
  return await tx
    .selectFrom('listings')
    .select(['status', 'updated_at'])
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .executeTakeFirst()
}

/** The listing's row, held for this transaction: whoever reserves or sells the domain goes first here. */
export async function lockListing(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  const { rows } = await tx.executeQuery(selectForUpdate({ environment, domain }))
  return rows[0]
}

const selectForUpdate = prepared((db, { environment, domain }: ListingKey) =>
  db
    .selectFrom('listings')
    .selectAll()
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .where('status', '!=', 'delisted')
    .forUpdate()
    .compile(),
)

/** The statement that changes a listing; inventory's own columns are written here only. */
export function updateListing(
  tx: Tx,
  listing: ListingKey,
  now: Date,
  change: Partial<Pick<Listing, 'status' | 'reserved_by' | 'reserved_until' | 'price_cents'>>,
): CompiledQuery {
  return tx
    .updateTable('listings')
    .set({ ...change, updated_at: now })
    .where('environment', '=', listing.environment)
    .where('domain', '=', listing.domain)
    .compile()
}

/** The statement that takes a listing off the market for good. */
export const sellListing = prepared(
  (db, { environment, domain, now }: ListingKey & { now: Date }) =>
    db
      .updateTable('listings')
      .set({ status: 'sold', reserved_by: null, reserved_until: null, updated_at: now })
      .where('environment', '=', environment)
      .where('domain', '=', domain)
      .compile(),
)

/** Lets go of a domain that this quote holds, if it does. */
export async function dropReservation(tx: Tx, listing: ListingKey, quoteId: string): Promise<void> {
  await tx
    .updateTable('listings')
    .set({ reserved_by: null, reserved_until: null })
    .where('environment', '=', listing.environment)
    .where('domain', '=', listing.domain)
    .where('reserved_by', '=', quoteId)
    .execute()
}
