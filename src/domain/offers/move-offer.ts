import { partnerOf } from '../../core/caller.ts'
import { ApiError, conflict, invalid, notAllowedNow } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { moneyText } from '../../lib/money.ts'
import { emit } from '../events/emit.ts'
import type { OfferEvent } from '../events/event-types.ts'
import type { Listing } from '../listings/listing.ts'
import { acceptOffer, acceptProblem, assertNotNewAccess, priceBelow } from './accept.ts'
import { notifySides } from './notify.ts'
import {
  type HeldOffer,
  lockOffer,
  type Offer,
  type OfferContext,
  type OfferSide,
  offerEvent,
  offerState,
  writeOffer,
} from './offer.ts'

export const RESPONSES = ['accept', 'counter', 'decline'] as const
type OfferMove = (typeof RESPONSES)[number] | 'withdraw'

export interface MoveInput {
  move: OfferMove
  amount_cents?: number | null | undefined
  message?: string | null | undefined
}

const DONE: Record<'decline' | 'withdraw', 'declined' | 'withdrawn'> = {
  decline: 'declined',
  withdraw: 'withdrawn',
}

/**
 * One side's move. Of moves that meet one is first: the others find the offer ended, or that it is not their turn.
 *
 * @param transferProblem why the registry would not hand the name over; nothing is promised then
 */
export async function moveOffer(
  context: OfferContext,
  found: Offer,
  by: OfferSide,
  input: MoveInput,
  transferProblem: ApiError | null,
): Promise<Offer> {
  const held = await lockOffer(context.tx, found)
  const { offer } = held
  assertOpenTo(offer, by, input.move, context.now)
  switch (input.move) {
    case 'counter':
      return await counter(context, held, by, input, transferProblem)
    case 'accept':
      return await accept(context, held, by, input, transferProblem)
    default: {
      const status = DONE[input.move]
      const ended: Offer = {
        ...offer,
        status,
        turn: null,
        closed_by: by,
        closing_message: input.message ?? null,
        updated_at: context.now,
        ended_at: context.now,
      }
      return await settle(context, ended, [`offer.${status}`])
    }
  }
}

function assertOpenTo(offer: Offer, by: OfferSide, move: OfferMove, now: Date): void {
  const status = offerState(offer, now)
  if (status !== 'open' && status !== 'countered') {
    throw notAllowedNow('offer', status, `The offer is ${status} and cannot change any more.`)
  }
  if (move !== 'withdraw' && offer.turn !== by) {
    throw conflict('not_allowed_now', `It is the turn of the ${offer.turn} to respond.`, {
      status,
      turn: offer.turn,
    })
  }
}

async function counter(
  context: OfferContext,
  held: HeldOffer,
  by: OfferSide,
  { amount_cents, message = null }: MoveInput,
  transferProblem: ApiError | null,
): Promise<Offer> {
  const { now } = context
  const { offer, listing } = held
  if (amount_cents == null) throw invalid({ field: 'amount_cents', issue: 'is required' })
  if (!listing) throw conflict('domain_not_for_sale', `${offer.domain} is no longer for sale.`)
  assertAmount(listing, by, amount_cents)
  if (by === 'seller') {
    await assertNotNewAccess(context, offer)
    if (amount_cents <= offer.amount_cents) {
      const amount = moneyText(offer.amount_cents, offer.currency)
      throw invalid({
        field: 'amount_cents',
        issue: `must be above the ${amount} that the buyer offers: accept the offer instead`,
      })
    }
  }
  const countered: Offer = {
    ...offer,
    status: 'countered',
    turn: by === 'buyer' ? 'seller' : 'buyer',
    amount_cents,
    history: [...offer.history, { at: iso(now), by, amount_cents, message: message ?? null }],
    updated_at: now,
    expires_at: after(now, offer.valid_hours * HOUR),
  }
  const events: [OfferEvent, ...OfferEvent[]] = ['offer.countered']
  // What the seller has asked for stands, and so does the floor.
  const enough = Math.min(listing.floor_price_cents, offer.amount_cents)
  const isEnough = by === 'buyer' && amount_cents >= enough && transferProblem === null
  if (!isEnough || (await acceptProblem(context, held, amount_cents))) {
    return await settle(context, countered, events)
  }
  const accepted = await acceptOffer(context, { offer: countered, listing }, null)
  return await settle(context, accepted, [...events, 'offer.accepted'])
}

async function accept(
  context: OfferContext,
  held: HeldOffer,
  by: OfferSide,
  { amount_cents, message = null }: MoveInput,
  transferProblem: ApiError | null,
): Promise<Offer> {
  const { offer } = held
  if (amount_cents != null && amount_cents !== offer.amount_cents) {
    const { amount_cents: current_price_cents, currency } = offer
    throw new ApiError(
      'price_mismatch',
      `The amount on the table is ${moneyText(current_price_cents, currency)}.`,
      { details: { field: 'amount_cents', current_price_cents, currency } },
    )
  }
  if (by === 'seller') await assertNotNewAccess(context, offer)
  const problem = (await acceptProblem(context, held, offer.amount_cents)) ?? transferProblem
  if (problem) throw problem
  return await settle(context, await acceptOffer(context, held, by, message ?? null), [
    'offer.accepted',
  ])
}

/** What an amount must be, whoever puts it on the table. */
export function assertAmount(listing: Listing, by: OfferSide, amountCents: number): void {
  if (amountCents > listing.price_cents) throw priceBelow(listing)
  const { min_offer_cents, domain, currency } = listing
  if (by === 'buyer' && min_offer_cents !== null && amountCents < min_offer_cents) {
    throw new ApiError(
      'offer_too_low',
      `Offers for ${domain} start at ${moneyText(min_offer_cents, currency)}.`,
      { details: { field: 'amount_cents', min_offer_cents } },
    )
  }
}

/** Writes the offer as it is now, and tells whom it concerns. */
export async function settle(
  context: OfferContext,
  offer: Offer,
  events: [OfferEvent, ...OfferEvent[]],
): Promise<Offer> {
  await writeOffer(context.tx, offer)
  await announce(context, offer, events)
  return offer
}

export async function announce(
  context: OfferContext,
  offer: Offer,
  [first, ...more]: [OfferEvent, ...OfferEvent[]],
): Promise<void> {
  const { tx, now } = context
  for (const event of [first, ...more]) await notifySides(context, offer, event)
  // Last, since other writers of the partner wait from here on.
  await tx.executeQuery(
    emit(now, partnerOf(offer), [
      offerEvent(first, offer),
      ...more.map((event) => offerEvent(event, offer)),
    ]),
  )
}
