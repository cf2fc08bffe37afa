import { sql } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { domainField, nextCursor, paging } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { OFFER_SIDES, OFFER_STATES } from '../events/event-view.ts'
import { asOfNow } from './as-of-now.ts'
import type { Offer, OfferSide, OfferState } from './offer.ts'
import { OfferView, viewOffer } from './view-offer.ts'

/** What every list of offers can be narrowed to. */
export const offerFilters = {
  status: z.enum(OFFER_STATES).optional().describe('Only offers in this status.'),
  turn: z.enum(OFFER_SIDES).optional().describe('Only offers that wait for this side.'),
  domain: domainField.optional().describe('Only offers for this domain.'),
}

export interface OfferQuery {
  status?: OfferState | undefined
  turn?: OfferSide | undefined
  domain?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Whose offers a list holds. */
export interface OffersOf {
  partner_id?: string | undefined
  environment?: Partner['environment'] | undefined
  seller_id?: string | undefined
  /** Of whoever wrote this address; it must be confirmed to be the reader's. */
  buyer_email?: string | undefined
  /** Those of names that no user sells, or that users do. */
  sold_by?: 'operators' | 'users' | undefined
}

/** Offers, newest first, as they are now. */
export async function readOffersPage(
  db: Database,
  now: Date,
  whose: OffersOf,
  { limit, cursor, status, turn, domain }: OfferQuery,
): Promise<{ rows: Offer[]; next_cursor: string | null }> {
  let query = db.selectFrom('offers').selectAll()
  const { sold_by, buyer_email, ...equal } = whose
  if (buyer_email !== undefined) {
    query = query.where(sql<string>`lower(buyer ->> 'email')`, '=', buyer_email.toLowerCase())
  }
  if (sold_by !== undefined) {
    query = query.where('seller_id', sold_by === 'users' ? 'is not' : 'is', null)
  }
  for (const [column, value] of Object.entries({ ...equal, domain })) {
    if (value !== undefined) query = query.where(column as 'domain', '=', value)
  }
  if (turn !== undefined) query = query.where('turn', '=', turn).where('expires_at', '>', now)
  if (status === 'expired') {
    query = query.where((row) =>
      row.or([
        row('status', '=', 'expired'),
        row.and([row('ended_at', 'is', null), row('expires_at', '<=', now)]),
      ]),
    )
  } else if (status !== undefined) {
    query = query.where('status', '=', status)
    if (status === 'open' || status === 'countered') query = query.where('expires_at', '>', now)
  }
  const bound = { list: 'offers', ...whose, status, turn, domain }
  const { rows, next_cursor } = await readPage(query, 'offer_id', { cursor, limit, bound })
  return { rows: await asOfNow(db, now, rows), next_cursor }
}

export const listOffers = partnerRead({
  name: 'list_offers',
  tag: 'Offers',
  summary: 'List offers',
  description: 'Returns your offers, newest first.',
  method: 'GET',
  path: '/offers',
  scope: 'buy',
  input: z.object({ ...offerFilters, ...paging }),
  output: z.object({
    offers: z.array(OfferView).describe('The offers on this page.'),
    next_cursor: nextCursor,
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, now, app, partner: { partnerId, environment } }, query) {
    const whose = { partner_id: partnerId, environment }
    const { rows, next_cursor } = await readOffersPage(db, now, whose, query)
    return { offers: rows.map((row) => viewOffer(app, row)), next_cursor }
  },
})
