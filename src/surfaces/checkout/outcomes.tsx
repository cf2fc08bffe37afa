import type { Session } from '../../modules/checkout/session.ts'
import type { OrderRow } from '../../modules/orders/order.ts'
import type { Payment, PaymentStatus } from '../../modules/payments/payment.ts'
import { moment, money } from '../pages/money.ts'
import { Name, ReadName } from '../pages/name.tsx'
import { Notice } from '../pages/parts.tsx'
import { TestMark } from './forms.tsx'

/** The receipt, which stays where the checkout was, and shows how the transfer goes. */
export function Receipt({ session, order }: { session: Session; order: OrderRow }) {
  const isBack = order.status === 'REFUNDED' || order.status === 'CANCELLED'
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>{isBack ? 'Your money is on its way back' : <Thanks order={order} />}</h1>
      <p class="lead">
        {isBack ? (
          <>
            The order for <ReadName domain={order.domain} /> was taken back. The whole amount
            returns to your card.
          </>
        ) : (
          <>
            <Standing order={order} /> We sent the receipt to your e-mail address.
          </>
        )}
      </p>
      <dl class="facts">
        <dt>Order</dt>
        <dd>
          <code>{order.public_id}</code>
        </dd>
        <dt>Domain</dt>
        <dd>
          <Name domain={order.domain} />
        </dd>
        <dt>Paid</dt>
        <dd>{money(order.sale_price_cents, order.currency)}</dd>
        <dt>On</dt>
        <dd>{moment(order.created_at)}</dd>
      </dl>
      {!isBack && <Progress order={order} />}
      {session.return_url !== null && (
        <p>
          <a class="button" href={session.return_url}>
            Back to {new URL(session.return_url).hostname}
          </a>
        </p>
      )}
      <p class="aside">Keep the address of this page: it always shows how things stand.</p>
    </>
  )
}

function Thanks({ order: { domain, transfer_completed_at } }: { order: OrderRow }) {
  if (!transfer_completed_at) return <>Thank you: the payment is in</>
  return (
    <>
      <ReadName domain={domain} /> has arrived
    </>
  )
}

/** Whose the name is by now. */
function Standing({ order }: { order: OrderRow }) {
  const name = <ReadName domain={order.domain} />
  if (order.transfer_completed_at) return <>{name} is yours.</>
  if (order.held) return <>We look at the order before the transfer of {name} to you.</>
  if (order.transfer_started_at) return <>{name} is on its way to you.</>
  return <>We start the transfer of {name} to you next.</>
}

function Progress({ order }: { order: OrderRow }) {
  const { transfer_status, transfer_started_at, transfer_completed_at } = order
  const steps = [
    { name: 'Paid', at: order.created_at },
    {
      name: order.held ? 'We are looking at the order' : 'Transfer started',
      at: transfer_started_at,
      ...(order.held && { open: 'now' }),
    },
    { name: 'Delivered to you', at: transfer_completed_at },
  ]
  return (
    <section aria-labelledby="progress">
      <h2 id="progress">The transfer</h2>
      <ol class="progress">
        {steps.map(({ name, at, open = 'to come' }) => (
          <li class={at === null ? 'open' : 'done'}>
            {name}
            <small>{at === null ? open : moment(at)}</small>
          </li>
        ))}
      </ol>
      {transfer_status === 'action_required' && (
        <Notice kind="info">
          The transfer waits for you: {order.transfer_reason ?? 'please look at your e-mail.'}
        </Notice>
      )}
      {transfer_status === 'failed' && (
        <Notice kind="info">The transfer did not work at first. We are at it.</Notice>
      )}
    </section>
  )
}

/** Money came, and could not buy the domain. */
export function PaidBack({ session, payment }: { session: Session; payment: Payment }) {
  const amount = money(payment.amount_cents, payment.currency)
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>
        <ReadName domain={session.domain} /> was not sold to you
      </h1>
      <Notice kind="error">{payment.reason}</Notice>
      <p>{wayBack(payment.status, amount)}</p>
    </>
  )
}

function wayBack(status: PaymentStatus, amount: string): string {
  switch (status) {
    case 'refunded':
      return `We have refunded your payment of ${amount} in full. Banks take a few days to show it.`
    case 'refund_failed':
      return `Your card did not take the refund of ${amount}. We send it another way, and write to you.`
    case 'disputed':
      return `Your bank has taken the payment of ${amount} back, and decides about it.`
    case 'charged_back':
      return `Your bank has given the payment of ${amount} back to you.`
    default:
      return `We are refunding your payment of ${amount} in full.`
  }
}

export function Processing({ session }: { session: Session }) {
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>Your payment is on its way</h1>
      <p class="lead" role="status">
        We are waiting for {money(session.price_cents, session.currency)} for{' '}
        <ReadName domain={session.domain} />. This page looks again by itself; you may also close it
        and come back.
      </p>
    </>
  )
}

export function Gone({
  session,
  why,
}: {
  session: Session
  why: 'expired' | 'sold' | 'cancelled' | 'reserved'
}) {
  const TEXT = {
    expired: ['This checkout has expired', 'Checkout links work for seven days.'],
    sold: ['Sold', 'Somebody else was faster. Nothing was charged.'],
    cancelled: ['This checkout was cancelled', 'Nothing was charged.'],
    reserved: [
      'Reserved',
      'Somebody else has it for some minutes. Nothing was charged. This link goes on working: come back to it then.',
    ],
  } as const
  const [title, text] = TEXT[why]
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>
        {why === 'sold' || why === 'reserved' ? (
          <>
            <ReadName domain={session.domain} /> is {why}
          </>
        ) : (
          title
        )}
      </h1>
      <p class="lead">{text}</p>
      <p>
        <a class="button quiet" href={why === 'sold' ? '/' : `/d/${session.domain}`}>
          {why === 'sold' ? (
            'Look for another name'
          ) : (
            <>
              See <ReadName domain={session.domain} />
            </>
          )}
        </a>
      </p>
    </>
  )
}
