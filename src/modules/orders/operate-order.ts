import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { notFound } from '../../kernel/errors.ts'
import { paging, textField } from '../../kernel/fields.ts'
import {
  adminRead,
  adminWrite,
  ENVIRONMENTS,
  partnerWrite,
  type Tx,
} from '../../kernel/operation.ts'
import { enterSandbox } from '../../kernel/sandbox-turn.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import { findOrders } from './find-orders.ts'
import { lockOrder, type Order, OrderView, REFUND_REASONS, viewOrder } from './order.ts'
import { takeBack } from './request-refund.ts'
import { MOVE_NAMES, type MoveName, moveOrder } from './status.ts'

const AdminOrderView = OrderView.extend({
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  /** The buyer's bank has taken the payment back, for good or until it decides. */
  disputed: z.boolean(),
  /** Of a user's domain: the user, and their share of the price. */
  seller_id: z.string().nullable(),
  seller_cents: z.int().nullable(),
})

function viewForOperator(order: Order): z.output<typeof AdminOrderView> {
  return {
    ...viewOrder(order),
    buyer: order.buyer,
    partner_id: order.partner_id,
    environment: order.environment,
    disputed: order.disputed,
    seller_id: order.seller_id,
    seller_cents: order.seller_cents,
  }
}

/** An operator's move on any order. */
export const operateOrder = adminWrite({
  name: 'operate_order',
  summary: 'Move an order: clear, start, complete, fail, action-required, cancel, refund',
  method: 'POST',
  path: '/orders/{public_id}/{move}',
  input: z.object({
    public_id: z.string(),
    move: z.enum(MOVE_NAMES),
    /** Shown in the timeline, and in the event when a transfer fails or needs action. */
    reason: textField(1000).nullish(),
    /** Why money goes back; for refund and cancel. */
    refund_reason: z.enum(REFUND_REASONS).nullish(),
  }),
  output: AdminOrderView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { public_id, move, reason = null, refund_reason }) {
    await enterSandboxOf(tx, public_id)
    const order = await lockOrder(tx, public_id)
    if (move === 'refund' || move === 'cancel') {
      await takeBack({ tx, now }, order, move, 'operator', refund_reason ?? 'other', reason)
    } else {
      await moveOrder(tx, now, order, move, reason)
    }
    const moved = await lockOrder(tx, public_id)
    return viewForOperator(moved)
  },
})

/** As the partner's own writes do, so that a reset or a moved clock and this do not wait for each other. */
async function enterSandboxOf(tx: Tx, publicId: string): Promise<void> {
  const order = await tx
    .selectFrom('orders')
    .select('partner_id')
    .where('public_id', '=', publicId)
    .where('environment', '=', 'sandbox')
    .executeTakeFirst()
  if (order) await enterSandbox(tx, order.partner_id, 'shared')
}

/** Orders of all partners: the review queue is `held=true`. */
export const listAllOrders = adminRead({
  name: 'list_all_orders',
  summary: 'Orders of all partners, newest first',
  method: 'GET',
  path: '/orders',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    partner_id: z.string().optional(),
    status: z.enum(ORDER_STATUSES).optional(),
    held: z.boolean().optional(),
    /** Paid, to whomever, and not held. */
    to_start: z.boolean().optional(),
    /** A domain, or an order's id. */
    q: textField(300).optional(),
    ...paging,
  }),
  output: z.object({ orders: z.array(AdminOrderView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'all_orders', ...filters }
    const before = readCursor(cursor, bound)
    const { items, next_cursor } = page(
      await findOrders(db, filters, before, limit + 1),
      limit,
      bound,
      (order) => order.public_id,
      viewForOperator,
    )
    return { orders: items, next_cursor }
  },
})

export const showOrder = adminRead({
  name: 'show_order',
  summary: 'Any order',
  method: 'GET',
  path: '/orders/{public_id}',
  input: z.object({ public_id: z.string() }),
  output: AdminOrderView,
  status: 200,
  errors: ['not_found'],
  async handler({ db }, { public_id }) {
    const order = await db
      .selectFrom('orders')
      .selectAll()
      .where('public_id', '=', public_id)
      .executeTakeFirst()
    if (!order) throw notFound('order')
    return viewForOperator(order)
  },
})

/** In the sandbox the partner plays the operator (contract, section 6). */
export const sandboxMoves = (
  [
    ['clear-review', 'clear'],
    ['start-transfer', 'start'],
    ['complete-transfer', 'complete'],
    ['fail-transfer', 'fail'],
  ] as const satisfies [string, MoveName][]
).map(([path, move]) =>
  partnerWrite({
    name: `sandbox_${path.replace('-', '_')}`,
    summary: `Sandbox: play the operator, ${path.replace('-', ' ')}`,
    method: 'POST',
    path: `/sandbox/orders/{public_id}/${path}`,
    scope: 'buy',
    sandboxOnly: true,
    input: z.object({ public_id: z.string(), reason: textField(1000).nullish() }),
    output: OrderView,
    status: 200,
    errors: ['validation_error', 'not_found', 'conflict'],
    async handler({ tx, now, partner }, { public_id, reason }) {
      const order = await lockOrder(tx, public_id, partner)
      return viewOrder(await moveOrder(tx, now, order, move, reason ?? null))
    },
  }),
)
