import {
  listAllSettlements,
  previewSettlementRun,
} from '../../domain/settlements/operate-settlements.ts'
import { runSettlement } from '../../domain/settlements/run-settlement.ts'
import { count, link, money, status } from '../components/columns.tsx'
import { counted } from '../components/humanize.ts'
import { type Column, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Empty, Stats } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action, type ConsoleContext } from './page.ts'
import { Form, partnerColumn } from './parts.tsx'
import { statementPage } from './statement-page.tsx'

type Statement = Awaited<ReturnType<typeof listAllSettlements.handler>>['settlements'][number]

const PATH = '/operator/settlements'

/** Settlement runs, with what they would close before they do, and every closed statement. */
export const settlements = listPage({
  path: PATH,
  title: 'Settlements',
  actions: [
    action({
      operation: runSettlement,
      done: ({ settlements, order_count }) =>
        settlements.length === 0
          ? 'There was nothing left to close.'
          : `${counted(settlements.length, 'statement')} closed, with ${counted(order_count, 'order')}.`,
    }),
  ],
  operation: listAllSettlements,
  views: {
    '': { label: 'Closed', input: { status: 'closed' } },
    overdue: { label: 'Overdue', input: { status: 'closed', overdue: true } },
  },
  rows: 'settlements',
  above: async (page) => (
    <>
      <Preview page={page} {...(await readPreview(page))} />
      <h2>Closed statements</h2>
    </>
  ),
  empty: ['No closed statements yet', 'A run closes the periods that have deliveries or refunds.'],
  columns,
  below: [statementPage],
})

async function readPreview(page: ConsoleContext) {
  const preview = await page.read(previewSettlementRun, { environment: page.environment })
  return { preview, shown: await columns(page, preview.settlements) }
}

function Preview({
  page,
  preview: { settlements, order_count },
  shown,
}: { page: ConsoleContext } & Awaited<ReturnType<typeof readPreview>>) {
  const statements = counted(settlements.length, 'statement')
  const sum = (rows: Statement[]) =>
    rows.reduce((total, { amount_owed_cents }) => total + amount_owed_cents, 0)
  if (settlements.length === 0) {
    return (
      <div class="panel">
        <Empty title="Nothing to close">No open period has a delivery or a refund.</Empty>
      </div>
    )
  }
  const currencies = [...new Set(settlements.map(({ currency }) => currency))]
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">Next run</h2>
      <Stats
        stats={[
          { label: 'Statements', value: settlements.length.toLocaleString('en-US') },
          { label: 'Orders', value: order_count.toLocaleString('en-US') },
          ...currencies.map((code) => ({
            label: 'Owed to the marketplace',
            value: amount(sum(settlements.filter(({ currency }) => currency === code)), code),
          })),
        ]}
      />
      <Table caption="Statements of the next run" rows={settlements} columns={shown} empty={null} />
      <Form
        page={page}
        does={runSettlement}
        given={{
          environment: page.environment,
          expected_order_count: String(order_count),
          expected_owed_cents: String(sum(settlements)),
        }}
        submit={`Close ${statements}`}
        kind="main"
        confirm={`Close ${statements}? A closed statement cannot be changed.`}
      >
        <p class="soft">
          A closed statement cannot be changed. If the figures change before you close, nothing is
          closed and you see the new preview.
        </p>
      </Form>
    </section>
  )
}

async function columns(page: ConsoleContext, rows: Statement[]): Promise<Column<Statement>[]> {
  return [
    await partnerColumn(page, rows),
    link(
      'Period',
      ({ id }) => page.href(`${PATH}/${id}`),
      ({ period_start, period_end }) =>
        `${period_start.slice(0, 10)} – ${period_end?.slice(0, 10) ?? 'now'}`,
    ),
    count('Sales', 'order_count'),
    money('Sold', 'gross_sold_cents'),
    money('Commission', 'commission_retained_cents'),
    money('Owed', 'amount_owed_cents'),
    money('Received', 'received_cents'),
    status('Payment', 'payment_status'),
  ]
}
