import type { CompiledQuery, Insertable } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { iso } from '../../core/fields.ts'
import type { WriteContext } from '../../core/operation.ts'
import { prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { splitPrice } from '../../lib/money.ts'
import type { Listing } from '../listings/listing.ts'
import type { Order, TimelineEntry } from './order.ts'
import type { PartnerLimits } from './partner-limits.ts'
import { reasonToHold } from './review.ts'
import { type BroughtBy, sellerShare } from './seller.ts'

/** What the sale tells of its order. */
export type Sale = Pick<
  Order,
  | 'payment_model'
  | 'sale_price_cents'
  | 'currency'
  | 'commission_bps'
  | 'quote_id'
  | 'external_payment_ref'
  | 'checkout_session_id'
  | 'link_id'
  | 'buyer'
  | 'return_url'
  | 'cancel_url'
  | 'delivery'
>

/** Where an order waits until its transfer starts, by who took the buyer's money, and what brought it there. */
export const FIRST_STEPS = {
  partner_collected: { type: 'order.recorded', status: 'EXTERNALLY_PAID' },
  hosted_checkout: { type: 'order.paid', status: 'PAID' },
} as const satisfies Record<Order['payment_model'], Pick<TimelineEntry, 'type' | 'status'>>

/** An order as it begins; it may begin held. */
export async function newOrder(
  { tx, now, app: { settings } }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  partner: Partner,
  limits: PartnerLimits,
  listing: Listing,
  sale: Sale,
  broughtBy: BroughtBy,
): Promise<Order> {
  const { sale_price_cents, commission_bps } = sale
  const { domain } = listing
  const { commission_cents } = splitPrice(sale_price_cents, commission_bps)
  const owed = sale.payment_model === 'partner_collected' ? sale_price_cents - commission_cents : 0
  const hold_reason = await reasonToHold(tx, now, settings, {
    partner,
    limits,
    listing,
    priceCents: sale_price_cents,
    owedCents: owed,
  })
  const first = FIRST_STEPS[sale.payment_model]
  const note = hold_reason && `Held for review: ${hold_reason}.`
  return {
    ...sale,
    public_id: newId('ord', now),
    partner_id: partner.partnerId,
    environment: partner.environment,
    domain,
    status: first.status,
    commission_cents,
    held: hold_reason !== null,
    hold_reason,
    transfer_status: 'pending',
    transfer_started_at: null,
    transfer_completed_at: null,
    transfer_reason: null,
    transfer_number: 0,
    transfer_registrar: null,
    transfer_registry: null,
    transfer_connection: null,
    transfer_code: null,
    code_available_at: null,
    code_reminded_at: null,
    expected_by: null,
    transfer_checked_at: null,
    submitted_at: null,
    stalled_at: null,
    transfer_proof: null,
    receipt_id: null,
    timeline: [{ at: iso(now), ...first, note }],
    settlement_id: null,
    disputed: false,
    ...sellerShare(listing, sale_price_cents, broughtBy, settings),
    created_at: now,
    updated_at: now,
  }
}

export function insertOrder(order: Order): CompiledQuery {
  return insertRow({
    ...order,
    buyer: JSON.stringify(order.buyer),
    timeline: JSON.stringify(order.timeline),
    delivery: JSON.stringify(order.delivery),
    transfer_registrar: null,
    transfer_registry: null,
    transfer_proof: null,
  })
}

const insertRow = prepared((db, order: Insertable<Schema['orders']>) =>
  db
    .insertInto('orders')
    .values({ ...order })
    .compile(),
)
