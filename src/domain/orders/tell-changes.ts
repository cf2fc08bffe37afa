import { sql } from 'kysely'
import { type Partner, partnerOf } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { SECOND } from '../../lib/clock.ts'
import { emit } from '../events/emit.ts'
import type { NewEvent } from '../events/event-view.ts'
import {
  findWatched,
  isWatched,
  lockDueWatches,
  settleWatch,
  type Watch,
} from '../listings/watch.ts'
import { ordersOf } from './find-orders.ts'

const AT_ONCE = 500

/**
 * Tells partners of listings that they have quoted, read or linked in the last 30 days: what was for sale and costs
 * something else, was withdrawn, or was sold to somebody else. A partner's own sale has its own events.
 */
export const tellListingChanges: Job = {
  name: 'tell_listing_changes',
  everyMs: 2 * SECOND,
  async run(app, signal) {
    while (!signal.aborted && (await tellSome(app)) === AT_ONCE);
  },
}

async function tellSome(app: AppContext): Promise<number> {
  const now = app.clock.now()
  return await inTransaction(app, async (tx) => {
    const watches = await lockDueWatches(tx, AT_ONCE)
    const listings = await findWatched(tx, watches)
    const events = new Map<string, { partner: Partner; events: NewEvent[] }>()
    for (const watch of watches) {
      const listing = listings.get(`${watch.environment} ${watch.domain}`)
      if (!listing) continue
      await settleWatch(tx, watch, listing)
      const type = isWatched(watch, now) ? typeOf(watch, listing) : null
      const isOfSale = listing.status === 'sold' || watch.status === 'sold'
      if (!type || (isOfSale && (await soldLast(tx, watch)))) continue
      const partner = partnerOf(watch)
      const key = `${partner.partnerId} ${partner.environment}`
      const told = events.get(key) ?? { partner, events: [] }
      const { price_cents, currency, status } = listing
      const shown = { domain: watch.domain, price_cents, currency, status: statusOf(status) }
      told.events.push({ type, data: { listing: shown } })
      events.set(key, told)
    }
    // In one order, since the streams of partners are locked one after the other.
    for (const key of [...events.keys()].toSorted()) {
      const told = events.get(key)
      const [first, ...more] = told?.events ?? []
      if (told && first) await tx.executeQuery(emit(now, told.partner, [first, ...more]))
    }
    return watches.length
  })
}

type Known = Pick<Watch, 'price_cents' | 'currency' | 'status'>

function typeOf(known: Known, listing: Known) {
  if (listing.status !== known.status) {
    if (listing.status === 'sold') return 'listing.sold'
    return listing.status === 'delisted' ? 'listing.withdrawn' : 'listing.changed'
  }
  const isSame = listing.price_cents === known.price_cents && listing.currency === known.currency
  return isSame || listing.status !== 'listed' ? null : 'listing.changed'
}

function statusOf(status: string): 'listed' | 'sold' | 'delisted' {
  return status === 'sold' || status === 'delisted' ? status : 'listed'
}

/**
 * Whether the domain's latest order is the partner's: what that order does to the listing, the partner hears by the events
 * of the order.
 */
async function soldLast(tx: Tx, { partner_id, environment, domain }: Watch): Promise<boolean> {
  const { rows } = await sql<{ partner_id: string }>`
    select partner_id from ${ordersOf(sql`${environment}`, domain)} as o
    order by public_id desc limit 1`.execute(tx)
  return rows[0]?.partner_id === partner_id
}
