import { nameText } from '../../lib/domain-name.ts'
import { showUser } from '../../modules/accounts/show-user.ts'
import { listPayments } from '../../modules/checkout/operate-payments.ts'
import { ORDER_STATUSES } from '../../modules/events/event-view.ts'
import { listAllOrders, showOrder } from '../../modules/orders/operate-order.ts'
import { partnerNames } from '../../modules/partners/partner.ts'
import { Field, Select } from '../pages/form.tsx'
import { type Column, Filters, Pager, Table } from '../pages/list.tsx'
import { RowName } from '../pages/name.tsx'
import { Badge, Empty, Heading, Tabs } from '../pages/parts.tsx'
import { stateText } from '../pages/spoken.ts'
import type { Desk, Look } from './desk.tsx'
import { HOLD_REASONS, OrderPage, type OrderRow, questionOf, takeBackMove } from './order-page.tsx'
import { Amount, At, Do, EnvironmentTabs, Group, Kept, PartnerLink, Status } from './parts.tsx'

type Names = ReadonlyMap<string, string>

/** Orders of all partners: what is to be reviewed, what is to be transferred, and all of them. */
export function orderPages(desk: Desk): void {
  desk.page('/operator/review', async (look) => {
    const { orders, names, next_cursor } = await read(look, { held: true })
    return {
      title: 'Review',
      at: '/operator/review',
      body: (
        <>
          <Heading title="Review" />
          <p class="lead">
            Held orders wait here until somebody lets them go on or takes them back.
          </p>
          <EnvironmentTabs look={look} path="/operator/review" />
          <Table
            caption="Held orders"
            rows={orders}
            columns={[
              ...columns(look, names),
              {
                label: 'Why',
                cell: ({ hold_reason }) => HOLD_REASONS[hold_reason ?? ''] ?? hold_reason ?? '–',
              },
              {
                label: 'Decide',
                cell: (order) => (
                  <Group>
                    <Move order={order} move="clear" label="Approve" kind="main" />
                    <Move
                      order={order}
                      move={takeBackMove(order)}
                      label="Reject"
                      kind="danger"
                      confirm={`Take the sale of ${nameText(order.domain)} back? The buyer gets the money again.`}
                    />
                  </Group>
                ),
              },
            ]}
            empty={
              <Empty title="Nothing to review">
                Which orders are held is set by REVIEW_OVER_CENTS and REVIEW_FIRST_LIVE_ORDERS.
              </Empty>
            }
          />
          <Pager path="/operator/review" query={look.query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.page('/operator/transfers', async (look) => {
    const path = '/operator/transfers'
    const isStarted = look.query.view === 'started'
    const filters = isStarted ? { status: 'TRANSFER_IN_PROGRESS' } : { to_start: true }
    const { orders, names, next_cursor } = await read(look, filters)
    return {
      title: 'Transfers',
      at: path,
      body: (
        <>
          <Heading title="Transfers" />
          <EnvironmentTabs look={look} path={path} />
          <Tabs
            label="Transfers"
            at={look.href(path, isStarted ? { view: 'started' } : {})}
            tabs={[
              [look.href(path), 'To start'],
              [look.href(path, { view: 'started' }), 'In progress'],
            ]}
          />
          <Table
            caption="Orders to be transferred"
            rows={orders}
            columns={[
              ...columns(look, names),
              {
                label: 'Next',
                cell: (order) =>
                  isStarted ? (
                    <Group>
                      {order.transfer.status === 'action_required' && (
                        <Status text="action_required" />
                      )}
                      <Move order={order} move="complete" label="Delivered" kind="main" />
                      <Move order={order} move="fail" label="Failed" />
                    </Group>
                  ) : (
                    <Move order={order} move="start" label="Start" kind="main" />
                  ),
              },
            ]}
            empty={
              <Empty title={isStarted ? 'No transfer is under way' : 'No transfer is due'}>
                Paid orders that need no review come here.
              </Empty>
            }
          />
          <Pager path={path} query={look.query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.page('/operator/orders', async (look) => {
    const path = '/operator/orders'
    const { q, status, partner_id } = look.query
    const { orders, names, next_cursor } = await read(look, { q, status, partner_id })
    const isSet = [q, status, partner_id].some((filter) => filter !== undefined)
    return {
      title: 'Orders',
      at: path,
      body: (
        <>
          <Heading title="Orders" />
          <EnvironmentTabs look={look} path={path} />
          <Filters path={look.href(path)} isSet={isSet}>
            <Kept look={look} />
            <Field label="Domain or order" name="q" type="search" value={q} />
            <Select
              label="Status"
              name="status"
              value={status}
              options={[
                ['', 'Any'],
                ...ORDER_STATUSES.map((each): [string, string] => [each, stateText(each)]),
              ]}
            />
            <Field label="Partner" name="partner_id" value={partner_id} placeholder="prt_…" />
          </Filters>
          <Table
            caption="Orders"
            rows={orders}
            columns={columns(look, names)}
            empty={
              <Empty title={isSet ? 'No order fits' : `No order in ${look.environment} yet`}>
                {isSet ? 'Search for a whole domain, or an order’s id.' : 'Partners record them.'}
              </Empty>
            }
          />
          <Pager path={path} query={look.query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.page('/operator/orders/:public_id', async (look) => {
    const { public_id } = look.params
    const order = await look.read(showOrder, { public_id })
    const { seller_id } = order
    const [names, { payments }, seller] = await Promise.all([
      partnerNames(look.house.db, [order.partner_id]),
      look.read(listPayments, { public_id }),
      seller_id === null ? null : look.read(showUser, { user_id: seller_id }),
    ])
    return {
      title: order.domain,
      at: '/operator/orders',
      body: (
        <OrderPage look={look} order={order} names={names} payment={payments[0]} seller={seller} />
      ),
    }
  })
}

async function read(look: Look, filters: Record<string, unknown>) {
  const { environment, query } = look
  const answer = await look.read(listAllOrders, { environment, cursor: query.cursor, ...filters })
  const names = await partnerNames(
    look.house.db,
    answer.orders.map(({ partner_id }) => partner_id),
  )
  return { ...answer, names }
}

function columns(look: Look, names: Names): Column<OrderRow>[] {
  return [
    {
      label: 'Domain',
      cell: ({ public_id, domain }) => (
        <a href={look.href(`/operator/orders/${public_id}`)}>
          <RowName domain={domain} />
        </a>
      ),
    },
    {
      label: 'Partner',
      cell: ({ partner_id }) => <PartnerLink look={look} id={partner_id} names={names} />,
    },
    {
      label: 'Status',
      cell: ({ status, held, disputed }) => (
        <Group>
          <Status text={status} /> {held && <Badge tone="warn" text="held" />}
          {disputed && <Status text="disputed" />}
        </Group>
      ),
    },
    {
      label: 'Price',
      align: 'end',
      cell: ({ sale_price_cents, currency }) => (
        <Amount cents={sale_price_cents} currency={currency} />
      ),
    },
    { label: 'Made', cell: ({ created_at }) => <At at={created_at} /> },
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
      does="operate_order"
      fields={{ public_id: order.public_id, move }}
      about={order.domain}
      confirm={questionOf(order, move)}
      {...button}
    />
  )
}
