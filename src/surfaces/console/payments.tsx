import { listDisputes, listPayments } from '../../modules/checkout/operate-payments.ts'
import { DISPUTE_STATUSES } from '../../modules/payments/dispute.ts'
import { PAYMENT_STATUSES } from '../../modules/payments/payment.ts'
import { Field, Select, TextArea } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { Badge, Empty, Heading, Tabs } from '../pages/parts.tsx'
import { stateText } from '../pages/spoken.ts'
import type { Desk, Look } from './desk.tsx'
import {
  Amount,
  At,
  Do,
  EnvironmentTabs,
  Form,
  Group,
  Kept,
  refusedForm,
  Status,
} from './parts.tsx'

const PATH = '/operator/payments'
const DISPUTES = '/operator/disputes'

export type Payment = Awaited<ReturnType<typeof listPayments.handler>>['payments'][number]

/** Buyers' payments: refunds that did not arrive, what is on its way back, and disputes. */
export function paymentPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { environment, query } = look
    const { public_id, cursor } = query
    const isAll = query.view === 'all'
    const status = isAll ? query.status : 'refund_failed'
    const filters = { environment, status, public_id, cursor }
    const { payments, next_cursor } = await look.read(listPayments, filters)
    const isSet = query.status !== undefined || public_id !== undefined
    return {
      title: 'Payments',
      at: PATH,
      body: (
        <>
          <Heading title="Payments" />
          <EnvironmentTabs look={look} path={PATH} />
          <Tabs
            label="Payments"
            at={look.href(PATH, isAll ? { view: 'all' } : {})}
            tabs={[
              [look.href(PATH), 'Failed refunds'],
              [look.href(PATH, { view: 'all' }), 'All payments'],
            ]}
          />
          {isAll && (
            <Filters path={look.href(PATH, { view: 'all' })} isSet={isSet}>
              <Kept look={look} />
              <input type="hidden" name="view" value="all" />
              <Select
                label="Status"
                name="status"
                value={query.status}
                options={[
                  ['', 'Any'],
                  ...PAYMENT_STATUSES.map((each): [string, string] => [each, stateText(each)]),
                ]}
              />
              <Field label="Order" name="public_id" value={public_id} placeholder="ord_…" />
            </Filters>
          )}
          <Table
            caption="Payments"
            rows={payments}
            columns={[
              {
                label: 'Payment',
                cell: ({ id, reason, refund_note }) => (
                  <>
                    <code>{id}</code>
                    <span class="soft"> {[reason, refund_note].filter(Boolean).join(' · ')}</span>
                  </>
                ),
              },
              {
                label: 'Order',
                cell: ({ public_id }) =>
                  public_id === null ? (
                    'bought nothing'
                  ) : (
                    <a href={look.href(`/operator/orders/${public_id}`)}>{public_id}</a>
                  ),
              },
              { label: 'Status', cell: (payment) => <Status text={payment.status} /> },
              {
                label: 'Amount',
                align: 'end',
                cell: ({ amount_cents, refund_cents, currency }) => (
                  <>
                    <Amount cents={amount_cents} currency={currency} />
                    {refund_cents !== null && (
                      <div class="soft">
                        <Amount cents={refund_cents} currency={currency} /> back
                      </div>
                    )}
                  </>
                ),
              },
              { label: 'Changed', cell: ({ updated_at }) => <At at={updated_at} /> },
              ...(isAll
                ? []
                : [
                    {
                      label: 'Action',
                      cell: (payment: Payment) => <Refund look={look} payment={payment} />,
                    },
                  ]),
            ]}
            empty={
              <Empty title={isAll ? 'No payment fits' : 'No refund has failed'}>
                {isAll
                  ? 'Buyers pay on the pages of checkout sessions.'
                  : 'Refunds that a card does not take wait here.'}
              </Empty>
            }
          />
          <Pager path={PATH} query={query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.page(DISPUTES, async (look) => {
    const { status, cursor } = look.query
    const { disputes, next_cursor } = await look.read(listDisputes, { status, cursor })
    return {
      title: 'Disputes',
      at: DISPUTES,
      body: (
        <>
          <Heading title="Disputes" />
          <p class="lead">
            Cardholders asked their banks to take these payments back, live and sandbox. Disputes
            are answered at the payment provider; what becomes of them shows here by itself.
          </p>
          <Filters path={look.href(DISPUTES)} isSet={status !== undefined}>
            <Kept look={look} />
            <Select
              label="Status"
              name="status"
              value={status}
              options={[
                ['', 'Any'],
                ...DISPUTE_STATUSES.map((each): [string, string] => [each, stateText(each)]),
              ]}
            />
          </Filters>
          <Table
            caption="Disputes"
            rows={disputes}
            columns={[
              {
                label: 'Dispute',
                cell: ({ provider_ref }) => <code>{provider_ref}</code>,
              },
              {
                label: 'Environment',
                cell: ({ environment }) => <Badge text={environment} />,
              },
              {
                label: 'Over',
                cell: ({ public_id, user_id }) => {
                  if (public_id !== null) {
                    return <a href={look.href(`/operator/orders/${public_id}`)}>{public_id}</a>
                  }
                  if (user_id === null) return '–'
                  return <a href={look.href(`/operator/users/${user_id}`)}>a user’s renewal</a>
                },
              },
              { label: 'Why', cell: ({ reason }) => stateText(reason) },
              { label: 'Status', cell: (dispute) => <Status text={dispute.status} /> },
              {
                label: 'Amount',
                align: 'end',
                cell: ({ amount_cents, currency }) => (
                  <Amount cents={amount_cents} currency={currency} />
                ),
              },
              { label: 'Answer by', cell: ({ due_at }) => <At at={due_at} /> },
            ]}
            empty={<Empty title="No dispute">May it stay so.</Empty>}
          />
          <Pager path={DISPUTES} query={look.query} next={next_cursor} />
        </>
      ),
    }
  })
}

function Refund({ look, payment: { id } }: { look: Look; payment: Payment }) {
  const written = refusedForm(look, 'move_refund')
  const isMine = look.refused?.form.get('id') === id
  return (
    <>
      <Group>
        <Do does="move_refund" fields={{ id, move: 'retry' }} label="Send again" about={id} />
      </Group>
      <details open={isMine && written.isOpen}>
        <summary>Paid otherwise</summary>
        <Form
          does="move_refund"
          fields={{ id, move: 'paid' }}
          confirm="Has the buyer got the money? It leaves the books for good."
        >
          <TextArea
            label="How it was paid"
            name="note"
            maxlength={1000}
            rows={2}
            required
            value={isMine ? written.value('note') : ''}
            problem={isMine ? written.problem('note') : undefined}
          />
          <button type="submit" class="small">
            Note it
          </button>
        </Form>
      </details>
    </>
  )
}
