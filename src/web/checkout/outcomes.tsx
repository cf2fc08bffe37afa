import type { VNode } from 'preact'
import { partnersPage, type Session, sessionStatus } from '../../domain/checkout/session.ts'
import { isReversed } from '../../domain/ledger/sale-days.ts'
import type { Order } from '../../domain/orders/order.ts'
import { isOnItsWayBack, isUnderWay, type Payment } from '../../domain/payments/payment.ts'
import { type InvoiceLink, InvoiceLinks } from '../components/invoice-links.tsx'
import { moment, money } from '../components/money.ts'
import { Name, ReadName } from '../components/name.tsx'
import { Id, Notice } from '../components/parts.tsx'
import { ReceiptFact } from '../components/receipt-link.tsx'
import { checkoutPath } from './forms.tsx'
import { GONE, Gone, HELD } from './gone.tsx'
import type { Readers } from './read.ts'
import { TestMark } from './steps.tsx'
import { SoldBy } from './trust.tsx'

/** A page that asks nothing more of the buyer. */
interface End {
  status: number
  title: string
  body: VNode
  /** There is more to come. */
  isWaiting?: true
}

/**
 * How a checkout stands that the buyer can do nothing about; null while they can.
 *
 * @param isTheirs whether this browser gave the details: nobody else with the link gets the invoice that has them
 */
export async function endOf(
  read: Readers,
  { session, token, isTheirs }: { session: Session; token: string; isTheirs: boolean },
  now: Date,
): Promise<End | null> {
  const order = await read.order(session)
  if (order) {
    const [payment, invoices] = await Promise.all([
      read.paymentOf(order),
      isTheirs ? read.invoices(order) : [],
    ])
    const body = (
      <Receipt
        session={session}
        order={order}
        payment={payment}
        isTheirs={isTheirs}
        documents={invoices.map(({ kind, number }) => ({
          kind,
          number,
          href: `${checkoutPath(token, '/invoice')}&number=${number}`,
        }))}
      />
    )
    return { status: 200, title: 'Receipt', body }
  }
  const payment = await read.lastPayment(session)
  if (payment && isOnItsWayBack(payment)) {
    const body = <Refunded session={session} payment={payment} />
    return { status: 200, title: 'Not sold', body }
  }
  if (payment && isUnderWay(payment, now)) {
    const body = <Processing session={session} payment={payment} />
    return { status: 200, title: 'Payment on its way', body, isWaiting: true }
  }
  const status = sessionStatus(session, now)
  const why =
    status === 'expired' || status === 'cancelled' ? status : await read.unavailable(session, now)
  if (why === null) return null
  const body = <Gone session={session} why={why} />
  return { status: HELD.has(why) ? 409 : 410, title: GONE[why].title, body }
}

/** The receipt, which stays where the checkout was, and shows how the transfer goes. */
function Receipt({
  session,
  order,
  payment,
  isTheirs,
  documents,
}: {
  session: Session
  order: Order
  payment: Payment
  isTheirs: boolean
  documents: InvoiceLink[]
}) {
  const isBack = isReversed(order)
  const onward = partnersPage(session)
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>{isBack ? 'Your order was cancelled' : <Thanks order={order} />}</h1>
      <p class="lead">
        {isBack ? (
          <>
            <ReadName domain={order.domain} /> is not yours. {wayBack(payment)}
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
          <Id id={order.public_id} />
        </dd>
        <dt>Domain</dt>
        <dd>
          <Name domain={order.domain} />
        </dd>
        <dt>Paid</dt>
        <dd>
          {money(payment.amount_cents, payment.currency)}
          {payment.tax_cents > 0 &&
            `, with ${payment.tax?.name ?? 'tax'} of ${money(payment.tax_cents, payment.currency)}`}
        </dd>
        {isTheirs && payment.card !== null && (
          <>
            <dt>Paid with</dt>
            <dd>{payment.card}</dd>
          </>
        )}
        <dt>On</dt>
        <dd>{moment(order.created_at)}</dd>
        <InvoiceLinks documents={documents} />
        <ReceiptFact id={order.receipt_id} />
        <SoldBy />
      </dl>
      {!isBack && <Progress order={order} />}
      {onward !== null && (
        <p>
          <a class="button" href={onward}>
            Back to {new URL(onward).hostname}
          </a>
        </p>
      )}
      {!isTheirs && (
        <p class="aside">
          The invoice is for the buyer alone: it is on the page that the mail with the receipt leads
          to, and under Purchases in the buyer’s account.
        </p>
      )}
      <p class="aside">Keep the address of this page: it always shows how things stand.</p>
    </>
  )
}

function Thanks({ order: { domain, transfer_completed_at } }: { order: Order }) {
  if (!transfer_completed_at) return <>Thank you: the payment is in</>
  return (
    <>
      <ReadName domain={domain} /> has arrived
    </>
  )
}

/** Whose the name is by now. */
function Standing({ order }: { order: Order }) {
  const name = <ReadName domain={order.domain} />
  if (order.transfer_completed_at) return <>{name} is yours.</>
  if (order.held) return <>We look at the order before the transfer of {name} to you.</>
  if (order.transfer_started_at) return <>{name} is on its way to you.</>
  return <>We start the transfer of {name} to you next.</>
}

function Progress({ order }: { order: Order }) {
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
function Refunded({ session, payment }: { session: Session; payment: Payment }) {
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>
        <ReadName domain={session.domain} /> was not sold to you
      </h1>
      <Notice kind="error">{payment.reason}</Notice>
      <p>{wayBack(payment)}</p>
    </>
  )
}

/** What becomes of money that came in, by whoever has it now. */
function wayBack(payment: Payment): string {
  const { status, amount_cents, currency, refund_cents } = payment
  const paid = money(amount_cents, currency)
  const isWhole = refund_cents === null
  const refund = isWhole
    ? `your payment of ${paid} in full`
    : `${money(refund_cents, currency)} of your payment of ${paid}`
  const rest = isWhole ? '' : ' You have had the rest.'
  switch (status) {
    case 'refunded':
      return `We have refunded ${refund}. Banks take a few days to show it.${rest}`
    case 'refund_failed':
      return `Your card did not take the refund. We send it another way, and write to you.${rest}`
    case 'disputed':
      return `Your bank has taken the payment of ${paid} back, and decides about it.`
    case 'charged_back':
      return `Your bank has given the payment of ${paid} back to you.`
    default:
      return `We are refunding ${refund}.${rest}`
  }
}

function Processing({ session, payment }: { session: Session; payment: Payment }) {
  return (
    <>
      <TestMark environment={session.environment} />
      <h1>Your payment is on its way</h1>
      <p class="lead" role="status">
        We are waiting for {money(payment.amount_cents, payment.currency)} for{' '}
        <ReadName domain={session.domain} />. This page looks again by itself; you may also close it
        and come back.
      </p>
    </>
  )
}
