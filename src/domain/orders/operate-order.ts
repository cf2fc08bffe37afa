import { z } from 'zod'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import { page, readCursor } from '../../core/cursor.ts'
import { conflict, invalid, notFound } from '../../core/errors.ts'
import { idField, nextCursor, paging, textField } from '../../core/fields.ts'
import { adminRead, adminWrite, partnerWrite, type Tx } from '../../core/operation.ts'
import { FINANCE, READERS, SUPPORT } from '../../core/roles.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import type { Settings } from '../../core/settings.ts'
import { ORDER_STATUSES } from '../events/event-view.ts'
import { findOrders } from './find-orders.ts'
import { lockOrder, type Order, OrderView, REFUND_REASONS, viewOrder } from './order.ts'
import { askRegistryOf } from './registry-said.ts'
import { reverseOrder } from './request-refund.ts'
import { NOT_VERIFIED } from './review.ts'
import { assertAskedByOther, requestRefundOf } from './second-pair-of-eyes.ts'
import { isAtConnection, originOfOrder, SANDBOX_ORIGIN, startDelivery } from './start-delivery.ts'
import { MOVE_NAMES, type MoveName, moveOrder } from './status.ts'

export const AdminOrderView = OrderView.extend({
  partner_id: idField('prt').describe('The partner whose sale it is.'),
  environment: z.enum(ENVIRONMENTS),
  disputed: z
    .boolean()
    .describe("Whether the buyer's bank has taken the payment back, for good or until it decides."),
  seller_id: z.string().nullable().describe('The user whose domain was sold, or null.'),
  seller_cents: z.int().nullable().describe("The seller's share of the price, in cents, or null."),
})

export function viewForOperator(order: Order): z.output<typeof AdminOrderView> {
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
  // Whoever gives money back is not who hands domains over.
  roles: { of: ({ move }) => (move === 'cancel' || move === 'refund' ? FINANCE : SUPPORT) },
  summary: 'Move an order: clear, start, complete, fail, action-required, cancel, refund',
  method: 'POST',
  path: '/orders/{public_id}/{move}',
  input: z.object({
    public_id: idField('ord').describe('The id of the order.'),
    move: z.enum(MOVE_NAMES).describe('What happens to the order.'),
    reason: textField(1000)
      .nullish()
      .describe(
        'A note for the timeline, and for the event when a transfer fails or needs action.',
      ),
    refund_reason: z
      .enum(REFUND_REASONS)
      .nullish()
      .describe('Why the payment is returned, for refund and cancel. Default: other.'),
  }),
  output: AdminOrderView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict', 'unavailable'],
  async prepare({ app, actor }, { public_id, move }) {
    if (move === 'refund' || move === 'cancel') await requestRefundOf(app, public_id, actor)
    return {
      origin: move === 'start' ? await originOfOrder(app, public_id) : null,
      registry: move === 'complete' ? await askRegistryOf(app, public_id) : null,
    }
  },
  async handler(
    { tx, now, app, actor, prepared: { origin, registry } },
    { public_id, move, reason = null, refund_reason },
  ) {
    await enterSandboxOf(tx, public_id)
    const order = await lockOrder(tx, public_id)
    if (move === 'complete' && isUnprovenDelivery(app.settings, order) && !reason) {
      throw invalid({
        field: 'reason',
        issue: 'is required: nothing has proven the delivery, so say how you know of it',
      })
    }
    // A registrar that has it in our account says that it is ours.
    const isUnproven = order.held && order.hold_reason === NOT_VERIFIED && !isAtConnection(origin)
    if (isUnproven) assertExplained(move, order.domain, reason)
    if (move === 'refund' || move === 'cancel') {
      await assertAskedByOther(tx, app.settings, order, actor)
      await reverseOrder(
        { tx, now, app },
        order,
        move,
        'operator',
        refund_reason ?? 'other',
        reason,
      )
    } else {
      const moved = await moveOrder({ tx, now, app }, order, move, reason, { registry })
      if (origin) await startDelivery({ tx, now, app }, moved, origin)
    }
    const moved = await lockOrder(tx, public_id)
    return viewForOperator(moved)
  },
})

/** Whether nothing but an operator's word says that the domain was delivered. */
export function isUnprovenDelivery(
  { registry }: Pick<Settings, 'registry'>,
  { environment }: { environment: Environment },
): boolean {
  return registry === 'live' && environment === 'live'
}

/** Nothing has proven that the domain is ours to sell, so the operator who lets its sale go on says why it is. */
function assertExplained(move: MoveName, domain: string, reason: string | null): void {
  if (move === 'start') {
    throw conflict(
      'ownership_not_verified',
      `Nothing proves that ${domain} is ours to sell. Clear the order first, and say why it is.`,
    )
  }
  if (move === 'clear' && !reason) {
    throw invalid({
      field: 'reason',
      issue: 'is required: nothing proves that the domain is ours to sell, so say why it is',
    })
  }
}

/** As the partner's own writes do, so that a reset or a moved clock and this do not wait for each other. */
async function enterSandboxOf(tx: Tx, publicId: string): Promise<void> {
  const order = await tx
    .selectFrom('orders')
    .select('partner_id')
    .where('public_id', '=', publicId)
    .where('environment', '=', 'sandbox')
    .executeTakeFirst()
  if (order) await lockSandbox(tx, order.partner_id, 'shared')
}

/** Orders of all partners: the review queue is `held=true`. */
export const listAllOrders = adminRead({
  name: 'list_all_orders',
  roles: READERS,
  summary: 'List orders of all partners, newest first',
  method: 'GET',
  path: '/orders',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional().describe('Only orders of this environment.'),
    partner_id: idField('prt').optional().describe('Only orders of this partner.'),
    status: z.enum(ORDER_STATUSES).optional().describe('Only orders in this status.'),
    held: z.boolean().optional().describe('Only orders that are held for review, or that are not.'),
    to_start: z
      .boolean()
      .optional()
      .describe('Only orders whose transfer can start: paid and not held.'),
    q: textField(300)
      .optional()
      .describe('Only orders for this domain, or the order with this id.'),
    ...paging,
  }),
  output: z.object({ orders: z.array(AdminOrderView), next_cursor: nextCursor }),
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
  roles: READERS,
  summary: 'Show an order',
  method: 'GET',
  path: '/orders/{public_id}',
  input: z.object({ public_id: idField('ord').describe('The id of the order.') }),
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

const transferExample = {
  started_at: '2026-01-05T10:00:00.000Z',
  completed_at: null,
  reason: null,
  registrar: { iana_id: null, name: 'Simulated registrar' },
  code_available: false,
  expected_by: null,
  stalled: false,
  proof: null,
}
/** What the order of the examples is like after each move. */
const SHOWN = {
  clear: {},
  start: {
    status: 'TRANSFER_IN_PROGRESS',
    transfer: { ...transferExample, status: 'in_progress' },
  },
  complete: {
    status: 'TRANSFER_COMPLETED',
    transfer: { ...transferExample, status: 'completed', completed_at: '2026-01-05T11:00:00.000Z' },
  },
  fail: {
    held: true,
    hold_reason: 'transfer_failed',
    transfer: { ...transferExample, status: 'failed', reason: 'Played in the sandbox' },
  },
} satisfies Partial<Record<MoveName, Partial<z.output<typeof OrderView>>>>

/** In the sandbox the partner plays the operator (contract, section 6). */
export const sandboxMoves = (
  [
    [
      'clear-review',
      'clear',
      'Clears an order that is held, so that its transfer can start, and emits `order.manual_review_cleared`.',
    ],
    [
      'start-transfer',
      'start',
      'Starts the transfer of a paid order that is not held, and emits `order.transfer_started`.',
    ],
    [
      'complete-transfer',
      'complete',
      'Completes a transfer that is in progress: the sale counts in the open settlement period from then on, and ' +
        '`order.transfer_completed` is emitted.',
    ],
    [
      'fail-transfer',
      'fail',
      'Fails a transfer that is in progress. The order goes back to its first status, held, and ' +
        '`transfer.failed` is emitted with the reason.',
    ],
  ] as const satisfies [string, MoveName, string][]
).map(([path, move, effect]) =>
  partnerWrite({
    name: `sandbox_${path.replace('-', '_')}`,
    tag: 'Sandbox',
    summary: `Play the operator: ${path.replace('-', ' ')}`,
    description:
      `${effect} Use it to test how your integration handles each state of an order. A move that the ` +
      'status of the order does not allow gives `conflict` and changes nothing.',
    method: 'POST',
    path: `/sandbox/orders/{public_id}/${path}`,
    scope: 'buy',
    sandboxOnly: true,
    example: { output: SHOWN[move] },
    input: z.object({
      public_id: idField('ord').describe('The order to move.'),
      reason: textField(1000).nullish().meta({
        description: 'A note for the timeline, and for the event when a transfer fails.',
        example: 'Played in the sandbox',
      }),
    }),
    output: OrderView,
    status: 200,
    errors: ['validation_error', 'not_found', 'conflict'],
    async handler({ tx, now, app, partner }, { public_id, reason }) {
      const order = await lockOrder(tx, public_id, partner)
      const moved = await moveOrder({ tx, now, app }, order, move, reason ?? null)
      return viewOrder(
        move === 'start' ? await startDelivery({ tx, now, app }, moved, SANDBOX_ORIGIN) : moved,
      )
    },
  }),
)
