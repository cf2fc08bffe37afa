import { nameText } from 'domain-marketplace-domain-names'
import { listTransfers } from '../../domain/orders/list-transfers.ts'
import { isUnprovenDelivery, listAllOrders } from '../../domain/orders/operate-order.ts'
import { age, domain, money, time } from '../components/columns.tsx'
import type { Column } from '../components/list.tsx'
import { At, Badge, Status } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { deliveryText, TransferState } from './order-delivery.tsx'
import {
  HOLD_REASONS,
  moveOrder,
  type OrderRow,
  orderPage,
  questionOf,
  takeBackMove,
} from './order-page.tsx'
import type { ConsoleContext } from './page.ts'
import { Do, Group, partnerColumn } from './parts.tsx'

/** Orders that are held until an operator approves or rejects them. */
export const review = listPage({
  path: '/operator/review',
  title: 'Review',
  lead: 'Held orders wait here until an operator approves or rejects them.',
  waiting: (counts) => counts.review,
  actions: [moveOrder],
  operation: listAllOrders,
  rows: 'orders',
  input: { held: true },
  empty: [
    'No orders to review',
    'REVIEW_OVER_CENTS and REVIEW_FIRST_LIVE_ORDERS set which orders are held.',
  ],
  columns: async (page, rows) => [
    ...(await columns(page, rows, age('Waiting', 'created_at', page.now))),
    { label: 'Reason', cell: ({ hold_reason }) => HOLD_REASONS[hold_reason ?? ''] ?? '–' },
    {
      label: 'Decision',
      cell: (order) => (
        <Group>
          {order.hold_reason !== 'ownership_not_verified' && (
            <Move order={order} move="clear" label="Approve" kind="main" />
          )}
          <Move
            order={order}
            move={takeBackMove(order)}
            label="Reject"
            kind="danger"
            confirm={`Reject the order of ${nameText(order.domain)}? The buyer is refunded.`}
          />
        </Group>
      ),
    },
  ],
})

/** Orders whose domains are to be transferred to their buyers, by when they are due. */
export const transfers = listPage({
  path: '/operator/transfers',
  title: 'Transfers',
  waiting: (counts) => counts.to_start + counts.in_progress,
  actions: [moveOrder],
  operation: listTransfers,
  rows: 'orders',
  views: {
    '': { label: 'To start', input: { stage: 'to_start' } },
    started: { label: 'In progress', input: { stage: 'in_progress' } },
    stalled: { label: 'Stalled', input: { stage: 'stalled' } },
  },
  above: async (_page, found) =>
    found?.has_more ? <p class="soft">The first 200 are shown.</p> : null,
  empty: ['No transfers here', 'Paid orders that need no review appear here.'],
  columns: async (page, rows) => {
    const isUnderWay = Boolean(page.query.view)
    return [
      domain(({ public_id }: OrderRow) => page.href(`/operator/orders/${public_id}`)),
      await partnerColumn(page, rows),
      money('Price', 'sale_price_cents'),
      { label: 'Delivery', cell: ({ delivery }) => deliveryText(delivery) },
      isUnderWay
        ? {
            label: 'Due',
            cell: ({ transfer }) => <At at={transfer.expected_by} none="not known" />,
          }
        : age('Waiting', 'created_at', page.now),
      {
        label: 'State',
        cell: (order) => (
          <Group>
            <TransferState order={order} />
          </Group>
        ),
      },
      {
        label: 'Next step',
        cell: (order) =>
          isUnderWay ? <NextStep page={page} order={order} /> : <Start order={order} />,
      },
    ]
  },
})

function Start({ order }: { order: OrderRow }) {
  return <Move order={order} move="start" label="Start transfer" kind="main" />
}

/** One button for what comes next; what else can be done stands on the order's page. */
function NextStep({ page, order }: { page: ConsoleContext; order: OrderRow }) {
  const { delivery, transfer, public_id } = order
  const needsCode = delivery.method === 'auth_code' && !transfer.code_available
  const needsReason = isUnprovenDelivery(page.app.settings, order)
  return (
    <Group>
      {(needsCode || needsReason) && (
        <a class="button main small" href={page.href(`/operator/orders/${public_id}`)}>
          {needsCode ? 'Give the code' : 'Confirm delivery'}
        </a>
      )}
      {!needsReason && (
        <Move
          order={order}
          move="complete"
          label="Delivered"
          {...(!needsCode && { kind: 'main' })}
        />
      )}
    </Group>
  )
}

/** All orders, of all partners. */
export const orders = listPage({
  path: '/operator/orders',
  title: 'Orders',
  operation: listAllOrders,
  rows: 'orders',
  filters: {
    q: 'Domain or order ID',
    status: 'Status',
    partner_id: { label: 'Partner ID', placeholder: 'prt_…' },
  },
  columns: async (page, rows) => await columns(page, rows),
  empty: ['No orders yet', 'Partners record orders through the API.'],
  below: [orderPage],
})

async function columns(
  page: ConsoleContext,
  rows: OrderRow[],
  when: Column<OrderRow> = time('Created', 'created_at'),
): Promise<Column<OrderRow>[]> {
  return [
    domain(({ public_id }) => page.href(`/operator/orders/${public_id}`)),
    await partnerColumn(page, rows),
    {
      label: 'Status',
      cell: ({ status, held, disputed }) => (
        <Group>
          <Status text={status} /> {held && <Badge tone="warn" text="held" />}
          {disputed && <Status text="disputed" />}
        </Group>
      ),
    },
    money('Price', 'sale_price_cents'),
    when,
  ]
}

function Move({
  order,
  move,
  ...button
}: {
  order: OrderRow
  move: string
  label: string
  kind?: 'main' | 'quiet' | 'danger'
  confirm?: string
}) {
  return (
    <Do
      does={moveOrder.operation}
      fields={{ public_id: order.public_id, move }}
      about={order.domain}
      confirm={questionOf(order, move)}
      {...button}
    />
  )
}
