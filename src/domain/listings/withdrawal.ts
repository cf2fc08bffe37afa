import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { blockedAmong } from './blocked-domain.ts'
import { isReserved, type Listing, notListed } from './listing.ts'
import { CHANGED, changeListings, followWrite, takeOffMarket } from './write-listings.ts'

/**
 * A listing that is for sale, held for this transaction. A sandbox's partners refer to its row while they reserve it,
 * so its key is not locked.
 */
export async function lockOnMarket(
  tx: Tx,
  environment: Environment,
  domain: string,
): Promise<Listing> {
  const listing = await tx
    .selectFrom('listings')
    .selectAll()
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .where('status', '!=', 'delisted')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!listing) throw notListed(domain)
  if (listing.status === 'sold') throw conflict('domain_sold', `${domain} has been sold.`)
  return listing
}

/** The ids of the quotes and payments that hold it: in the sandbox one for each partner. */
export async function reservationsOf(tx: Tx, now: Date, listing: Listing): Promise<string[]> {
  if (listing.environment === 'live') {
    return listing.reserved_by !== null && isReserved(listing, now) ? [listing.reserved_by] : []
  }
  const { rows } = await sql<{ reserved_by: string }>`
    select reserved_by from sandbox_listings
    where domain = ${listing.domain} and reserved_by is not null and reserved_until > ${now}
    order by partner_id for update`.execute(tx)
  return rows.map(({ reserved_by }) => reserved_by)
}

/** Takes it off the market, and lets go of it for whoever has it reserved. */
export async function delist(
  tx: Tx,
  now: Date,
  { environment, domain }: Pick<Listing, 'environment' | 'domain'>,
): Promise<void> {
  const free = { reserved_by: null, reserved_until: null }
  const delisted = tx
    .updateTable('listings')
    .set({ ...free, status: 'delisted', updated_at: now })
    .where('environment', '=', environment)
    .where('domain', '=', domain)
  await takeOffMarket(delisted).execute(tx)
  if (environment === 'live') return
  await tx
    .updateTable('sandbox_listings')
    .set(free)
    .where('domain', '=', domain)
    .where('reserved_by', 'is not', null)
    .execute()
}

/** Keeps a withdrawn listing from everybody, its owner included. */
export async function freeze(
  tx: Tx,
  now: Date,
  { environment, domain }: Pick<Listing, 'environment' | 'domain'>,
  reason: string,
): Promise<void> {
  await tx
    .updateTable('listings')
    .set({ frozen_at: now, frozen_reason: reason })
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .execute()
}

/**
 * Lifts the freeze of a listing, which is then on the market if it may be. Returns its status, or null where there is no
 * frozen listing.
 */
export async function unfreeze(
  tx: Tx,
  now: Date,
  key: Pick<Listing, 'environment' | 'domain'>,
): Promise<'listed' | 'delisted' | null> {
  const status = await statusOnReturn(tx, key)
  const lifted = await tx
    .updateTable('listings')
    .set({ ...CHANGED, status, frozen_at: null, frozen_reason: null, updated_at: now })
    .where('environment', '=', key.environment)
    .where('domain', '=', key.domain)
    .where('frozen_at', 'is not', null)
    .returning('domain')
    .executeTakeFirst()
  if (!lifted) return null
  await followWrite(key.environment, [key.domain]).execute(tx)
  return status
}

/** A live order has ended without delivery: its domain is on the market again, if it may be. */
export async function relist(tx: Tx, now: Date, domain: string): Promise<void> {
  const key = { environment: 'live', domain } as const
  const change = tx
    .updateTable('listings')
    .set({ status: await statusOnReturn(tx, key), updated_at: now })
    .where('environment', '=', key.environment)
    .where('domain', '=', domain)
  await changeListings(change).execute(tx)
}

/** `listed`, unless the domain has since been blocked, or the user who sold it has lost it. */
async function statusOnReturn(
  tx: Tx,
  { environment, domain }: Pick<Listing, 'environment' | 'domain'>,
): Promise<'listed' | 'delisted'> {
  if ((await blockedAmong(tx, [domain])).size > 0) return 'delisted'
  const listing = await tx
    .selectFrom('listings')
    .select('seller_id')
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    // Whoever takes the domain from its seller holds the listing, too: before this, or after it.
    .forUpdate()
    .executeTakeFirst()
  if (!listing?.seller_id) return 'listed'
  const holding = await tx
    .selectFrom('owned_domains')
    .select('domain')
    .where('domain', '=', domain)
    .where('user_id', '=', listing.seller_id)
    .executeTakeFirst()
  return holding ? 'listed' : 'delisted'
}
