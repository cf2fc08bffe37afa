import type { CompiledQuery } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { emit } from '../events/emit.ts'
import { payableFrom, postCommissions } from '../ledger/commissions.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { countSales } from '../ledger/sale-days.ts'
import { type HeldListing, sellListing } from '../listings/listing.ts'
import { count } from '../referrals/referral-days.ts'
import { insertOrder, newOrder, type Sale } from './new-order.ts'
import { countedSale, type Order, orderEvent } from './order.ts'
import { findLimits } from './partner-limits.ts'
import { type BroughtBy, soldMail } from './seller.ts'

/** What the checkout tells of a sale that the marketplace collected. */
type HostedSale = Omit<Sale, 'payment_model' | 'quote_id' | 'external_payment_ref'>

/**
 * Records a sale whose payment has come in, and takes the domain off the market. The caller holds the
 * listing and has made sure that it is free, and runs `event` last, since other writers of the partner wait
 * from there on.
 */
export async function recordHostedSale(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  partner: Partner,
  listing: HeldListing,
  sale: HostedSale,
  broughtBy: BroughtBy,
): Promise<{ order: Order; event: CompiledQuery }> {
  const whole = {
    ...sale,
    payment_model: 'hosted_checkout',
    quote_id: null,
    external_payment_ref: null,
  } as const
  const limits = await findLimits(tx, partner)
  const order = await newOrder({ tx, now, app }, partner, limits, listing, whole, broughtBy)
  const { public_id, currency, sale_price_cents, commission_cents } = order
  await tx.executeQuery(insertOrder(order))
  await tx.executeQuery(sellListing(listing, now))
  await tx.executeQuery(
    post(now, {
      ...partner,
      code: 'charge',
      source: public_id,
      settlementId: null,
      currency,
      entries: transfer('card_funds', 'undelivered_sales', sale_price_cents),
    }),
  )
  if (commission_cents > 0) {
    await accrue(tx, now, partner, order, payableFrom(app.settings, partner.environment, now))
  }
  // After the balance, as in all that changes both.
  if (sale.link_id) {
    const gmv_cents = sale_price_cents
    await count(tx, partner, sale.link_id, now, { sales: 1, gmv_cents, commission_cents })
  }
  const mail = await soldMail(tx, now, order)
  if (mail) await tx.executeQuery(mail)
  await tx.executeQuery(countSales(partner, [], [countedSale(order)]))
  return { order, event: emit(now, partner, [orderEvent('order.paid', order)]) }
}

async function accrue(
  tx: Tx,
  now: Date,
  partner: Partner,
  { public_id, currency, commission_cents }: Order,
  payableAt: Date,
): Promise<void> {
  await tx.executeQuery(
    postCommissions(tx, now, partner, currency, [
      {
        type: 'accrued',
        kind: 'commission',
        saleId: public_id,
        cents: commission_cents,
        payableAt,
      },
    ]),
  )
}
