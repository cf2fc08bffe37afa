import { nameText } from 'domain-marketplace-domain-names'
import { listAllOrders } from '../../domain/orders/operate-order.ts'
import { domain, money, time } from '../components/columns.tsx'
import type { Column } from '../components/list.tsx'
import { Badge, Status } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
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
    ...(await columns(page, rows)),
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

/** Orders whose domains are to be transferred to their buyers. */
export const transfers = listPage({
  path: '/operator/transfers',
  title: 'Transfers',
  waiting: (counts) => counts.to_start + counts.in_progress,
  actions: [moveOrder],
  operation: listAllOrders,
  rows: 'orders',
  views: {
    '': { label: 'To start', input: { to_start: true } },
    started: { label: 'In progress', input: { status: 'TRANSFER_IN_PROGRESS' } },
  },
  empty: ['No transfers here', 'Paid orders that need no review appear here.'],
  columns: async (page, rows) => [
    ...(await columns(page, rows)),
    {
      label: 'Next step',
      cell: (order) =>
        page.query.view === 'started' ? (
          <Group>
            {order.transfer.status === 'action_required' && <Status text="action_required" />}
            <Move order={order} move="complete" label="Delivered" kind="main" />
            <Move order={order} move="fail" label="Failed" />
          </Group>
        ) : (
          <Move order={order} move="start" label="Start transfer" kind="main" />
        ),
    },
  ],
})

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
  columns,
  empty: ['No orders yet', 'Partners record orders through the API.'],
  below: [orderPage],
})

async function columns(page: ConsoleContext, rows: OrderRow[]): Promise<Column<OrderRow>[]> {
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
    time('Created', 'created_at'),
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
