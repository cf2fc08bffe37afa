import type { ColumnType, Selectable } from 'kysely'
import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { Environment, Partner, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { maskEmail } from '../../lib/mask-email.ts'
import { type NewEvent, ORDER_STATUSES } from '../events/event-view.ts'
import { type ORDER_EVENTS, TRANSFER_EVENTS } from '../events/tables.ts'
import { type CountedSale, isTakenBack } from '../ledger/sale-days.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    orders: {
      public_id: string
      partner_id: string
      environment: Environment
      domain: string
      status: OrderStatus
      payment_model: PaymentModel
      sale_price_cents: number
      currency: string
      commission_bps: number
      commission_cents: number
      held: boolean
      hold_reason: string | null
      quote_id: string | null
      external_payment_ref: string | null
      buyer: ColumnType<Buyer, string, never>
      return_url: string | null
      cancel_url: string | null
      transfer_status: TransferStatus
      transfer_started_at: Date | null
      transfer_completed_at: Date | null
      transfer_reason: string | null
      timeline: ColumnType<TimelineEntry[], string, string>
      settlement_id: string | null
      /** Of a hosted sale: where the buyer paid, and the tracked link that brought it. */
      checkout_session_id: string | null
      link_id: string | null
      /** The bank has taken the payment of a hosted sale back, for good or until it decides. */
      disputed: boolean
      /** The user whose domain it is, their share of the price, and how long it is held after delivery. */
      seller_id: string | null
      seller_cents: number | null
      seller_hold_days: number | null
      created_at: Date
      updated_at: Date
    }
    refunds: {
      id: string
      public_id: string
      amount_cents: number
      currency: string
      reason: RefundReason
      note: string | null
      requested_by: 'partner' | 'operator'
      created_at: Date
    }
  }
}

export type OrderStatus = (typeof ORDER_STATUSES)[number]

const PAYMENT_MODELS = ['partner_collected', 'hosted_checkout'] as const
type PaymentModel = (typeof PAYMENT_MODELS)[number]

const TRANSFER_STATUSES = [
  'pending',
  'in_progress',
  'action_required',
  'failed',
  'completed',
  'cancelled',
] as const
export type TransferStatus = (typeof TRANSFER_STATUSES)[number]

export const REFUND_REASONS = [
  'duplicate',
  'fraudulent',
  'requested_by_customer',
  'transfer_failed',
  'other',
] as const
export type RefundReason = (typeof REFUND_REASONS)[number]

export type Order = Selectable<Schema['orders']>

/** One step of an order, as its timeline shows it. */
export interface TimelineEntry {
  at: string
  /** The event's type. */
  type: string
  /** The order's status after it. */
  status: OrderStatus
  note: string | null
}

export const OrderView = z.object({
  public_id: z.string(),
  domain: z.string(),
  status: z.enum(ORDER_STATUSES),
  payment_model: z.enum(PAYMENT_MODELS),
  sale_price_cents: z.int(),
  currency: z.string(),
  commission_cents: z.int(),
  amount_owed_cents: z.int(),
  held: z.boolean(),
  hold_reason: z.string().nullable(),
  quote_id: z.string().nullable(),
  external_payment_ref: z.string().nullable(),
  buyer: z.object({
    email: z.string(),
    name: z.string().nullable(),
    country: z.string().nullable(),
  }),
  return_url: z.string().nullable(),
  cancel_url: z.string().nullable(),
  transfer: z.object({
    status: z.enum(TRANSFER_STATUSES),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    reason: z.string().nullable(),
  }),
  created_at: timestamp,
  updated_at: timestamp,
  timeline: z.array(
    z.object({
      at: timestamp,
      type: z.string(),
      status: z.enum(ORDER_STATUSES),
      note: z.string().nullable(),
    }),
  ),
})

type Buyer = z.output<typeof OrderView>['buyer']

export function viewOrder(order: Order): z.output<typeof OrderView> {
  return {
    public_id: order.public_id,
    domain: order.domain,
    status: order.status,
    payment_model: order.payment_model,
    sale_price_cents: order.sale_price_cents,
    currency: order.currency,
    commission_cents: order.commission_cents,
    amount_owed_cents: order.sale_price_cents - order.commission_cents,
    held: order.held,
    hold_reason: order.hold_reason,
    quote_id: order.quote_id,
    external_payment_ref: order.external_payment_ref,
    buyer: visibleBuyer(order),
    return_url: order.return_url,
    cancel_url: order.cancel_url,
    transfer: {
      status: order.transfer_status,
      started_at: iso(order.transfer_started_at),
      completed_at: iso(order.transfer_completed_at),
      reason: order.transfer_reason,
    },
    created_at: iso(order.created_at),
    updated_at: iso(order.updated_at),
    timeline: order.timeline.map(({ at, type, status, note }) => ({
      at,
      type,
      status,
      note,
    })),
  }
}

/** The buyers of the house's own pages are the house's customers: whose link brought them learns no more. */
function visibleBuyer({ buyer, link_id }: Order): Buyer {
  const { email, name, country } = buyer
  return link_id === null
    ? { email, name, country }
    : { email: maskEmail(email), name: null, country }
}

/** An order as its partner's totals count it. */
export function countedSale(order: Order): CountedSale {
  const { created_at, payment_model, status, currency, sale_price_cents, disputed } = order
  const earnsNothing = disputed || isTakenBack(order)
  return {
    at: created_at,
    payment_model,
    status,
    currency,
    amount_cents: sale_price_cents,
    commission_cents: earnsNothing ? 0 : order.commission_cents,
  }
}

type TransferEvent = (typeof TRANSFER_EVENTS)[number]
export type OrderEvent = (typeof ORDER_EVENTS)[number] | TransferEvent

/** What an order's step tells the partner. */
export function orderEvent(type: OrderEvent, row: Order, reason: string | null = null): NewEvent {
  const { public_id, domain, status, sale_price_cents, currency } = row
  const order = { public_id, domain, status, sale_price_cents, currency }
  return isTransferEvent(type) ? { type, data: { order, reason } } : { type, data: { order } }
}

function isTransferEvent(type: OrderEvent): type is TransferEvent {
  return (TRANSFER_EVENTS as readonly string[]).includes(type)
}

/** The order, held for this transaction; absent also when it is another partner's. */
export async function lockOrder(tx: Tx, publicId: string, partner?: Partner): Promise<Order> {
  let query = tx.selectFrom('orders').selectAll().where('public_id', '=', publicId).forUpdate()
  if (partner) {
    query = query
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
  }
  const order = await query.executeTakeFirst()
  if (!order) throw notFound('order')
  return order
}
