import { closeGoodwill } from '../../domain/checkout/operate-goodwill.ts'
import { listPayments, moveRefund } from '../../domain/checkout/operate-payments.ts'
import { status, time } from '../components/columns.tsx'
import { Id } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action, type ConsoleContext } from './page.ts'
import { Amount, Do, Form, Group } from './parts.tsx'
import { UNCAPTURED, uncapturedCharges } from './uncaptured-charges.tsx'

export type Payment = Awaited<ReturnType<typeof listPayments.handler>>['payments'][number]

/** Buyers' payments: first those whose refund has failed. */
export const payments = listPage({
  path: '/operator/payments',
  title: 'Payments',
  waiting: (counts) => counts.refunds_failed + counts.captures_failed,
  actions: [
    action({
      operation: moveRefund,
      done: ({ status }) =>
        status === 'refunded' ? 'Refund marked as paid.' : 'Refund sent again.',
    }),
    action({ operation: closeGoodwill, done: () => 'Goodwill refund closed.' }),
  ],
  operation: listPayments,
  rows: 'payments',
  views: {
    '': { label: 'Failed refunds', input: { refund_failed: true } },
    all: { label: 'All payments', input: {} },
  },
  filters: { status: 'Status', public_id: { label: 'Order ID', placeholder: 'ord_…' } },
  aside: (page) => (
    <a class="button quiet" href={page.href(UNCAPTURED)}>
      Unpaid renewals
    </a>
  ),
  below: [uncapturedCharges],
  empty: ['No payments here', 'Buyers pay on checkout pages. Refunds that fail appear here.'],
  columns: (page) => [
    {
      label: 'Payment',
      cell: ({ id, reason, refund_note, currency, failed_goodwill }) => (
        <>
          <Id id={id} />
          <span class="soft"> {[reason, refund_note].filter(Boolean).join(' · ')}</span>
          {failed_goodwill.map(({ goodwill_id, amount_cents, error }) => (
            <div key={goodwill_id} class="soft">
              Goodwill of <Amount cents={amount_cents} currency={currency} /> failed: {error}
            </div>
          ))}
        </>
      ),
    },
    {
      label: 'Order',
      cell: ({ public_id }) =>
        public_id === null ? (
          'no order'
        ) : (
          <Id id={public_id} href={page.href(`/operator/orders/${public_id}`)} />
        ),
    },
    status('Status', 'status'),
    {
      label: 'Amount',
      align: 'end',
      cell: ({ status, amount_cents, refund_cents, currency }) => (
        <>
          <Amount cents={amount_cents} currency={currency} />
          {refund_cents !== null && (
            <div class="soft">
              <Amount cents={refund_cents} currency={currency} />{' '}
              {status === 'refunded' ? 'refunded' : 'to refund'}
            </div>
          )}
        </>
      ),
    },
    time('Updated', 'updated_at'),
    ...(page.query.view === 'all'
      ? []
      : [{ label: 'Action', cell: (row: Payment) => <Actions page={page} row={row} /> }]),
  ],
})

function Actions({ page, row }: { page: ConsoleContext; row: Payment }) {
  return (
    <>
      {row.status === 'refund_failed' && <Refund page={page} id={row.id} />}
      {row.failed_goodwill.map(({ goodwill_id }) => (
        <Form
          key={goodwill_id}
          page={page}
          does={closeGoodwill}
          given={{ id: goodwill_id }}
          collapsed="Close goodwill"
          fields={{ note: { label: 'How the buyer was paid, or why not', required: true } }}
          submit="Close"
        />
      ))}
    </>
  )
}

function Refund({ page, id }: { page: ConsoleContext; id: string }) {
  return (
    <>
      <Group>
        <Do does={moveRefund} fields={{ id, move: 'retry' }} label="Retry refund" about={id} />
      </Group>
      <Form
        page={page}
        does={moveRefund}
        given={{ id, move: 'paid' }}
        collapsed="Paid another way"
        fields={{ note: { label: 'How it was paid', required: true } }}
        submit="Mark as paid"
        confirm="Has the buyer received the money? This cannot be undone."
      />
    </>
  )
}
