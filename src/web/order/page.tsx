import { type Order, viewTransfer } from '../../domain/orders/order.ts'
import { money } from '../../lib/money.ts'
import { PURCHASES } from '../account/paths.ts'
import { type InvoiceLink, InvoiceLinks } from '../components/invoice-links.tsx'
import { Name } from '../components/name.tsx'
import { Id, Notice } from '../components/parts.tsx'
import { ReceiptFact } from '../components/receipt-link.tsx'

export interface Shown {
  code?: string
  problem?: string
  status?: number
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

export function OrderPage({
  order,
  action,
  shown,
  documents,
  isSignedIn,
  canCancel,
}: {
  order: Order
  action: string
  shown: Shown
  documents: InvoiceLink[]
  isSignedIn: boolean
  /** Whether the signed-in user can cancel it, which they do on the page of their apps. */
  canCancel: boolean
}) {
  const { code_available, expected_by, stalled } = viewTransfer(order)
  return (
    <>
      {order.environment === 'sandbox' && (
        <Notice kind="info">This is a test. Nothing real is transferred.</Notice>
      )}
      {shown.problem && <Notice kind="error">{shown.problem}</Notice>}
      <p class="soft">Your order</p>
      <h1>
        <Name domain={order.domain} />
      </h1>
      <p class="lead">{headline(order)}</p>
      {order.transfer_status === 'action_required' && (
        <Notice kind="info">
          The transfer waits for you: {order.transfer_reason ?? 'please look at your e-mail.'}
        </Notice>
      )}
      {stalled && (
        <Notice kind="info">
          The transfer takes longer than expected. Check that your registrar has accepted the code.
        </Notice>
      )}
      {code_available && <Code code={shown.code} action={action} />}
      <dl class="facts">
        <dt>Order</dt>
        <dd>
          <Id id={order.public_id} />
        </dd>
        <dt>Price</dt>
        <dd>{money(order.sale_price_cents, order.currency)}</dd>
        <InvoiceLinks documents={documents} />
        <ReceiptFact id={order.receipt_id} />
        {expected_by && (
          <>
            <dt>Expected by</dt>
            <dd>{DAY.format(new Date(expected_by))}</dd>
          </>
        )}
      </dl>
      {canCancel && (
        <p>
          An app bought it for you. Until its transfer starts, you can cancel it under{' '}
          <a href="/account/access">Apps and tokens</a>.
        </p>
      )}
      {isSignedIn && (
        <p class="aside">
          <a href={PURCHASES}>Your purchases</a>
        </p>
      )}
    </>
  )
}

function Code({ code, action }: { code: string | undefined; action: string }) {
  return (
    <section class="next">
      <h2>What you do next</h2>
      <ol>
        <li>Ask your registrar to transfer the domain in.</li>
        <li>Enter the transfer code where your registrar asks for it.</li>
        <li>Confirm the transfer if your registrar sends you a mail.</li>
      </ol>
      {code ? (
        <p>
          Transfer code: <code>{code}</code>
        </p>
      ) : (
        <form method="post" action={action}>
          <button type="submit">Show the transfer code</button>
        </form>
      )}
    </section>
  )
}

function headline({ status, delivery, held, code_available_at }: Order): string {
  switch (status) {
    case 'TRANSFER_IN_PROGRESS':
      if (delivery.method === 'push') return 'The domain is being moved into your account.'
      if (delivery.method === 'hold') return 'The domain is being moved into your account here.'
      return code_available_at
        ? 'The domain is ready to be transferred to your registrar.'
        : 'The transfer is being prepared. You will receive a mail when the code is ready.'
    case 'TRANSFER_COMPLETED':
    case 'SETTLED':
      return 'The domain has been delivered.'
    case 'REFUNDED':
    case 'CANCELLED':
      return 'The order was cancelled, and your payment is returned.'
    default:
      return held
        ? 'The order is being reviewed before the transfer starts.'
        : 'Your payment has arrived. The transfer starts soon.'
  }
}
