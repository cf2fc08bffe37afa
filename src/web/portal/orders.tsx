import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { ApiError } from '../../core/errors.ts'
import { ORDER_STATUSES } from '../../domain/events/event-view.ts'
import { isReversed } from '../../domain/ledger/sale-days.ts'
import { receiptIdOf } from '../../domain/orders/delivery-receipt.ts'
import { getOrder } from '../../domain/orders/get-order.ts'
import { listOrders } from '../../domain/orders/list-orders.ts'
import { REFUND_REASONS } from '../../domain/orders/order.ts'
import { requestRefund } from '../../domain/orders/request-refund.ts'
import { Select, TextArea } from '../components/form.tsx'
import { stateText, toneOf } from '../components/humanize.ts'
import { amounts, Filters, Pager, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { Badge, Empty, Facts, Heading, Id, Notice, Timestamp } from '../components/parts.tsx'
import { ReceiptLink } from '../components/receipt-link.tsx'
import { at } from './choices.ts'
import { DomainAndStatus, SpanFields } from './filter-fields.tsx'
import { orderColumns } from './order-columns.tsx'
import type { Portal, PortalContext } from './portal.tsx'

const REFUNDABLE = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS']

/** The partner's orders, one with its timeline, and the refund of one. */
export function serveOrders(portal: Portal): void {
  portal.get('/orders', showOrders)
  portal.get('/orders/:id', (page) => showOrder(page))
  portal.post(
    '/orders/:id/refund',
    async (page) => {
      const { params, form, base } = page
      await portal.perform(page, requestRefund, {
        public_id: params.id,
        reason: form.get('reason') ?? '',
        note: form.get('note')?.trim() ?? '',
      })
      return page.goOn(`${base}/orders/${params.id}`, 'The order is refunded.')
    },
    showOrder,
  )

  async function showOrders(page: PortalContext): Promise<FastifyReply> {
    const { query, base } = page
    const { status, domain, from, to, cursor } = query
    const path = `${base}/orders`
    const [found, problem] = await portal.list(() =>
      portal.read(page, listOrders, {
        status,
        domain,
        from,
        to,
        cursor,
        limit: 50,
      }),
    )
    const isFiltered = Boolean(status ?? domain ?? from ?? to)
    return portal.show(
      page,
      { title: 'Orders', at: '/orders', problem },
      <>
        <Heading title="Orders" />
        <Filters path={path} isSet={isFiltered}>
          <DomainAndStatus query={query} statuses={ORDER_STATUSES} problem={problem} />
          <SpanFields query={page.query} problem={problem} />
        </Filters>
        <Table
          isMain
          caption="Orders, newest first"
          columns={[
            ...orderColumns(base),
            { label: 'Paid to', cell: ({ payment_model }) => PAID_TO[payment_model] },
            amounts('Price', 'sale_price_cents'),
            {
              label: 'Commission',
              align: 'end',
              cell: (order) => (
                <>
                  {amount(order.commission_cents, order.currency)}
                  {earnsNothing(order) && <div class="soft">taken back</div>}
                </>
              ),
            },
            { label: 'Recorded', cell: ({ created_at }) => <Timestamp at={at(created_at)} /> },
          ]}
          rows={found?.orders}
          empty={
            isFiltered ? (
              <Empty title="No matching orders">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No orders yet">
                Record one with <code>POST /orders</code>: the guide{' '}
                <a href="/docs/guides/first-sale">Your first sale</a> takes five minutes.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showOrder(page: PortalContext, problem?: ApiError): Promise<FastifyReply> {
    const { base, params } = page
    const order = await portal.read(page, getOrder, { public_id: params.id })
    const receiptId = await receiptIdOf(portal.app.db, order.public_id)
    const { transfer, buyer, currency } = order
    const isCollected = order.payment_model === 'partner_collected'
    const isRefundable = isCollected && REFUNDABLE.includes(order.status)
    return portal.show(
      page,
      { title: order.domain, at: '/orders', problem },
      <>
        <Heading title={<Name domain={order.domain} />}>
          <Badge tone={toneOf(order.status)} text={stateText(order.status)} />
          {order.held && <Badge tone="warn" text="held" />}
        </Heading>
        <Failed order={order} />
        <div class="columns">
          <section class="panel roomy">
            <Facts
              facts={[
                ['Order', <Id id={order.public_id} />],
                ['Price', amount(order.sale_price_cents, currency)],
                [
                  earnsNothing(order) ? 'Commission, taken back' : 'Your commission',
                  amount(order.commission_cents, currency),
                ],
                // What the marketplace has collected, nobody owes it.
                ...(isCollected
                  ? ([['You owe', amount(order.amount_owed_cents, currency)]] as [string, string][])
                  : []),
                ['Paid to', PAID_TO[order.payment_model]],
                ['Payment reference', order.external_payment_ref ?? '–'],
                ['Buyer', [buyer.name, buyer.email, buyer.country].filter(Boolean).join(', ')],
                ['Transfer', stateText(transfer.status)],
                ...(receiptId === null
                  ? []
                  : ([['Proof of delivery', <ReceiptLink id={receiptId} />]] as [string, VNode][])),
                ...(order.hold_reason === null
                  ? []
                  : ([['Held for', stateText(order.hold_reason)]] as [string, string][])),
                ...(transfer.reason === null
                  ? []
                  : ([['Reason', transfer.reason]] as [string, string][])),
                ...(order.quote_id === null
                  ? []
                  : ([['Quote', <Id id={order.quote_id} />]] as [string, VNode][])),
              ]}
            />
            <p>
              <a href={`${base}/events?subject=${order.public_id}`}>Events of this order</a>
            </p>
          </section>
          <section>
            <h2 class="first">Timeline</h2>
            <ol class="history">
              {order.timeline.toReversed().map((step) => (
                <li>
                  <strong>{step.type}</strong> {stateText(step.status)}
                  {step.note !== null && <q>{step.note}</q>}
                  <Timestamp at={at(step.at)} />
                </li>
              ))}
            </ol>
          </section>
        </div>
        {isRefundable && (
          <details>
            <summary>Refund this order</summary>
            <form
              method="post"
              action={`${base}/orders/${order.public_id}/refund`}
              data-confirm="Refund the order? This cannot be undone."
            >
              <p class="soft">
                The domain goes back on the market, and you return the buyer's money. This cannot be
                undone.
              </p>
              <Select
                label="Reason"
                name="reason"
                options={REFUND_REASONS.map((reason) => [reason, stateText(reason)])}
              />
              <TextArea
                label="Note"
                name="note"
                maxlength={1000}
                rows={2}
                hint="Shown in the timeline."
              />
              <button type="submit" class="danger">
                Refund {amount(order.sale_price_cents, currency)}
              </button>
            </form>
          </details>
        )}
      </>,
    )
  }
}

/** Why a transfer failed, and what the partner can do about it. */
function Failed({ order: { transfer, status, payment_model } }: { order: Order }) {
  const isOpen = status === 'EXTERNALLY_PAID' || status === 'PAID'
  if (transfer.status !== 'failed' || !isOpen) return null
  return (
    <Notice kind="error">
      <strong>The transfer failed.</strong> {transfer.reason ?? 'No reason was recorded.'} The
      operator has to start it again, and the order is held until then.{' '}
      {payment_model === 'partner_collected'
        ? 'If the buyer no longer wants to wait, refund the order below.'
        : 'If it cannot be delivered, the marketplace refunds the buyer.'}
    </Notice>
  )
}

type Order = Awaited<ReturnType<typeof getOrder.handler>>

/** The sale earns nothing: it was taken back, or the buyer's bank has the money. */
function earnsNothing(order: Order): boolean {
  if (isReversed(order)) return true
  const last = order.timeline.findLast(({ type }) => type.startsWith('payment.'))
  return last !== undefined && last.type !== 'payment.dispute_won'
}

const PAID_TO = { partner_collected: 'you', hosted_checkout: 'the marketplace' } as const
