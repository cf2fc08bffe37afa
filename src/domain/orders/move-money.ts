import { partnerOf } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import { madeAt } from '../../lib/ids.ts'
import { changeEarned } from '../ledger/commissions.ts'
import { type LedgerCode, type Posting, post, transfer } from '../ledger/ledger.ts'
import { openSettlement } from '../ledger/settlement-period.ts'
import { refundOrder } from '../payments/refund-order.ts'
import { count } from '../referrals/referral-days.ts'
import type { Order } from './order.ts'

/** Delivery earns the sale and the partner's commission; a refund takes the sale back whole. */
export async function moveMoney(tx: Tx, now: Date, order: Order, name: string): Promise<void> {
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
