import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyReply } from 'fastify'
import { type ApiError, notFound } from '../../core/errors.ts'
import type { CaseStatus } from '../../domain/brokerage/case.ts'
import { listCases } from '../../domain/brokerage/list-cases.ts'
import { sandboxMoveCase } from '../../domain/brokerage/operate-case.ts'
import { listOrders } from '../../domain/orders/list-orders.ts'
import { sandboxMoves } from '../../domain/orders/operate-order.ts'
import type { OrderStatus } from '../../domain/orders/order.ts'
import { advanceClock } from '../../domain/sandbox/advance-clock.ts'
import { resetSandbox } from '../../domain/sandbox/reset-sandbox.ts'
import { sandboxRunSettlement } from '../../domain/settlements/run-settlement.ts'
import { FAULT_HEADER } from '../../http/partner/fault.ts'
import { ActionButton } from '../components/form.tsx'
import { capitalized, stateText, toneOf } from '../components/humanize.ts'
import { amounts, Table } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'
import { Badge, Empty, Facts, Heading } from '../components/parts.tsx'
import { orderColumns } from './order-columns.tsx'
import type { Portal, PortalContext } from './portal.tsx'

/** Orders of each status that the page shows, and cases in all. */
const SHOWN = 20

/** What the partner can do as the operator, by the state of the order or the case. */
const ORDER_MOVES: Partial<Record<OrderStatus, [move: string, label: string][]>> = {
  EXTERNALLY_PAID: [['start-transfer', 'Start transfer']],
  PAID: [['start-transfer', 'Start transfer']],
  TRANSFER_IN_PROGRESS: [
    ['complete-transfer', 'Complete'],
    ['fail-transfer', 'Fail'],
  ],
}
const CASE_MOVES: Partial<Record<CaseStatus, string[]>> = {
  open: ['source', 'cancel'],
  sourcing: ['contact', 'no-contact'],
  contacted: ['negotiate', 'decline'],
  negotiating: ['agree', 'decline'],
  agreed: ['complete', 'decline'],
}

const ADVANCES = [
  [600, '10 minutes'],
  [86_400, 'a day'],
  [7 * 86_400, 'a week'],
  [31 * 86_400, 'a month'],
] as const

const FAULTS = [
  ['drop_after_commit', 'it takes effect, and the connection ends without a response'],
  ['delay=5s', 'it takes effect, and the response is delayed by this much'],
  ['429', 'it is rejected by the rate limit, and nothing is done'],
  ['503', 'it is rejected as if the service were down, and nothing is done'],
] as const

/** In the sandbox the partner plays the operator. */
export function serveSandbox(portal: Portal): void {
  portal.get('/sandbox', (page) => showControls(page))
  portal.post(
    '/sandbox/orders/:id/:move',
    async (page) => {
      mustBeSandbox(page)
      const { id, move } = page.params
      const operation = sandboxMoves.find(({ path }) => path.endsWith(`/${move}`))
      if (!operation) throw notFound('move')
      const order = await portal.perform(page, operation, { public_id: id })
      return page.goOn(
        `${page.base}/sandbox`,
        `${nameText(order.domain)} is ${stateText(order.status)}.`,
      )
    },
    showControls,
  )
  portal.post(
    '/sandbox/cases/:id/:move',
    async (page) => {
      mustBeSandbox(page)
      const { id, move } = page.params
      const cents = page.form.get('price_cents')
      const found = await portal.perform(page, sandboxMoveCase, {
        case_id: id,
        move,
        ...(cents !== null && { price_cents: Number(cents) }),
      })
      return page.goOn(
        `${page.base}/sandbox`,
        `The case of ${nameText(found.domain)} is ${found.status}.`,
      )
    },
    showControls,
  )
  portal.post(
    '/sandbox/settlement-run',
    async (page) => {
      mustBeSandbox(page)
      const run = await portal.perform(page, sandboxRunSettlement, {})
      const orders = run.order_count === 1 ? '1 order is' : `${run.order_count} orders are`
      return page.goOn(`${page.base}/sandbox`, `The period is closed: ${orders} settled.`)
    },
    showControls,
  )
  portal.post(
    '/sandbox/clock',
    async (page) => {
      mustBeSandbox(page)
      const advance_seconds = Number(page.form.get('advance_seconds'))
      await portal.perform(page, advanceClock, { advance_seconds })
      return page.goOn(`${page.base}/sandbox`, 'The time has passed in your sandbox.')
    },
    showControls,
  )
  portal.post(
    '/sandbox/reset',
    async (page) => {
      mustBeSandbox(page)
      await portal.perform(page, resetSandbox, {})
      return page.goOn(`${page.base}/sandbox`, 'Your sandbox is reset.')
    },
    showControls,
  )

  async function showControls(page: PortalContext, problem?: ApiError): Promise<FastifyReply> {
    mustBeSandbox(page)
    const { base } = page
    const path = `${base}/sandbox`
    const statuses = Object.keys(ORDER_MOVES)
    const [orders, { cases }] = await Promise.all([
      Promise.all(
        statuses.map((status) => portal.read(page, listOrders, { status, limit: SHOWN })),
      ),
      portal.read(page, listCases, { limit: SHOWN }),
    ])
    return portal.show(
      page,
      { title: 'Sandbox controls', at: '/sandbox', problem },
      <>
        <Heading title="Sandbox controls">
          <ActionButton path={`${path}/settlement-run`} label="Close the settlement period" />
        </Heading>
        <p class="lead">
          Play the operator: move orders and cases forward, and watch the events arrive.
        </p>
        <h2>Orders in progress</h2>
        <Table
          caption="Orders in progress"
          columns={[
            ...orderColumns(base),
            amounts('Price', 'sale_price_cents'),
            {
              label: 'Move',
              cell: ({ public_id, domain, status, held }) =>
                [
                  ...(held ? [['clear-review', 'Clear review'] as const] : []),
                  ...(ORDER_MOVES[status] ?? []),
                ].map(([move, label]) => (
                  <ActionButton
                    path={`${path}/orders/${public_id}/${move}`}
                    label={label}
                    about={domain}
                  />
                )),
            },
          ]}
          rows={orders.flatMap((found) => found.orders)}
          empty={
            <Empty title="No orders in progress">
              Names that begin with <code>manual-review</code> are held, and those with{' '}
              <code>transfer-fails</code> fail.
            </Empty>
          }
        />
        <h2>Open cases</h2>
        <Table
          caption="Open cases"
          columns={[
            {
              label: 'Domain',
              cell: ({ case_id, domain }) => (
                <a href={`${base}/cases/${case_id}`}>
                  <RowName domain={domain} />
                </a>
              ),
            },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={status} />,
            },
            amounts('Budget', 'budget'),
            {
              label: 'Move',
              cell: ({ case_id, domain, status, budget }) =>
                (CASE_MOVES[status] ?? []).map((move) => (
                  <ActionButton
                    path={`${path}/cases/${case_id}/${move}`}
                    label={move === 'agree' ? 'Agree at the budget' : capitalized(stateText(move))}
                    about={domain}
                    fields={move === 'agree' ? { price_cents: String(budget) } : {}}
                  />
                )),
            },
          ]}
          rows={cases.filter(({ status }) => CASE_MOVES[status])}
          empty={
            <Empty title="No open cases">
              <a href={`${base}/cases/new`}>Open one</a>, here or with <code>POST /brokerage</code>.
            </Empty>
          }
        />
        <h2>Let time pass</h2>
        <p class="soft">
          Quotes and checkout links expire, deliveries are retried and periods close, as if this
          much time had passed.
        </p>
        <div class="actions">
          {ADVANCES.map(([seconds, label]) => (
            <ActionButton
              path={`${path}/clock`}
              label={label}
              fields={{ advance_seconds: String(seconds) }}
            />
          ))}
        </div>
        <h2>Make requests fail</h2>
        <p class="soft">
          A signed request with the header <code>{FAULT_HEADER}</code> meets the fault that the
          header names, and a retry succeeds. With <code>; times=3</code>, the fourth attempt
          succeeds. Use it to test your retries.
        </p>
        <div class="panel roomy">
          <Facts facts={FAULTS.map(([value, what]) => [<code>{value}</code>, what])} />
          <p>
            <a href="/docs/guides/testing-retries">Testing your retries</a> walks through a lost
            response, and the <a href={`${base}/requests`}>request log</a> shows what arrived.
          </p>
        </div>
        <h2>Start over</h2>
        <p class="soft">
          This deletes the quotes, orders, cases, links, statements and events of your sandbox, and
          puts the names that you bought on sale again. Credentials and the webhook endpoint stay.
        </p>
        <ActionButton
          path={`${path}/reset`}
          label="Reset the sandbox"
          kind="danger"
          small={false}
          confirm="Remove everything in your sandbox? This cannot be undone."
        />
      </>,
    )
  }
}

/** A live partner has no such page (contract, section 6). */
function mustBeSandbox({ environment }: PortalContext): void {
  if (environment !== 'sandbox') throw notFound('page outside the sandbox')
}
