import { nameText } from 'domain-marketplace-domain-names'
import type { CompiledQuery } from 'kysely'
import { iso } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { after, DAY } from '../../lib/clock.ts'
import { moneyText, splitPrice } from '../../lib/money.ts'
import { mustFindUser } from '../accounts/user.ts'
import { removeOwner, transferToBuyer } from '../domains/transfer-to-buyer.ts'
import { changeEarned, postCommissions } from '../ledger/commissions.ts'
import type { Listing } from '../listings/listing.ts'
import { soldByNobody } from '../listings/seller-listing.ts'
import { sellerPartnerOf } from '../partners/seller-partner.ts'
import { SIMULATED } from '../registrars/operation.ts'
import { forgetDelivered } from '../registrars/registrar-domain.ts'
import { domainHandedOverMail } from './mails/domain-handed-over.ts'
import { domainSoldMail } from './mails/domain-sold.ts'
import { shareDisputedMail } from './mails/share-disputed.ts'
import { shareReturnedMail } from './mails/share-returned.ts'
import type { Order } from './order.ts'

/** Whose domain an order sells, and their share of the price: fixed when the order is made. */
type SellerShare = Pick<Order, 'seller_id' | 'seller_cents' | 'seller_hold_days'>

/** Where the buyer came from: the name's own lander, our pages, or a partner and its links. */
export type BroughtBy = keyof Settings['sellerBps']

/** What is not the marketplace's commission is the seller's; a partner's commission is paid out of the marketplace's. */
export function sellerShare(
  { seller_id }: Pick<Listing, 'seller_id'>,
  priceCents: number,
  broughtBy: BroughtBy,
  { sellerBps, commissionHoldDays }: Pick<Settings, 'sellerBps' | 'commissionHoldDays'>,
): SellerShare {
  if (seller_id === null) return { seller_id: null, seller_cents: null, seller_hold_days: null }
  const seller_cents = splitPrice(priceCents, sellerBps[broughtBy]).amount_owed_cents
  return { seller_id, seller_cents, seller_hold_days: commissionHoldDays }
}

/** The domain has been delivered: its holding moves on, and its seller has earned their share. */
export async function deliverTo(tx: Tx, now: Date, order: Order): Promise<void> {
  if (order.environment !== 'live') return
  const { domain, seller_id, payment_model, delivery } = order
  if (payment_model === 'hosted_checkout' || delivery.method === 'hold') {
    const isSimulated = order.transfer_connection === SIMULATED
    await transferToBuyer(tx, now, domain, order.buyer.email, { isSimulated })
  } else {
    await removeOwner(tx, domain)
  }
  if (delivery.method !== 'hold') await forgetDelivered(tx, domain)
  if (seller_id === null) return
  await soldByNobody(tx, domain)
  await creditSeller(tx, now, order, seller_id)
}

async function creditSeller(tx: Tx, now: Date, order: Order, sellerId: string): Promise<void> {
  const { public_id, currency, seller_cents, seller_hold_days } = order
  const seller = await mustFindUser(tx, sellerId)
  const payableAt = after(now, (seller_hold_days ?? 0) * DAY)
  if (seller_cents !== null && seller_cents > 0) {
    const partner = {
      partnerId: await sellerPartnerOf(tx, now, seller),
      environment: 'live',
    } as const
    await tx.executeQuery(
      postCommissions(tx, now, partner, currency, [
        {
          type: 'accrued',
          kind: 'sale',
          saleId: public_id,
          cents: seller_cents,
          payableAt,
        },
      ]),
    )
    if (order.disputed) await changeEarned(tx, now, public_id, 'reversed', public_id, 'seller')
  }
  const mail = domainHandedOverMail({
    name: nameText(order.domain),
    publicId: public_id,
    share: moneyText(seller_cents ?? 0, currency),
    payableFrom: payableAt > now ? iso(payableAt).slice(0, 10) : null,
    isDisputed: order.disputed,
  })
  await tx.executeQuery(queueMail(tx, now, { to: seller.email, ...mail }))
}

/**
 * What the bank does to the share of a delivered domain's seller: while it has the money nothing is
 * earned, though the domain is gone.
 */
export async function disputeShare(
  tx: Tx,
  now: Date,
  { public_id, domain, currency, disputed, ...order }: Order,
  disputeId: string,
): Promise<void> {
  if (order.seller_id === null) return
  const change = disputed ? 'reversed' : 'accrued'
  const cents = await changeEarned(tx, now, public_id, change, disputeId, 'seller')
  if (cents === 0) return
  const seller = await mustFindUser(tx, order.seller_id)
  const write = disputed ? shareDisputedMail : shareReturnedMail
  const mail = write(nameText(domain), public_id, moneyText(Math.abs(cents), currency))
  await tx.executeQuery(queueMail(tx, now, { to: seller.email, ...mail }))
}

/** Tells a seller that there is a buyer. */
export async function soldMail(tx: Tx, now: Date, order: Order): Promise<CompiledQuery | null> {
  if (order.seller_id === null) return null
  const seller = await mustFindUser(tx, order.seller_id)
  const mail = domainSoldMail({
    name: nameText(order.domain),
    publicId: order.public_id,
    price: moneyText(order.sale_price_cents, order.currency),
    share: moneyText(order.seller_cents ?? 0, order.currency),
  })
  return queueMail(tx, now, { to: seller.email, ...mail })
}
