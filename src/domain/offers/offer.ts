import type { Selectable } from 'kysely'
import { type Partner, partnerOf } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import type { Schema } from '../../db/schema.ts'
import type { OfferEvent } from '../events/event-types.ts'
import type { NewEvent, OFFER_SIDES, OFFER_STATES } from '../events/event-view.ts'
import { type HeldListing, lockListing } from '../listings/listing.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'

export type OfferState = (typeof OFFER_STATES)[number]
export type OfferSide = (typeof OFFER_SIDES)[number]
export type Offer = Selectable<Schema['offers']>

export interface OfferBuyer {
  email: string
  name: string | null
  country: string | null
}

/** An amount that one side put on the table. */
export interface OfferStep {
  at: string
  by: OfferSide
  amount_cents: number
  message: string | null
}

export type OfferContext = Pick<WriteContext, 'tx' | 'now' | 'app'>

/** An offer lapses by the clock; the job that writes it down comes a moment later. */
export function offerState(
  { status, ended_at, expires_at }: Pick<Offer, 'status' | 'ended_at' | 'expires_at'>,
  now: Date,
): OfferState {
  return ended_at === null && expires_at <= now ? 'expired' : status
}

/** Made on our own pages, by a buyer who pays at our checkout. */
export function isOfOurPages({ partner_id }: Pick<Offer, 'partner_id'>): boolean {
  return partner_id === MARKETPLACE_PARTNER
}

export async function findOffer(
  db: Pick<Tx, 'selectFrom'>,
  offerId: string,
  partner?: Partner,
): Promise<Offer> {
  let query = db.selectFrom('offers').selectAll().where('offer_id', '=', offerId)
  if (partner) {
    query = query
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
  }
  const row = await query.executeTakeFirst()
  if (!row) throw notFound('offer')
  return row
}

export interface HeldOffer {
  offer: Offer
  /** Absent once the domain was withdrawn. */
  listing: HeldListing | undefined
}

/** The offer and its listing, held for this transaction: the listing first, as everyone has it who reserves or sells. */
export async function lockOffer(tx: Tx, found: Offer): Promise<HeldOffer> {
  const partner = partnerOf(found)
  // As the partner's own writes do, so that a reset or a moved clock and this do not wait for each other.
  if (found.environment === 'sandbox') await lockSandbox(tx, found.partner_id, 'shared')
  const listing = await lockListing(tx, partner, found.domain)
  return { listing, offer: await lockOfferRow(tx, found.offer_id) }
}

export async function lockOfferRow(tx: Tx, offerId: string): Promise<Offer> {
  const row = await tx
    .selectFrom('offers')
    .selectAll()
    .where('offer_id', '=', offerId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('offer')
  return row
}

export async function insertOffer(tx: Tx, row: Offer): Promise<void> {
  await tx
    .insertInto('offers')
    .values({ ...row, buyer: JSON.stringify(row.buyer), history: JSON.stringify(row.history) })
    .execute()
}

/** Writes what may change of an offer. */
export async function writeOffer(tx: Tx, row: Offer): Promise<void> {
  const { status, turn, amount_cents, closed_by, closing_message, quote_id, session_id } = row
  const { updated_at, expires_at, ended_at, history } = row
  await tx
    .updateTable('offers')
    .set({
      status,
      turn,
      amount_cents,
      closed_by,
      closing_message,
      quote_id,
      session_id,
      updated_at,
      expires_at,
      ended_at,
      history: JSON.stringify(history),
    })
    .where('offer_id', '=', row.offer_id)
    .execute()
}

export function offerEvent(type: OfferEvent, row: Offer): NewEvent {
  const { offer_id, domain, status, amount_cents, currency, turn, expires_at, quote_id } = row
  return {
    type,
    data: {
      offer: {
        offer_id,
        domain,
        status,
        amount_cents,
        currency,
        turn,
        expires_at: iso(expires_at),
        quote_id,
      },
    },
  }
}
