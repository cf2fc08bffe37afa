import { partnerOf } from '../../core/caller.ts'
import { iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { madeAt } from '../../lib/ids.ts'
import { changeEarned } from '../ledger/commissions.ts'
import { countSales, isReversed } from '../ledger/sale-days.ts'
import { count } from '../referrals/referral-days.ts'
import { countedSale, type Order, type TimelineEntry } from './order.ts'
import { disputeShare } from './seller.ts'
import { setbackMail } from './setback-mail.ts'
import { PAYMENT_DISPUTED, writeOrder } from './status.ts'

const NOTES = {
  'payment.disputed': 'The bank of the buyer has taken the payment back until it decides.',
  'payment.dispute_won': 'The bank has given the payment back.',
  'payment.dispute_lost': 'The bank has decided for the buyer.',
} as const

/**
 * What a dispute does to an order that this transaction holds: while the bank has the money the sale
 * earns nothing, and a domain that has not left yet waits.
 */
export async function disputeOrder(
  tx: Tx,
  now: Date,
  order: Order,
  disputeId: string,
  type: keyof typeof NOTES,
): Promise<void> {
  const isBack = isReversed(order)
  const disputed = type !== 'payment.dispute_won'
  const step: TimelineEntry = { at: iso(now), type, status: order.status, note: NOTES[type] }
  const moved: Order = {
    ...order,
    ...(!isBack && holdOf(order, disputed)),
    disputed,
    timeline: [...order.timeline, step],
    updated_at: now,
  }
  await writeOrder(tx, moved)
  if (isBack) return
  const change = disputed ? 'reversed' : 'accrued'
  const commission_cents = await changeEarned(tx, now, order.public_id, change, disputeId)
  await disputeShare(tx, now, moved, disputeId)
  const mail = await setbackMail(tx, now, moved)
  if (mail) await tx.executeQuery(mail)
  if (order.link_id) {
    await count(tx, partnerOf(order), order.link_id, madeAt(order.public_id), { commission_cents })
  }
  await tx.executeQuery(countSales(partnerOf(order), [countedSale(order)], [countedSale(moved)]))
}

function holdOf(order: Order, disputed: boolean): Pick<Order, 'held' | 'hold_reason'> {
  const waits = order.status === 'PAID'
  if (disputed && waits && !order.held) return { held: true, hold_reason: PAYMENT_DISPUTED }
  if (!disputed && order.hold_reason === PAYMENT_DISPUTED) return { held: false, hold_reason: null }
  return { held: order.held, hold_reason: order.hold_reason }
}
