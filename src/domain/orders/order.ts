import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import {
  centsView,
  createdAt,
  currencyView,
  domainView,
  idField,
  iso,
  timestamp,
  updatedAt,
} from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { maskEmail } from '../../lib/mask-email.ts'
import { type ORDER_EVENTS, TRANSFER_EVENTS, TRANSFER_STEPS } from '../events/event-types.ts'
import { type NewEvent, ORDER_STATUSES } from '../events/event-view.ts'
import { TransferView } from '../events/transfer-view.ts'
import { type CountedSale, isReversed } from '../ledger/sale-days.ts'
import { DeliveryView } from '../partners/delivery.ts'

export type OrderStatus = (typeof ORDER_STATUSES)[number]

const PAYMENT_MODELS = ['partner_collected', 'hosted_checkout'] as const
export type PaymentModel = (typeof PAYMENT_MODELS)[number]

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

export const OrderView = z
  .object({
    public_id: idField('ord').describe('The id of the order.'),
    domain: domainView,
    status: z
      .enum(ORDER_STATUSES)
      .describe(
        '`EXTERNALLY_PAID` (you collected) or `PAID` (hosted checkout) until its transfer starts, then ' +
          '`TRANSFER_IN_PROGRESS`, `TRANSFER_COMPLETED`, and `SETTLED` once its settlement period is closed. ' +
          '`REFUNDED` and `CANCELLED` are final, too.',
      ),
    payment_model: z
      .enum(PAYMENT_MODELS)
      .describe('Who collected the payment: you, or the marketplace at its hosted checkout.'),
    sale_price_cents: centsView(129_500).describe('What the buyer paid, in cents.'),
    currency: currencyView,
    commission_cents: centsView(12_950).describe('Your commission on the sale, in cents.'),
    amount_owed_cents: centsView(116_550).describe(
      'The price less your commission, in cents: what you owe for a payment that you collected.',
    ),
    held: z.boolean().meta({
      description: 'Whether an operator must clear the order before its transfer can start.',
      example: false,
    }),
    hold_reason: z.string().nullable().meta({
      description: 'Why it is held, such as `manual_review`; otherwise null.',
      example: null,
    }),
    quote_id: idField('qt')
      .nullable()
      .describe('The quote that fixed the price. Null for a sale at the hosted checkout.'),
    external_payment_ref: z.string().nullable().meta({
      description: 'Your reference for the payment. Null for a sale at the hosted checkout.',
      example: 'pay_1001',
    }),
    buyer: z
      .object({
        email: z.string().meta({
          description: 'Their e-mail address; masked where a tracked link brought the sale.',
          example: 'buyer@example.com',
        }),
        name: z.string().nullable().meta({ description: 'Their name.', example: 'Ada Buyer' }),
        country: z
          .string()
          .nullable()
          .meta({ description: 'Their country, as an ISO 3166-1 alpha-2 code.', example: 'DE' }),
      })
      .describe('Who receives the domain.'),
    return_url: z.string().nullable().meta({
      description: 'The `return_url` that you gave with the order.',
      example: 'https://partner.example/orders/1001',
    }),
    cancel_url: z.string().nullable().meta({
      description: 'The `cancel_url` that you gave with the order.',
      example: 'https://partner.example/basket/1001',
    }),
    transfer: TransferView,
    delivery: DeliveryView,
    created_at: createdAt,
    updated_at: updatedAt,
    timeline: z
      .array(
        z.object({
          at: timestamp.describe('When it happened, in UTC.'),
          type: z.string().meta({
            description: 'What happened, as the type of the event that reported it.',
            example: 'order.recorded',
          }),
          status: z.enum(ORDER_STATUSES).describe('The status of the order afterwards.'),
          note: z
            .string()
            .nullable()
            .meta({ description: 'A reason or a remark, or null.', example: null }),
        }),
      )
      .describe('What happened to the order, oldest first.'),
  })
  .meta({ id: 'Order', description: 'A sale, from its payment to the delivery of the domain.' })

export type Buyer = z.output<typeof OrderView>['buyer']

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
    transfer: viewTransfer(order),
    delivery: order.delivery,
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

export function viewTransfer(order: Order): z.output<typeof TransferView> {
  const isUnderWay = order.status === 'TRANSFER_IN_PROGRESS'
  return {
    status: order.transfer_status,
    started_at: iso(order.transfer_started_at),
    completed_at: iso(order.transfer_completed_at),
    reason: order.transfer_reason,
    registrar: order.transfer_registrar,
    code_available: isUnderWay && order.transfer_code !== null,
    expected_by: isUnderWay ? iso(order.expected_by) : null,
    stalled: isUnderWay && order.stalled_at !== null,
    proof: order.transfer_proof,
  }
}

/** The buyers of the marketplace's own pages are the marketplace's customers: whose link brought them learns no more. */
function visibleBuyer({ buyer, link_id }: Order): Buyer {
  const { email, name, country } = buyer
  return link_id === null
    ? { email, name, country }
    : { email: maskEmail(email), name: null, country }
}

/** An order as its partner's totals count it. */
export function countedSale(order: Order): CountedSale {
  const { created_at, payment_model, status, currency, sale_price_cents, disputed } = order
  const earnsNothing = disputed || isReversed(order)
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
type TransferStep = (typeof TRANSFER_STEPS)[number]
export type OrderEvent = (typeof ORDER_EVENTS)[number] | TransferEvent | TransferStep

/** What an order's step tells the partner. */
export function orderEvent(type: OrderEvent, row: Order, reason: string | null = null): NewEvent {
  const { public_id, domain, status, sale_price_cents, currency } = row
  const order = { public_id, domain, status, sale_price_cents, currency }
  if (isStep(type)) return { type, data: { order, transfer: viewTransfer(row) } }
  return isTransferEvent(type) ? { type, data: { order, reason } } : { type, data: { order } }
}

function isStep(type: OrderEvent): type is TransferStep {
  return (TRANSFER_STEPS as readonly string[]).includes(type)
}

function isTransferEvent(type: OrderEvent): type is TransferEvent {
  return (TRANSFER_EVENTS as readonly string[]).includes(type)
}

/** What wants the registrar operation of this transfer. */
export function deliverySource({ public_id, transfer_number }: Order): string {
  return `order:${public_id}:${transfer_number}`
}

/** The order, held for this transaction. Throws `not_found` where it is absent, also when it is another partner's. */
export async function lockOrder(tx: Tx, publicId: string, partner?: Partner): Promise<Order> {
  const order = await lockOrderIfAny(tx, publicId, partner)
  if (!order) throw notFound('order')
  return order
}

/** The same; undefined where it is absent, as of a sandbox that was reset. */
export async function lockOrderIfAny(
  tx: Tx,
  publicId: string,
  partner?: Partner,
): Promise<Order | undefined> {
  let query = tx.selectFrom('orders').selectAll().where('public_id', '=', publicId).forUpdate()
  if (partner) {
    query = query
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
  }
  return await query.executeTakeFirst()
}
