import { partnerOf } from '../../core/caller.ts'
import { conflict, moveNotOpen } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { madeAt } from '../../lib/ids.ts'
import { emit } from '../events/emit.ts'
import type { NewEvent } from '../events/event-view.ts'
import type { TransferProof, TransferStatus } from '../events/transfer-view.ts'
import { changeEarned } from '../ledger/commissions.ts'
import { type LedgerCode, type Posting, post, transfer } from '../ledger/ledger.ts'
import { countSales } from '../ledger/sale-days.ts'
import { openSettlement } from '../ledger/settlement-period.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'
import { updateListing } from '../listings/listing.ts'
import { refundOrder } from '../payments/refund-order.ts'
import { count } from '../referrals/referral-days.ts'
import { buyerMail } from './buyer-mail.ts'
import { FIRST_STEPS } from './new-order.ts'
import {
  countedSale,
  type Order,
  type OrderEvent,
  type OrderStatus,
  orderEvent,
  type TimelineEntry,
} from './order.ts'
import { deliverTo } from './seller.ts'
import { setbackMail } from './setback-mail.ts'
import { withdrawCode } from './withdraw-code.ts'

/** Where orders wait until their transfer starts. */
const WAITING: OrderStatus[] = Object.values(FIRST_STEPS).map(({ status }) => status)

interface Move {
  from: readonly OrderStatus[]
  /** Absent: the status stays. */
  to?: OrderStatus
  held?: boolean
  transfer?: TransferStatus
  event: OrderEvent
}

/**
 * Every move of an order (specification, States and transitions; contract, section 7). Whatever is not
 * here is rejected with 409 and emits nothing. SETTLED is reached by a settlement run alone.
 */
const MOVES = {
  clear: { from: WAITING, held: false, event: 'order.manual_review_cleared' },
  start: {
    from: WAITING,
    to: 'TRANSFER_IN_PROGRESS',
    transfer: 'in_progress',
    event: 'order.transfer_started',
  },
  'action-required': {
    from: ['TRANSFER_IN_PROGRESS'],
    transfer: 'action_required',
    event: 'transfer.action_required',
  },
  complete: {
    from: ['TRANSFER_IN_PROGRESS'],
    to: 'TRANSFER_COMPLETED',
    transfer: 'completed',
    event: 'order.transfer_completed',
  },
  // Back to where it came from.
  fail: {
    from: ['TRANSFER_IN_PROGRESS'],
    held: true,
    transfer: 'failed',
    event: 'transfer.failed',
  },
  cancel: {
    from: WAITING,
    to: 'CANCELLED',
    held: false,
    transfer: 'cancelled',
    event: 'order.refunded',
  },
  refund: {
    from: [...WAITING, 'TRANSFER_IN_PROGRESS'],
    to: 'REFUNDED',
    held: false,
    transfer: 'cancelled',
    event: 'order.refunded',
  },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof MOVES
export const MOVE_NAMES = Object.keys(MOVES) as [MoveName, ...MoveName[]]

/**
 * Performs one move on an order that this transaction holds: status, timeline, money, market and
 * events together. Rejects with `conflict` when the order's state does not allow it.
 */
export async function moveOrder(
  tx: Tx,
  asked: Date,
  order: Order,
  name: MoveName,
  reason: string | null = null,
  proof: TransferProof | null = null,
): Promise<Order> {
  if (name === 'complete' && fixedOutcome(order.environment, order.domain) === 'transfer_fails') {
    return moveOrder(tx, asked, order, 'fail', reason ?? 'The registry rejected the transfer.')
  }
  assertLegalMove(order, name)
  const period = name === 'complete' ? await openSettlement(tx, order, order.currency, asked) : null
  // A run may have closed the period that this waited for: it is delivered in the next one.
  const now = period && period.period_start > asked ? period.period_start : asked
  // Starting the transfer of a held order clears it first, as a move of its own.
  const steps: MoveName[] = name === 'start' && order.held ? ['clear', 'start'] : [name]
  let moved: Order = order
  const events: NewEvent[] = []
  for (const step of steps) {
    moved = after(moved, MOVES[step], reason, now, proof)
    events.push(orderEvent(MOVES[step].event, moved, reason))
  }
  if (period) moved = { ...moved, settlement_id: period.id }
  const partner = partnerOf(order)
  await writeOrder(tx, moved)
  if (name === 'fail' || name === 'refund') await withdrawCode(tx, now, order)
  await moveMoney(tx, now, moved, name)
  if (name === 'complete') await deliverTo(tx, now, moved)
  for (const mail of [await buyerMail(tx, now, moved, name), await setbackMail(tx, now, moved)]) {
    if (mail) await tx.executeQuery(mail)
  }
  if (name === 'cancel' || name === 'refund') {
    const listing = { ...partner, domain: order.domain }
    await tx.executeQuery(updateListing(tx, listing, now, { status: 'listed' }))
  }
  await tx.executeQuery(countSales(partner, [countedSale(order)], [countedSale(moved)]))
  await tx.executeQuery(emit(now, partner, events as [NewEvent, ...NewEvent[]]))
  return moved
}

/** Whether its buyer can still have the money back. */
export function isRefundable({ status }: Order): boolean {
  return (MOVES.refund.from as readonly OrderStatus[]).includes(status)
}

function assertLegalMove(order: Order, name: MoveName): void {
  const move: Move = MOVES[name]
  if (!move.from.includes(order.status)) {
    throw moveNotOpen(name, 'order', order.status)
  }
  if (name === 'clear' && !order.held) {
    throw conflict('not_allowed_now', 'The order is not held, so there is nothing to clear.', {
      status: order.status,
      held: false,
    })
  }
  if (name === 'cancel' && order.transfer_started_at !== null) {
    throw conflict('not_allowed_now', 'A transfer was started already: refund the order instead.', {
      status: order.status,
    })
  }
}

function after(
  order: Order,
  move: Move,
  reason: string | null,
  now: Date,
  proof: TransferProof | null,
): Order {
  const status =
    move.to ?? (move.transfer === 'failed' ? FIRST_STEPS[order.payment_model].status : order.status)
  const step: TimelineEntry = { at: iso(now), type: move.event, status, note: reason }
  const held = move.held ?? order.held
  return {
    ...order,
    status,
    held,
    hold_reason: !held ? null : move.held ? 'transfer_failed' : order.hold_reason,
    transfer_status: move.transfer ?? order.transfer_status,
    transfer_started_at: move.transfer === 'in_progress' ? now : order.transfer_started_at,
    transfer_completed_at: move.transfer === 'completed' ? now : order.transfer_completed_at,
    transfer_reason: move.transfer ? reason : order.transfer_reason,
    ...(move.transfer && transferFacts(order, move.transfer, reason, now, proof)),
    timeline: [...order.timeline, step],
    updated_at: now,
  }
}

/** What a move changes of where the domain is: each start is another transfer, and each end forgets the code. */
function transferFacts(
  order: Order,
  transfer: TransferStatus,
  reason: string | null,
  now: Date,
  proof: TransferProof | null,
): Partial<Order> {
  if (transfer === 'action_required') return {}
  const source = order.environment === 'sandbox' ? 'simulated' : 'operator'
  const isStart = transfer === 'in_progress'
  return {
    transfer_code: null,
    code_available_at: null,
    expected_by: null,
    submitted_at: null,
    stalled_at: null,
    transfer_checked_at: null,
    transfer_number: order.transfer_number + (isStart ? 1 : 0),
    transfer_proof:
      transfer === 'completed'
        ? (proof ?? { source, at: iso(now), registrar_iana_id: null, note: reason })
        : null,
  }
}

export async function writeOrder(tx: Tx, order: Order): Promise<void> {
  await tx
    .updateTable('orders')
    .set({
      status: order.status,
      held: order.held,
      hold_reason: order.hold_reason,
      transfer_status: order.transfer_status,
      transfer_started_at: order.transfer_started_at,
      transfer_completed_at: order.transfer_completed_at,
      transfer_reason: order.transfer_reason,
      settlement_id: order.settlement_id,
      disputed: order.disputed,
      transfer_number: order.transfer_number,
      transfer_registrar: order.transfer_registrar && JSON.stringify(order.transfer_registrar),
      transfer_connection: order.transfer_connection,
      transfer_code: order.transfer_code,
      code_available_at: order.code_available_at,
      expected_by: order.expected_by,
      transfer_checked_at: order.transfer_checked_at,
      submitted_at: order.submitted_at,
      stalled_at: order.stalled_at,
      transfer_proof: order.transfer_proof && JSON.stringify(order.transfer_proof),
      timeline: JSON.stringify(order.timeline),
      updated_at: order.updated_at,
    })
    .where('public_id', '=', order.public_id)
    .execute()
}

/** Delivery earns the sale and the partner's commission; a refund takes the sale back whole. */
async function moveMoney(tx: Tx, now: Date, order: Order, name: MoveName): Promise<void> {
  const price = order.sale_price_cents
  // What the marketplace collected is on no statement of what a partner owes.
  const isHosted = order.payment_model === 'hosted_checkout'
  const enter = async (
    code: LedgerCode,
    settlementId: string | null,
    entries: Posting['entries'],
  ) => {
    const posting = post(now, {
      ...partnerOf(order),
      code,
      source: order.public_id,
      settlementId,
      currency: order.currency,
      entries,
    })
    await tx.executeQuery(posting)
  }
  if (name === 'complete' && order.settlement_id) {
    const earned = transfer('undelivered_sales', 'sales', price)
    const kept = transfer('partner_commission', 'partner_funds', order.commission_cents)
    if (isHosted) await enter('delivery', null, earned)
    else await enter('delivery', order.settlement_id, [...earned, ...kept])
  }
  if (name === 'refund' || name === 'cancel') {
    const period = isHosted ? null : await openSettlement(tx, order, order.currency, now)
    const back = isHosted ? 'buyer_refunds' : 'partner_funds'
    await enter('refund', period?.id ?? null, transfer('undelivered_sales', back, price))
    if (isHosted) await takeBackHosted(tx, now, order)
  }
}

/** The buyer's card gets the money back, and the partner earns nothing by it. */
async function takeBackHosted(tx: Tx, now: Date, order: Order): Promise<void> {
  await refundOrder(tx, now, order.public_id, 'The order was taken back.')
  const commission_cents = await changeEarned(tx, now, order.public_id, 'reversed')
  if (order.link_id) {
    // On the day of the sale, from which a sandbox's clock moves the order away.
    await count(tx, partnerOf(order), order.link_id, madeAt(order.public_id), { commission_cents })
  }
}
