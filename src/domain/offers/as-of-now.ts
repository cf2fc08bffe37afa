import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { type Offer, offerState } from './offer.ts'

/** Running offers whose domains have left the market: sold, withdrawn, or offered by somebody else by now. */
export async function overtakenAmong(
  db: Database | Tx,
  offerIds: readonly string[] | null,
): Promise<Set<string>> {
  const among = offerIds === null ? sql`true` : sql`o.offer_id = any(${offerIds}::text[])`
  const { rows } = await sql<{ offer_id: string }>`
    select o.offer_id from offers o
    join listings l on l.environment = o.environment and l.domain = o.domain
    left join sandbox_listings s
      on o.environment = 'sandbox' and s.partner_id = o.partner_id and s.domain = o.domain
    where o.ended_at is null and ${among}
      and (l.status <> 'listed' or s.status = 'sold' or l.seller_id is distinct from o.seller_id)`.execute(
    db,
  )
  return new Set(rows.map(({ offer_id }) => offer_id))
}

/** Offers as they are now: the job that writes down what has ended comes a moment later. */
export async function asOfNow<Row extends Offer>(
  db: Database | Tx,
  now: Date,
  rows: readonly Row[],
): Promise<Row[]> {
  const running = rows.filter(({ ended_at }) => ended_at === null)
  if (running.length === 0) return [...rows]
  const overtaken = await overtakenAmong(
    db,
    running.map(({ offer_id }) => offer_id),
  )
  return rows.map((row) => {
    if (overtaken.has(row.offer_id)) return { ...row, status: 'declined' as const, turn: null }
    const status = offerState(row, now)
    return status === row.status ? row : { ...row, status, turn: null }
  })
}
