import { conflict, notAllowedNow, notFound } from '../../core/errors.ts'
import { newId } from '../../lib/ids.ts'
import { money } from '../../lib/money.ts'
import {
  type Case,
  type CaseStatus,
  type Offer,
  type OfferStatus,
  type Side,
  withStep,
  writeCase,
} from './case.ts'
import { notifyBuyer } from './notify-buyer.ts'
import { assertWithinBudget, type MoveContext, moveCase, UNAGREED } from './status.ts'

/** The buyer may say what the name is worth to them before its owner was found; an owner must be there. */
const MAY_OFFER: Record<Side, readonly CaseStatus[]> = {
  buyer: UNAGREED,
  owner: ['contacted', 'negotiating'],
}

export interface NewOffer {
  made_by: Side
  price_cents: number
  message?: string | null | undefined
  /** The buyer's word for a price above the budget. */
  buyer_consented?: boolean | undefined
}

/** Puts an offer on the table: it counters the other side's, or takes the place of an own one. */
export async function makeOffer(
  context: MoveContext,
  row: Case,
  { made_by, price_cents, message = null, buyer_consented = false }: NewOffer,
): Promise<Case> {
  const { tx, now } = context
  if (!MAY_OFFER[made_by].includes(row.status)) {
    throw notAllowedNow(
      'case',
      row.status,
      `The ${made_by} makes no offer in a case that is ${row.status}.`,
    )
  }
  if (made_by === 'buyer' && !buyer_consented) assertWithinBudget(row, price_cents)

  // An offer to or from an owner who responded is a negotiation.
  const talking =
    row.status === 'contacted' ? await moveCase(context, row, 'negotiate', { isSilent: true }) : row
  for (const [side, status] of [
    [made_by, 'replaced'],
    [made_by === 'buyer' ? 'owner' : 'buyer', 'countered'],
  ] as const) {
    await tx
      .updateTable('brokerage_offers')
      .set({ status, answered_at: now })
      .where('case_id', '=', row.case_id)
      .where('made_by', '=', side)
      .where('status', '=', 'open')
      .execute()
  }
  await tx
    .insertInto('brokerage_offers')
    .values({
      offer_id: newId('off', now),
      case_id: row.case_id,
      made_by,
      price_cents,
      message,
      status: 'open',
      created_at: now,
      answered_at: null,
    })
    .execute()
  const offered = withStep(talking, now, 'brokerage.offer_made', {
    by: made_by,
    price_cents,
    note: message,
  })
  await writeCase(tx, offered)
  if (made_by === 'owner') await notifyBuyer(context, offered)
  return offered
}

/**
 * The other side's word on an open offer. Accepting the owner's price above the budget takes the buyer's
 * own word, whoever brings it.
 */
export async function answerOffer(
  context: MoveContext,
  row: Case,
  offerId: string,
  answer: 'accept' | 'reject',
  { by, buyer_consented = false }: { by?: Side; buyer_consented?: boolean | undefined } = {},
): Promise<Case> {
  const { tx, now } = context
  const offer = await findOffer(context, row, offerId)
  if (by === offer.made_by)
    throw conflict('not_applicable', 'You cannot accept or reject your own offer.')
  if (offer.status !== 'open') {
    throw conflict('not_allowed_now', `The offer is ${offer.status} already.`, {
      status: offer.status,
    })
  }
  const answeredBy: Side = offer.made_by === 'buyer' ? 'owner' : 'buyer'
  const { price_cents } = offer
  if (answer === 'reject') {
    await setStatus(context, offer, 'rejected')
    const rejected = withStep(row, now, 'brokerage.offer_rejected', { by: answeredBy, price_cents })
    await writeCase(tx, rejected)
    if (answeredBy === 'owner') await notifyBuyer(context, rejected)
    return rejected
  }
  // The buyer gave their word for an offer of their own when they made it.
  const consented = buyer_consented || offer.made_by === 'buyer'
  if (!consented) assertWithinBudget(row, price_cents)
  await setStatus(context, offer, 'accepted')
  const talking =
    row.status === 'contacted' ? await moveCase(context, row, 'negotiate', { isSilent: true }) : row
  const accepted = withStep(talking, now, 'brokerage.offer_accepted', {
    by: answeredBy,
    price_cents,
  })
  return await moveCase(context, accepted, 'agree', { price_cents, buyer_consented: consented })
}

async function findOffer({ tx }: MoveContext, row: Case, offerId: string): Promise<Offer> {
  const offer = await tx
    .selectFrom('brokerage_offers')
    .selectAll()
    .where('offer_id', '=', offerId)
    .where('case_id', '=', row.case_id)
    .executeTakeFirst()
  if (!offer) throw notFound('offer')
  return offer
}

async function setStatus({ tx, now }: MoveContext, offer: Offer, status: OfferStatus) {
  await tx
    .updateTable('brokerage_offers')
    .set({ status, answered_at: now })
    .where('offer_id', '=', offer.offer_id)
    .execute()
}

/** The buyer is willing to pay more. */
export async function raiseBudget(context: MoveContext, row: Case, budget: number): Promise<Case> {
  if (!UNAGREED.includes(row.status)) {
    throw notAllowedNow(
      'case',
      row.status,
      `The budget of a case that is ${row.status} is not raised.`,
    )
  }
  if (budget <= row.budget) {
    const known = money(row.budget, row.currency)
    throw conflict(
      'not_applicable',
      `Your budget is ${known} already: write a higher amount to raise it.`,
    )
  }
  const raised = withStep({ ...row, budget }, context.now, 'brokerage.budget_raised', {
    by: 'buyer',
    price_cents: budget,
  })
  await writeCase(context.tx, raised)
  return raised
}
