import { partnerOf } from '../../core/caller.ts'
import { conflict, invalid, moveNotOpen } from '../../core/errors.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { madeAt } from '../../lib/ids.ts'
import { splitPrice } from '../../lib/money.ts'
import { emit } from '../events/emit.ts'
import { countSales } from '../ledger/sale-days.ts'
import { findSale, type Sale } from '../listings/listing.ts'
import {
  type Case,
  type CaseStatus,
  completedEvent,
  type Side,
  type StepType,
  withStep,
  writeCase,
} from './case.ts'
import { postDeal } from './deal.ts'
import { notifyBuyer } from './notify-buyer.ts'

interface Move {
  from: readonly CaseStatus[]
  to: CaseStatus
  step: StepType
  /** Nothing moves the case any more. */
  ends?: true
}

/** The price is still open: offers may be made, and the budget raised. */
export const UNAGREED: readonly CaseStatus[] = ['open', 'sourcing', 'contacted', 'negotiating']
export const RUNNING: readonly CaseStatus[] = [...UNAGREED, 'agreed']

/**
 * Every move of a case (contract, section 9). Whatever is not here is rejected with 409 and leaves no
 * trace. Only a completed deal is an event.
 */
const MOVES = {
  source: { from: ['open'], to: 'sourcing', step: 'brokerage.case_sourcing' },
  contact: { from: ['sourcing'], to: 'contacted', step: 'brokerage.case_contacted' },
  negotiate: { from: ['contacted'], to: 'negotiating', step: 'brokerage.case_negotiating' },
  agree: { from: ['negotiating'], to: 'agreed', step: 'brokerage.case_agreed' },
  complete: {
    from: ['agreed'],
    to: 'completed',
    step: 'brokerage.case_completed',
    ends: true,
  },
  decline: {
    from: ['contacted', 'negotiating', 'agreed'],
    to: 'declined',
    step: 'brokerage.case_declined',
    ends: true,
  },
  'no-contact': {
    from: ['sourcing', 'contacted'],
    to: 'no_contact',
    step: 'brokerage.case_no_contact',
    ends: true,
  },
  cancel: { from: RUNNING, to: 'cancelled', step: 'brokerage.case_cancelled', ends: true },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof MOVES
export const MOVE_NAMES = Object.keys(MOVES) as [MoveName, ...MoveName[]]

export interface MoveDetails {
  /** For agree, and for complete to correct it. */
  price_cents?: number | null | undefined
  /** Shown in the timeline, so the buyer and the partner read it. */
  note?: string | null | undefined
  /** The buyer's word for a price above the budget. */
  buyer_consented?: boolean | undefined
  by?: Side
  /** Another step follows at once, of which the buyer hears. */
  isSilent?: boolean
}

export type MoveContext = Pick<WriteContext, 'tx' | 'now' | 'app'>

/**
 * Performs one move on a case that this transaction holds: status, timeline, offers, money, event and mail
 * together. Rejects with `conflict` when the case's state does not allow it.
 */
export async function moveCase(
  context: MoveContext,
  row: Case,
  name: MoveName,
  details: MoveDetails = {},
): Promise<Case> {
  const { tx, now } = context
  const move: Move = MOVES[name]
  if (!move.from.includes(row.status)) {
    throw moveNotOpen(name, 'case', row.status)
  }
  if (name !== 'cancel') assertNotOvertaken(row, await findSale(tx, partnerOf(row), row.domain))
  const price_cents = priceAfter(row, name, details)
  const commission_cents =
    name === 'complete' && price_cents !== null
      ? splitPrice(price_cents, row.commission_bps).commission_cents
      : null

  // Past this line the case moves.
  const { by = null, note = null } = details
  const priced = name === 'agree' || name === 'complete'
  const moved = withStep(
    { ...row, status: move.to, price_cents, commission_cents },
    now,
    move.step,
    {
      by,
      note,
      price_cents: priced ? price_cents : null,
    },
  )
  if (move.ends) moved.ended_at = now
  if (move.ends || name === 'agree') await closeOffers(tx, now, row.case_id)
  await writeCase(tx, moved)
  if (!details.isSilent) await notifyBuyer(context, moved)
  if (name === 'complete') {
    await postDeal(context, moved)
    const sale = {
      at: now,
      payment_model: 'brokerage',
      status: moved.status,
      currency: moved.currency,
      amount_cents: price_cents ?? 0,
      commission_cents: commission_cents ?? 0,
    }
    await tx.executeQuery(countSales(partnerOf(moved), [], [sale]))
    await tx.executeQuery(emit(now, partnerOf(moved), [completedEvent(moved)]))
  }
  return moved
}

/** A name that got its own price is bought like any other: its case is about to be ended by a job. */
function assertNotOvertaken(row: Case, sale: Sale | undefined): void {
  if (sale && isOvertaken(row, sale)) {
    const what = sale.status === 'sold' ? 'sold' : 'listed for sale'
    const reason = sale.status === 'sold' ? 'domain_sold' : 'listed_for_sale'
    throw conflict(reason, `${row.domain} has been ${what}, so its case is over.`)
  }
}

/**
 * A name that was sold before its case began may well be asked for; one that was withdrawn is not for sale. The
 * sandbox's clock moves the case and not the listing: what counts is when the id was made.
 */
export function isOvertaken({ case_id }: Pick<Case, 'case_id'>, sale: Sale): boolean {
  return sale.status === 'listed' || (sale.status === 'sold' && sale.updated_at > madeAt(case_id))
}

function priceAfter(
  row: Case,
  name: MoveName,
  { price_cents, buyer_consented = false }: MoveDetails,
): number | null {
  if (name !== 'agree' && name !== 'complete') return row.price_cents
  const price = price_cents ?? (name === 'complete' ? row.price_cents : null)
  if (price === null) {
    throw invalid({ field: 'price_cents', issue: 'is required: the price that was agreed' })
  }
  if (!buyer_consented) assertWithinBudget(row, price)
  return price
}

/** What was agreed with the buyer's word is within what the buyer will pay. */
export function assertWithinBudget(row: Case, priceCents: number): void {
  const most = Math.max(row.budget, row.price_cents ?? 0)
  if (priceCents <= most) return
  throw conflict(
    'above_budget',
    `${priceCents} cents are above the buyer's budget of ${row.budget}. ` +
      'Let the buyer raise the budget, or say buyer_consented: true once the buyer agreed to this price.',
    { budget: row.budget, price_cents: priceCents },
  )
}

async function closeOffers(tx: Tx, now: Date, caseId: string): Promise<void> {
  await tx
    .updateTable('brokerage_offers')
    .set({ status: 'lapsed', answered_at: now })
    .where('case_id', '=', caseId)
    .where('status', '=', 'open')
    .execute()
}
