import { partnerOf } from '../../core/caller.ts'
import { conflict, moveNotOpen } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { emit } from '../events/emit.ts'
import type { NewEvent } from '../events/event-view.ts'
import type { RegistrySaid, TransferProof, TransferStatus } from '../events/transfer-view.ts'
import { issueCreditNote } from '../invoices/invoice.ts'
import { countSales } from '../ledger/sale-days.ts'
import { openSettlement } from '../ledger/settlement-period.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'
import { updateListing } from '../listings/listing.ts'
import { relist } from '../listings/withdrawal.ts'
import { buyerMail } from './buyer-mail.ts'
import { issueReceipt } from './delivery-receipt.ts'
import { moveMoney } from './move-money.ts'
import { FIRST_STEPS } from './new-order.ts'
import {
  countedSale,
  type Order,
  type OrderEvent,
  type OrderStatus,
  orderEvent,
  type TimelineEntry,
} from './order.ts'
import { simulatedRegistry } from './registry-said.ts'
import { deliverTo } from './seller.ts'
import { setbackMail } from './setback-mail.ts'
import { withdrawDelivery } from './withdraw-delivery.ts'

/** Where orders wait until their transfer starts. */
const WAITING: OrderStatus[] = Object.values(FIRST_STEPS).map(({ status }) => status)

/** Why an order is held whose payment the bank took back. */
export const PAYMENT_DISPUTED = 'payment_disputed'

const REJECTED = 'The registry rejected the transfer.'

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

/** How it is known that the domain was delivered, and what the registry said then. */
interface Delivered {
  proof?: TransferProof
  registry: RegistrySaid | null
}

/**
 * Performs one move on an order that this transaction holds: status, timeline, money, market and
 * events together. Rejects with `conflict` when the order's state does not allow it.
 */
export async function moveOrder(
  { tx, now: asked, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  order: Order,
  name: MoveName,
  reason: string | null = null,
  delivered?: Delivered,
): Promise<Order> {
  if (name === 'complete' && fixedOutcome(order.environment, order.domain) === 'transfer_fails') {
    return moveOrder({ tx, now: asked, app }, order, 'fail', reason ?? REJECTED)
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
    moved = after(moved, MOVES[step], reason, now, delivered)
    // Starting it is a decision, whatever it is held for.
    if (name === 'start') moved = { ...moved, held: false, hold_reason: null }
    events.push(orderEvent(MOVES[step].event, moved, reason))
  }
  if (period) moved = { ...moved, settlement_id: period.id }
  const partner = partnerOf(order)
  if (name === 'complete') {
    moved = { ...moved, receipt_id: await issueReceipt({ tx, now, app }, moved) }
  }
  await writeOrder(tx, moved)
  if (name === 'fail' || name === 'refund') await withdrawDelivery({ tx, now, app }, order)
  await moveMoney(tx, now, moved, name)
  if (name === 'complete') await deliverTo(tx, now, moved)
  for (const mail of [await buyerMail(tx, now, moved, name), await setbackMail(tx, now, moved)]) {
    if (mail) await tx.executeQuery(mail)
  }
  if (name === 'cancel' || name === 'refund') {
    if (order.environment === 'live') await relist(tx, now, order.domain)
    else {
      const listing = { ...partner, domain: order.domain }
      await tx.executeQuery(updateListing(tx, listing, now, { status: 'listed' }))
    }
  }
  await tx.executeQuery(countSales(partner, [countedSale(order)], [countedSale(moved)]))
  // Where a sale takes the number of its invoice: in another order, the two would wait for each other.
  if (name === 'cancel' || name === 'refund') await issueCreditNote(tx, now, order.public_id)
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
  delivered: Delivered | undefined,
): Order {
  const status =
    move.to ?? (move.transfer === 'failed' ? FIRST_STEPS[order.payment_model].status : order.status)
  const step: TimelineEntry = { at: iso(now), type: move.event, status, note: reason }
  return {
    ...order,
    status,
    ...holdAfter(order, move),
    transfer_status: move.transfer ?? order.transfer_status,
    transfer_started_at: move.transfer === 'in_progress' ? now : order.transfer_started_at,
    transfer_completed_at: move.transfer === 'completed' ? now : order.transfer_completed_at,
    transfer_reason: move.transfer ? reason : order.transfer_reason,
    ...(move.transfer && transferFacts(order, move.transfer, reason, now, delivered)),
    timeline: [...order.timeline, step],
    updated_at: now,
  }
}

/** An order that was held for another reason when the bank took its payment is then held for that. */
function holdAfter(order: Order, move: Move): Pick<Order, 'held' | 'hold_reason'> {
  const { held, hold_reason, disputed } = order
  if (move === MOVES.clear && disputed && hold_reason !== PAYMENT_DISPUTED) {
    return { held: true, hold_reason: PAYMENT_DISPUTED }
  }
  if (move.held === undefined) return { held, hold_reason }
  return { held: move.held, hold_reason: move.held ? 'transfer_failed' : null }
}

/** What a move changes of where the domain is: each start is another transfer, and each end forgets the code. */
function transferFacts(
  order: Order,
  transfer: TransferStatus,
  reason: string | null,
  now: Date,
  delivered: Delivered | undefined,
): Partial<Order> {
  if (transfer === 'action_required') return {}
  const isSandbox = order.environment === 'sandbox'
  const source = isSandbox ? 'simulated' : 'operator'
  const isStart = transfer === 'in_progress'
  const said = isSandbox ? simulatedRegistry(now, null) : (delivered?.registry ?? null)
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
        ? (delivered?.proof ?? { source, at: iso(now), registrar_iana_id: null, note: reason })
        : null,
    transfer_registry:
      transfer === 'completed'
        ? { before: order.transfer_registry?.before ?? null, after: said }
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
      transfer_registry: order.transfer_registry && JSON.stringify(order.transfer_registry),
      transfer_connection: order.transfer_connection,
      transfer_code: order.transfer_code,
      code_available_at: order.code_available_at,
      expected_by: order.expected_by,
      transfer_checked_at: order.transfer_checked_at,
      submitted_at: order.submitted_at,
      stalled_at: order.stalled_at,
      transfer_proof: order.transfer_proof && JSON.stringify(order.transfer_proof),
      receipt_id: order.receipt_id,
      timeline: JSON.stringify(order.timeline),
      updated_at: order.updated_at,
    })
    .where('public_id', '=', order.public_id)
    .execute()
}
