import { nameText } from 'domain-marketplace-domain-names'
import type { ComponentChildren } from 'preact'
import { showUser } from '../../domain/accounts/show-user.ts'
import { listPayments } from '../../domain/checkout/operate-payments.ts'
import { receiptIdOf } from '../../domain/orders/delivery-receipt.ts'
import { isUnprovenDelivery, operateOrder, showOrder } from '../../domain/orders/operate-order.ts'
import { readOrderRegistry } from '../../domain/orders/read-registry.ts'
import { NOT_VERIFIED } from '../../domain/orders/review.ts'
import { partnerNames } from '../../domain/partners/partner.ts'
import { listOperations } from '../../domain/registrars/manage-operations.ts'
import { stateText } from '../components/humanize.ts'
import { Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { At, Badge, Facts, Heading, Id, Notice, Status } from '../components/parts.tsx'
import { ReceiptLink } from '../components/receipt-link.tsx'
import { Delivery, giveCode, revealTo, WhoGetsIt } from './order-delivery.tsx'
import { action, type ConsoleContext, type ConsolePage } from './page.ts'
import { type Choice, Choices, Form, Group, PartnerLink } from './parts.tsx'
import { operationColumns, retry } from './registrars.tsx'

export type OrderRow = Awaited<ReturnType<typeof showOrder.handler>>
type Sale = Awaited<ReturnType<typeof readSale>>

export const HOLD_REASONS: Record<string, string> = {
  manual_review: 'marked for review',
  high_price: 'above the review price',
  first_orders: 'one of the partner’s first orders',
  transfer_failed: 'transfer failed',
  ownership_not_verified: 'nothing proves that the domain is ours',
  fraud_warning: 'the bank of the buyer takes the payment for fraud',
  payment_review: 'the payment provider looks into the payment',
  credit_limit: 'the partner would owe more than its credit limit',
  velocity_limit: 'the partner brings more orders an hour than it may',
  statement_overdue: 'the partner has a statement that is long overdue',
  payment_disputed: 'payment disputed by the buyer’s bank',
}

export const moveOrder = action({
  operation: operateOrder,
  done: ({ domain, status, held }) =>
    `The order of ${nameText(domain)} is now ${stateText(status)}${held ? ', held' : ''}.`,
})

/** One order: the sale, what can be done with it, and what happened. */
export const orderPage: ConsolePage = {
  path: '/operator/orders/:public_id',
  title: 'Order',
  actions: [moveOrder, giveCode, revealTo, retry],
  async render(page) {
    const sale = await readSale(page)
    const { order } = sale
    const [{ operations }, registry] = await Promise.all([
      page.read(listOperations, { domain: order.domain, public_id: order.public_id }),
      page.query.ask === 'registry'
        ? page.read(readOrderRegistry, { public_id: order.public_id })
        : null,
    ])
    return {
      title: order.domain,
      environment: order.environment,
      body: (
        <>
          <Heading title={<Name domain={order.domain} />}>
            <Status text={order.status} />
            {order.held && <Badge tone="warn" text="held" />}
          </Heading>
          <Failed order={order} />
          <div class="columns">
            <Details page={page} {...sale} />
            <Next page={page} {...sale} />
            <Delivery page={page} order={order} registry={registry} />
            <WhoGetsIt page={page} order={order} />
          </div>
          {operations.length > 0 && (
            <>
              <h2>At the registrar</h2>
              <Table
                caption="Registrar operations"
                columns={operationColumns()}
                rows={operations}
                empty=""
              />
            </>
          )}
          <h2>Timeline</h2>
          <ol class="history">
            {order.timeline.toReversed().map(({ at, type, status, note }) => {
              const what = type.replaceAll('_', ' ').replace(/^\w+\./, '')
              const state = stateText(status)
              return (
                <li>
                  <At at={at} /> {what} {state !== what && <span class="soft">{state}</span>}
                  {note !== null && <p>{note}</p>}
                </li>
              )
            })}
          </ol>
        </>
      ),
    }
  },
}

/** Why a transfer failed, and what can be done about it. */
function Failed({ order: { transfer, status } }: { order: OrderRow }) {
  const isOpen = status === 'EXTERNALLY_PAID' || status === 'PAID'
  if (transfer.status !== 'failed' || !isOpen) return null
  return (
    <Notice kind="error">
      <strong>The transfer failed.</strong> {transfer.reason ?? 'No reason was recorded.'} Resolve
      it with the registrar or the buyer, then start the transfer again. If it cannot be delivered,
      refund the order.
    </Notice>
  )
}

async function readSale(page: ConsoleContext) {
  const { public_id } = page.params
  const order = await page.read(showOrder, { public_id })
  const { seller_id } = order
  const [names, { payments }, seller, receiptId] = await Promise.all([
    partnerNames(page.app.db, [order.partner_id]),
    page.read(listPayments, { public_id }),
    seller_id === null ? null : page.read(showUser, { user_id: seller_id }),
    receiptIdOf(page.app.db, public_id ?? ''),
  ])
  return { order, names, seller, receiptId, payment: payments[0] }
}

/** What can be done with an order in its state; the rest would be rejected. */
function movesOf(order: OrderRow): Choice[] {
  const { status, held, transfer } = order
  const choice = (move: string, label: string): Choice => [move, label, questionOf(order, move)]
  if (status === 'EXTERNALLY_PAID' || status === 'PAID') {
    return [...(held ? [choice('clear', 'Approve')] : []), choice('start', 'Start transfer')]
  }
  if (status !== 'TRANSFER_IN_PROGRESS') return []
  return [
    choice('complete', 'Mark as delivered'),
    choice('fail', 'Mark as failed'),
    ...(transfer.status === 'action_required'
      ? []
      : [choice('action-required', 'Mark as action required')]),
  ]
}

/** What the note to an order's moves is for: some are rejected without one. */
function noteFor(page: ConsoleContext, order: OrderRow, moves: Choice[]): string {
  const can = (name: string) => moves.some(([move]) => move === name)
  if (can('clear') && order.hold_reason === NOT_VERIFIED) {
    return 'Required to approve the order: say why the domain is ours to sell.'
  }
  if (can('complete') && isUnprovenDelivery(page.app.settings, order)) {
    return 'Required to mark the order as delivered: say how you know of it.'
  }
  return 'Optional.'
}

/** What is asked before a move that cannot be undone. */
export function questionOf(order: OrderRow, move: string): string | undefined {
  const question = orderQuestion(order, move)
  const isUnpaid = order.disputed && ['clear', 'start', 'complete'].includes(move)
  if (!isUnpaid) return question
  return `The buyer’s bank has taken the payment back. ${question ?? 'Continue anyway?'}`
}

function orderQuestion({ domain, held, buyer }: OrderRow, move: string): string | undefined {
  const name = nameText(domain)
  if (move === 'clear') return `Approve the order of ${name}?`
  if (move === 'start' && held) return `The order of ${name} is held. Start the transfer anyway?`
  if (move === 'start') return `Start the transfer of ${name} to ${buyer.email}?`
  if (move === 'complete') return `Was ${name} delivered? This books the sale for good.`
  return undefined
}

function Details({
  page,
  order,
  names,
  payment,
  seller,
  receiptId,
}: Sale & { page: ConsoleContext }) {
  const { public_id, currency } = order
  const facts: ([string, ComponentChildren] | false)[] = [
    ['Order', <Id id={public_id} />],
    ['Partner', <PartnerLink page={page} id={order.partner_id} names={names} />],
    ['Price', amount(order.sale_price_cents, currency)],
    ['Commission', amount(order.commission_cents, currency)],
    seller !== null && [
      'Seller',
      <a href={page.href(`/operator/users/${seller.user_id}`)}>{seller.email}</a>,
    ],
    seller !== null && ['Seller’s share', amount(order.seller_cents, currency)],
    [
      'Collected by',
      order.payment_model === 'partner_collected' ? 'the partner' : 'the marketplace',
    ],
    order.hold_reason !== null && ['Held', HOLD_REASONS[order.hold_reason] ?? order.hold_reason],
    [
      'Payment',
      payment ? (
        <Group>
          <Id id={payment.id} href={page.href('/operator/payments', { view: 'all', public_id })} />
          <Status text={payment.status} />
        </Group>
      ) : (
        (order.external_payment_ref ?? '–')
      ),
    ],
    [
      'Buyer',
      [order.buyer.name, order.buyer.email, order.buyer.country].filter(Boolean).join(', '),
    ],
    ['Transfer', stateText(order.transfer.status)],
    receiptId !== null && ['Proof of delivery', <ReceiptLink id={receiptId} />],
    ['Created', <At at={order.created_at} />],
  ]
  return (
    <section class="panel roomy">
      <h2>Sale</h2>
      <Facts facts={facts.filter((fact) => fact !== false)} />
      <p class="soft">
        <a href={page.href('/operator/audit', { subject: public_id })}>Audit log of this order</a>
      </p>
    </section>
  )
}

/** A sale whose transfer has not begun is cancelled; after that it is refunded. */
export function takeBackMove({ transfer }: OrderRow): 'cancel' | 'refund' {
  return transfer.started_at === null ? 'cancel' : 'refund'
}

function Next({ page, order, payment }: Sale & { page: ConsoleContext }) {
  const { public_id } = order
  const moves = movesOf(order)
  if (moves.length === 0) {
    return (
      <section class="panel roomy">
        <h2>Next steps</h2>
        <p class="soft">Nothing is left to do: this order is {stateText(order.status)}.</p>
      </section>
    )
  }
  const move = takeBackMove(order)
  const label = move === 'cancel' ? 'Cancel order' : 'Refund order'
  return (
    <section class="panel roomy">
      <h2>Next steps</h2>
      {order.disputed && (
        <Notice kind="warn">
          The buyer’s bank has taken the payment back
          {payment?.status === 'charged_back' ? ' for good' : ', and has not decided yet'}. If you
          deliver now, you may never be paid. <a href={page.href('/operator/disputes')}>Disputes</a>
        </Notice>
      )}
      <Form
        page={page}
        does={operateOrder}
        given={{ public_id }}
        fields={{
          reason: {
            label: 'Note',
            hint: `${noteFor(page, order, moves)} The partner sees it in the timeline.`,
          },
        }}
      >
        <Choices name="move" choices={moves} />
      </Form>
      <Form
        page={page}
        does={operateOrder}
        given={{ public_id, move }}
        collapsed={label}
        fields={{ refund_reason: { label: 'Reason', value: 'other' }, reason: 'Note' }}
        submit={label}
        kind="danger"
        confirm={`${label} for ${nameText(order.domain)}? This cannot be undone.`}
      >
        <p class="soft">
          The domain goes back on sale, the sale is reversed, and{' '}
          {order.payment_model === 'partner_collected'
            ? 'the partner returns the money.'
            : 'the buyer’s card is refunded.'}
        </p>
      </Form>
    </section>
  )
}
