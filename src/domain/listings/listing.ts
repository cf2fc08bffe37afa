import { type CompiledQuery, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { ApiError } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import { prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import { batcher } from '../../lib/batcher.ts'
import { fixedOutcome } from './fixed-outcome.ts'
import {
  lockInSandbox,
  type SandboxKey,
  sandboxOf,
  selectInSandbox,
  sellInSandbox,
  updateInSandbox,
} from './sandbox-listing.ts'
import { changeListings, takeOffMarket } from './write-listings.ts'

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

/** Listed or priced by somebody who has just got into the account: its owner still has time to object. */
export function isHeldBack({ sells_from }: Pick<Listing, 'sells_from'>, now: Date): boolean {
  return sells_from !== null && sells_from > now
}

export function listingStatus(listing: Listing, now: Date): ListingStatus {
  if (listing.status === 'sold') return 'sold'
  if (!isReserved(listing, now)) return isHeldBack(listing, now) ? 'reserved' : 'listed'
  // For as long as it is held, so that the next one meets the same.
  const isSoldMeanwhile = fixedOutcome(listing.environment, listing.domain) === 'sold_meanwhile'
  return isSoldMeanwhile ? 'sold' : 'reserved'
}

export function notListed(domain: string): ApiError {
  return new ApiError('not_found', `${domain} is not listed here.`)
}

/** A domain in the live market, or in the sandbox of a partner. */
export interface ListingKey extends Partner {
  domain: string
}

/** A listing that this transaction holds, where it was looked for. */
export type HeldListing = Listing & Pick<Partner, 'partnerId'>

const liveFinderOf = perDatabase((db) =>
  batcher((domains: string[]) => readInOrder(db, domains.length, selectInLive({ domains }))),
)

const sandboxFinderOf = perDatabase((db) =>
  batcher((keys: SandboxKey[]) =>
    readInOrder(
      db,
      keys.length,
      selectInSandbox({
        partnerIds: keys.map(({ partnerId }) => partnerId),
        domains: keys.map(({ domain }) => domain),
      }),
    ),
  ),
)

/** Reads one listing; those asked for in the same turn of the event loop are read in one statement. */
export function findLiveListing(db: Database, domain: string): Promise<Listing | undefined> {
  return liveFinderOf(db)(domain)
}

/** Reads a listing as a partner sees it. */
export function findListing(
  db: Database,
  { partnerId, environment }: Partner,
  domain: string,
): Promise<Listing | undefined> {
  if (environment === 'live') return findLiveListing(db, domain)
  return sandboxFinderOf(db)({ partnerId, domain })
}

async function readInOrder(
  db: Database,
  count: number,
  select: CompiledQuery<Listing & { place: number }>,
): Promise<(Listing | undefined)[]> {
  const { rows } = await db.executeQuery(select)
  const found = Array.from<Listing | undefined>({ length: count })
  for (const { place, ...listing } of rows) found[place - 1] = listing
  return found
}

const selectInLive = prepared((db, { domains }: { domains: string[] }) =>
  sql<Listing & { place: number }>`
    select l.*, k.place::int
    from unnest(${domains}::text[]) with ordinality as k (domain, place)
    join listings l on l.environment = 'live' and l.domain = k.domain
    where l.status <> 'delisted'`.compile(db),
)

/** The listings of an environment as a partner sees them, to select from. */
export function listingsSeenBy({ partnerId, environment }: Partner): RawBuilder<unknown> {
  return environment === 'sandbox' ? sandboxOf(partnerId) : sql`listings`
}

export type Sale = Pick<Listing, 'status' | 'updated_at'>

/** Whether a domain is or was for sale, as this transaction sees it. */
export async function findSale(
  tx: Tx | Database,
  partner: Partner,
  domain: string,
): Promise<Sale | undefined> {
  const { rows } = await sql<Sale>`
    select status, updated_at from ${listingsSeenBy(partner)} as l
    where environment = ${partner.environment} and domain = ${domain}`.execute(tx)
  return rows[0]
}

/** The listing's row, held for this transaction: whoever reserves or sells the domain goes first here. */
export async function lockListing(
  tx: Tx,
  { partnerId, environment }: Partner,
  domain: string,
): Promise<HeldListing | undefined> {
  const { rows } = await tx.executeQuery(
    environment === 'sandbox' ? lockInSandbox({ partnerId, domain }) : lockInLive({ domain }),
  )
  return rows[0] && { ...rows[0], partnerId }
}

const lockInLive = prepared((db, { domain }: { domain: string }) =>
  db
    .selectFrom('listings')
    .selectAll()
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .where('status', '!=', 'delisted')
    .forUpdate()
    .compile(),
)

export type ListingChange = Partial<
  Pick<Listing, 'reserved_by' | 'reserved_until' | 'price_cents'> & { status: 'listed' }
>

/** The statement that changes a listing that is locked; inventory's own columns are written here only. */
export function updateListing(
  tx: Tx,
  { partnerId, environment, domain }: ListingKey,
  now: Date,
  change: ListingChange,
): CompiledQuery {
  if (environment === 'sandbox') return updateInSandbox(tx, { partnerId, domain }, now, change)
  const update = tx
    .updateTable('listings')
    .set({ ...change, updated_at: now })
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
  const isFoundOtherwise = change.status !== undefined || change.price_cents !== undefined
  return isFoundOtherwise ? changeListings(update).compile(tx) : update.compile()
}

/** The statement that takes a listing that is locked off the market for good. */
export function sellListing(
  { partnerId, environment, domain }: ListingKey,
  now: Date,
): CompiledQuery {
  return environment === 'sandbox'
    ? sellInSandbox({ partnerId, domain, now })
    : sellInLive({ domain, now })
}

const sellInLive = prepared((db, { domain, now }: { domain: string; now: Date }) =>
  takeOffMarket(
    db
      .updateTable('listings')
      .set({ status: 'sold', reserved_by: null, reserved_until: null, updated_at: now })
      .where('environment', '=', 'live')
      .where('domain', '=', domain),
  ).compile(db),
)

/** Lets go of a domain that this quote holds, if it does. */
export async function dropReservation(
  tx: Tx,
  { partnerId, environment, domain }: ListingKey,
  quoteId: string,
): Promise<void> {
  const free = { reserved_by: null, reserved_until: null }
  if (environment === 'sandbox') {
    await tx
      .updateTable('sandbox_listings')
      .set(free)
      .where('partner_id', '=', partnerId)
      .where('domain', '=', domain)
      .where('reserved_by', '=', quoteId)
      .execute()
    return
  }
  await tx
    .updateTable('listings')
    .set(free)
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .where('reserved_by', '=', quoteId)
    .execute()
}
