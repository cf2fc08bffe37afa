import type { VNode } from 'preact'
import { nameText } from '../../lib/domain-name.ts'
import type { showOrder } from '../../modules/orders/operate-order.ts'
import { REFUND_REASONS } from '../../modules/orders/order.ts'
import { Select, TextArea } from '../pages/form.tsx'
import { Name } from '../pages/name.tsx'
import { Badge, Facts, Heading, Notice } from '../pages/parts.tsx'
import { stateText } from '../pages/spoken.ts'
import type { Look } from './desk.tsx'
import {
  Amount,
  At,
  type Choice,
  Choices,
  Form,
  Group,
  PartnerLink,
  refusedForm,
  Status,
} from './parts.tsx'
import type { Payment } from './payments.tsx'
import type { User } from './users.tsx'

export type OrderRow = Awaited<ReturnType<typeof showOrder.handler>>
type Names = ReadonlyMap<string, string>

export const HOLD_REASONS: Record<string, string> = {
  manual_review: 'marked for review',
  high_price: 'above the review price',
  first_orders: 'among the partner’s first',
  transfer_failed: 'its transfer failed',
  payment_disputed: 'the buyer’s bank has taken the payment back',
}

/** What can be done with an order in its state; the rest would be refused. */
function movesOf(order: OrderRow): Choice[] {
  const { status, held, transfer } = order
  const choice = (move: string, label: string): Choice => [move, label, questionOf(order, move)]
  if (status === 'EXTERNALLY_PAID' || status === 'PAID') {
    return [...(held ? [choice('clear', 'Approve')] : []), choice('start', 'Start the transfer')]
  }
  if (status !== 'TRANSFER_IN_PROGRESS') return []
  return [
    choice('complete', 'It was delivered'),
    choice('fail', 'It failed'),
    ...(transfer.status === 'action_required'
      ? []
      : [choice('action-required', 'Somebody has to act')]),
  ]
}

/** What is asked before a move that no other takes back. */
export function questionOf(order: OrderRow, move: string): string | undefined {
  const asked = askedOf(order, move)
  const isUnpaid = order.disputed && ['clear', 'start', 'complete'].includes(move)
  if (!isUnpaid) return asked
  return `The buyer’s bank has taken the payment back. ${asked ?? 'Go on all the same?'}`
}

function askedOf({ domain, held }: OrderRow, move: string): string | undefined {
  const name = nameText(domain)
  if (move === 'clear') return `Approve the order of ${name}? It is held no more.`
  if (move === 'start' && held)
    return `The order of ${name} is held. Start its transfer all the same?`
  if (move === 'complete') return `Was ${name} delivered? The sale is booked, and stays.`
  return undefined
}

/** One order: the sale, what may be done with it, and what happened. */
export function OrderPage({
  look,
  order,
  names,
  payment,
  seller,
}: {
  look: Look
  order: OrderRow
  names: Names
  /** Of a sale that the house collected. */
  payment: Payment | undefined
  /** Whose domain it is, when it is a user's. */
  seller: Pick<User, 'user_id' | 'email'> | null
}) {
  const moves = movesOf(order)
  const isOpen = moves.length > 0
  const { public_id, transfer } = order
  return (
    <>
      <Heading title={<Name domain={order.domain} />}>
        <Status text={order.status} />
        {order.held && <Badge tone="warn" text="held" />}
        {order.environment === 'sandbox' && <Badge text="sandbox" />}
      </Heading>
      <div class="columns">
        <section class="panel roomy">
          <h2>The sale</h2>
          <Facts
            facts={[
              ['Order', <code>{public_id}</code>],
              ['Partner', <PartnerLink look={look} id={order.partner_id} names={names} />],
              ['Price', <Amount cents={order.sale_price_cents} currency={order.currency} />],
              ['Commission', <Amount cents={order.commission_cents} currency={order.currency} />],
              ...(seller === null
                ? []
                : ([
                    [
                      'Seller',
                      <a href={look.href(`/operator/users/${seller.user_id}`)}>{seller.email}</a>,
                    ],
                    [
                      'Seller’s share',
                      <Amount cents={order.seller_cents} currency={order.currency} />,
                    ],
                  ] as [string, VNode][])),
              [
                'Collected by',
                order.payment_model === 'partner_collected' ? 'the partner' : 'the house',
              ],
              ...(order.hold_reason === null
                ? []
                : [
                    ['Held', HOLD_REASONS[order.hold_reason] ?? order.hold_reason] as [
                      string,
                      string,
                    ],
                  ]),
              [
                'Payment',
                payment ? (
                  <Group>
                    <a href={look.href('/operator/payments', { view: 'all', public_id })}>
                      {payment.id}
                    </a>
                    <Status text={payment.status} />
                  </Group>
                ) : (
                  (order.external_payment_ref ?? '–')
                ),
              ],
              [
                'Buyer',
                [order.buyer.name, order.buyer.email, order.buyer.country]
                  .filter(Boolean)
                  .join(', '),
              ],
              ['Transfer', stateText(transfer.status)],
              ['Made', <At at={order.created_at} />],
            ]}
          />
          <p class="soft">
            <a href={look.href('/operator/audit', { subject: public_id })}>Who did what with it</a>
          </p>
        </section>
        <section class="panel roomy">
          <h2>What next</h2>
          {isOpen && order.disputed && (
            <Notice kind="warn">
              The buyer’s bank has taken the payment back
              {payment?.status === 'charged_back' ? ' for good' : ', and has not decided yet'}. Who
              delivers now may never be paid. <a href={look.href('/operator/disputes')}>Disputes</a>
            </Notice>
          )}
          {isOpen ? (
            <Moves look={look} order={order} moves={moves} />
          ) : (
            <p class="soft">
              Nothing is left to do: an order that is {stateText(order.status)} stays as it is.
            </p>
          )}
        </section>
      </div>
      <h2>What happened</h2>
      <ol class="history">
        {order.timeline.toReversed().map(({ at, type, status, note }) => (
          <li>
            <At at={at} /> {type.replaceAll('_', ' ').replace(/^\w+\./, '')}{' '}
            <span class="soft">{stateText(status)}</span>
            {note !== null && <p>{note}</p>}
          </li>
        ))}
      </ol>
    </>
  )
}

/** A sale whose transfer has not begun is cancelled; after that it is refunded. */
export function takeBackMove({ transfer }: OrderRow): 'cancel' | 'refund' {
  return transfer.started_at === null ? 'cancel' : 'refund'
}

function Moves({ look, order, moves }: { look: Look; order: OrderRow; moves: Choice[] }) {
  const written = refusedForm(look, 'operate_order')
  const back = takeBackMove(order)
  return (
    <>
      <Form does="operate_order" fields={{ public_id: order.public_id }}>
        <TextArea
          label="Reason"
          name="reason"
          value={written.value('reason')}
          problem={written.problem('reason')}
          hint="Shown to the partner in the timeline; may stay empty."
          maxlength={1000}
          rows={2}
        />
        <Choices name="move" choices={moves} />
      </Form>
      <details>
        <summary>Take the sale back</summary>
        <Form
          does="operate_order"
          fields={{ public_id: order.public_id, move: back }}
          confirm={`Take the sale of ${nameText(order.domain)} back? This cannot be undone.`}
        >
          <Select
            label="Why"
            name="refund_reason"
            value="other"
            options={REFUND_REASONS.map((each): [string, string] => [each, stateText(each)])}
          />
          <TextArea label="Reason in words" name="reason" maxlength={1000} rows={2} />
          <p class="soft">
            The domain is for sale again, the sale leaves the books, and{' '}
            {order.payment_model === 'partner_collected'
              ? 'the partner returns the money.'
              : 'the card gets the money back.'}
          </p>
          <button type="submit" class="danger">
            {back === 'cancel' ? 'Cancel the order' : 'Refund the order'}
          </button>
        </Form>
      </details>
    </>
  )
}
