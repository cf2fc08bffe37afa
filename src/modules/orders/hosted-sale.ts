import type { CompiledQuery } from 'kysely'
import { iso } from '../../kernel/fields.ts'
import type { Partner, Tx, WriteContext } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { splitPrice } from '../../lib/money.ts'
import { emit } from '../events/emit.ts'
import { type Listing, sellListing } from '../inventory/listing.ts'
import { payableFrom, postCommissions } from '../ledger/commissions.ts'
import { post, transfer } from '../ledger/ledger.ts'
import { countSales } from '../ledger/sale-days.ts'
import { closeQuote } from '../quotes/quote.ts'
import { count } from '../referrals/referral-days.ts'
import { insertOrder } from './create-order.ts'
import { type Buyer, countedSale, type Order, orderEvent, type TimelineEntry } from './order.ts'
import { reasonToHold } from './review.ts'
import { type SellerShare, sellerShare, soldMail } from './seller.ts'

/** A sale that the house collected, as its checkout tells it. */
export interface HostedSale {
  partner: Partner
  commissionBps: number
  linkId: string | null
  sessionId: string
  listing: Listing
  priceCents: number
  currency: string
  buyer: Buyer
  returnUrl: string | null
  cancelUrl: string | null
}

/**
 * Records a sale whose payment has come in, and takes the domain off the market. The caller holds the
 * listing and has made sure that it is free, and runs `event` last, since other writers of the partner wait
 * from there on.
 */
export async function recordHostedSale(
  { tx, now, house }: Pick<WriteContext, 'tx' | 'now' | 'house'>,
  sale: HostedSale,
): Promise<{ order: Order; event: CompiledQuery }> {
  const { partner, listing } = sale
  const { settings } = house
  const hold = await reasonToHold(tx, settings.review, partner, listing.domain, sale.priceCents)
  const order = {
    ...newOrder(sale, hold, now),
    ...sellerShare(listing, sale.priceCents, settings),
  }
  const { public_id, currency, sale_price_cents, commission_cents } = order
  await tx.executeQuery(insertOrder(order))
  const { environment, domain } = listing
  await tx.executeQuery(sellListing({ environment, domain, now }))
  // The domain is free, so what still holds it is the partner's own.
  if (listing.reserved_by !== null) {
    await tx.executeQuery(closeQuote({ id: listing.reserved_by, status: 'consumed', now }))
  }
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
    await accrue(tx, now, partner, order, payableFrom(settings, partner.environment, now))
  }
  // After the balance, as in all that changes both.
  if (sale.linkId) {
    const gmv_cents = sale_price_cents
    await count(tx, partner, sale.linkId, now, { sales: 1, gmv_cents, commission_cents })
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

function newOrder(
  sale: HostedSale,
  hold_reason: string | null,
  now: Date,
): Omit<Order, keyof SellerShare> {
  const paid: TimelineEntry = {
    at: iso(now),
    type: 'order.paid',
    status: 'PAID',
    note: hold_reason && `Held for review: ${hold_reason}.`,
  }
  return {
    public_id: newId('ord', now),
    partner_id: sale.partner.partnerId,
    environment: sale.partner.environment,
    domain: sale.listing.domain,
    status: 'PAID',
    payment_model: 'hosted_checkout',
    sale_price_cents: sale.priceCents,
    currency: sale.currency,
    commission_bps: sale.commissionBps,
    commission_cents: splitPrice(sale.priceCents, sale.commissionBps).commission_cents,
    held: hold_reason !== null,
    hold_reason,
    quote_id: null,
    external_payment_ref: null,
    buyer: sale.buyer,
    return_url: sale.returnUrl,
    cancel_url: sale.cancelUrl,
    transfer_status: 'pending',
    transfer_started_at: null,
    transfer_completed_at: null,
    transfer_reason: null,
    timeline: [paid],
    settlement_id: null,
    checkout_session_id: sale.sessionId,
    link_id: sale.linkId,
    disputed: false,
    created_at: now,
    updated_at: now,
  }
}
