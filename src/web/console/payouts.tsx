import { partnerNames } from '../../domain/partners/partner.ts'
import { approvePayout } from '../../domain/payouts/approve-payout.ts'
import {
  exportPayouts,
  listPayoutBatches,
  readPayoutBatch,
} from '../../domain/payouts/export-payouts.ts'
import { importPayoutStatus, MAX_REPORT_BYTES } from '../../domain/payouts/import-status.ts'
import { movePayout } from '../../domain/payouts/move-payout.ts'
import { createPayouts, listAllPayouts } from '../../domain/payouts/operate-payouts.ts'
import { previewPayouts } from '../../domain/payouts/preview-payouts.ts'
import { sendPayouts } from '../../domain/payouts/send-payouts.ts'
import { count, money, status, time } from '../components/columns.tsx'
import { sendCsvList } from '../components/csv.ts'
import { counted } from '../components/humanize.ts'
import { Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Badge, Empty, Id } from '../components/parts.tsx'
import { wholeText } from '../layout/upload.ts'
import { listPage } from './list-page.tsx'
import { action, type ConsoleContext } from './page.ts'
import { Do, Form, Group, partnerColumn } from './parts.tsx'
import { BankFiles } from './payout-files.tsx'

const PATH = '/operator/payouts'
const FILE = `${PATH}.csv`
const COLUMNS = [
  'id',
  'partner_id',
  'partner_name',
  'amount_cents',
  'currency',
  'kind',
  'status',
  'created_at',
] as const

/** What the marketplace pays its partners: the next batch before it is made, and every payout. */
export const payouts = listPage({
  path: PATH,
  title: 'Payouts',
  waiting: (counts) => counts.payouts_open,
  actions: [
    action({
      operation: createPayouts,
      done: ({ count }) =>
        count === 0 ? 'Nothing was payable.' : `${counted(count, 'payout')} created.`,
    }),
    action({
      operation: approvePayout,
      done: ({ amount_cents, currency }) =>
        `The payout of ${amount(amount_cents, currency)} is approved.`,
    }),
    action({
      operation: exportPayouts,
      done: ({ count, batch_id }) =>
        `${counted(count, 'payout')} written to ${batch_id}: download the file below.`,
    }),
    action({
      operation: sendPayouts,
      done: ({ count }) => `${counted(count, 'payout')} handed to the provider.`,
    }),
    action({
      operation: movePayout,
      done: ({ amount_cents, currency, status }) =>
        `The payout of ${amount(amount_cents, currency)} is now ${status}.`,
    }),
  ],
  operation: listAllPayouts,
  rows: 'payouts',
  aside: (page) => {
    const { status = 'pending', partner_id } = page.query
    return (
      <a class="button quiet" href={page.href(FILE, { status, partner_id })}>
        CSV for the bank
      </a>
    )
  },
  above: async (page) => (
    <>
      <NextBatch page={page} {...(await readBatch(page))} />
      <BankFiles
        path={PATH}
        page={page}
        {...(await page.read(listPayoutBatches, { environment: page.environment }))}
      />
      <h2>All payouts</h2>
    </>
  ),
  filters: { status: 'Status', partner_id: { label: 'Partner ID', placeholder: 'prt_…' } },
  empty: ['No payouts yet', 'A batch pays what is payable now.'],
  columns: async (page, rows) => [
    {
      label: 'Payout',
      cell: ({ id, reason }) => (
        <Group>
          <Id id={id} />
          {reason !== null && <span class="soft"> {reason}</span>}
        </Group>
      ),
    },
    await partnerColumn(page, rows),
    status('Status', 'status'),
    money('Amount', 'amount_cents'),
    time('Created', 'created_at'),
    { label: 'Next step', cell: (payout) => <Moves {...payout} /> },
  ],
  async upload(page, { content }) {
    const file = await wholeText(content, MAX_REPORT_BYTES)
    const { paid, failed, unchanged, unknown, contradicted } = await page.write(
      importPayoutStatus,
      () => ({ file }),
    )
    const odd = [
      unknown.length > 0 && ` Not known here: ${unknown.slice(0, 3).join(', ')}.`,
      contradicted.length > 0 && ` ${counted(contradicted.length, 'payout')} had ended otherwise.`,
    ]
    const said = `${paid} paid, ${failed} failed, ${unchanged} unchanged.`
    return page.goOn(page.href(PATH), said + odd.filter(Boolean).join(''))
  },
  files: {
    async [`${PATH}/batches/:batch_id`](page) {
      const { batch_id = '' } = page.params
      const { file, format } = await page.write(readPayoutBatch, () => ({ batch_id }))
      const isCsv = format === 'csv'
      return page.reply
        .header(
          'content-type',
          isCsv ? 'text/csv; charset=utf-8' : 'application/xml; charset=utf-8',
        )
        .header(
          'content-disposition',
          `attachment; filename="${batch_id}.${isCsv ? 'csv' : 'xml'}"`,
        )
        .header('cache-control', 'no-store')
        .send(file)
    },
    [FILE]: (page) =>
      sendCsvList(page.reply, 'payouts', COLUMNS, async (cursor) => {
        const { environment, query } = page
        const { status, partner_id } = query
        const filters = { environment, status, partner_id, limit: 100, cursor }
        const { payouts, next_cursor } = await page.read(listAllPayouts, filters)
        const names = await partnerNames(
          page.app.db,
          payouts.map((payout) => payout.partner_id),
        )
        const rows = payouts.map((payout) => ({
          ...payout,
          partner_name: names.get(payout.partner_id) ?? '',
        }))
        return { rows, next_cursor }
      }),
  },
})

async function readBatch(page: ConsoleContext) {
  const { payouts } = await page.read(previewPayouts, { environment: page.environment })
  return { preview: payouts, partner: await partnerColumn(page, payouts) }
}

function NextBatch({
  page,
  preview,
  partner,
}: { page: ConsoleContext } & Awaited<ReturnType<typeof readBatch>>) {
  const due = preview.filter(({ reaches }) => reaches)
  const total = due.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  return (
    <section aria-labelledby="batch">
      <h2 id="batch">Next batch</h2>
      <Table
        caption="Payouts of the next batch"
        rows={preview}
        columns={[
          partner,
          { label: 'For', cell: ({ kind }) => (kind === 'brokerage' ? 'brokerage' : 'sales') },
          count('Commissions', 'line_count'),
          money('Amount', 'amount_cents'),
          {
            label: 'Included',
            cell: ({ reaches, suspended }) => {
              if (suspended) return <Badge tone="warn" text="held: suspended" />
              return reaches ? <Badge tone="good" text="yes" /> : <Badge text="below threshold" />
            },
          },
        ]}
        empty={
          <Empty title="Nothing is payable">
            Commissions become payable when their holding period ends.
          </Empty>
        }
      />
      {due.length > 0 && (
        <Form
          page={page}
          does={createPayouts}
          given={{ environment: page.environment, expected_total_cents: String(total) }}
          submit={`Create ${counted(due.length, 'payout')}`}
          kind="main"
          confirm={`Create ${counted(due.length, 'payout')}?`}
        >
          <p class="soft">
            No money moves yet: write a file for the bank, send it, and read what the bank reports.
          </p>
        </Form>
      )}
    </section>
  )
}

const MOVES: Record<string, [move: string, label: string][]> = {
  pending: [
    ['process', 'Sent'],
    ['paid', 'Paid'],
    ['fail', 'Failed'],
    ['cancel', 'Cancel'],
  ],
  processing: [
    ['paid', 'Paid'],
    ['fail', 'Failed'],
  ],
  paid: [['return', 'Came back']],
}
const QUESTIONS: Record<string, string> = {
  paid: 'Has the money arrived? This cannot be undone.',
  return: 'Did the bank send the money back? The amount becomes payable again.',
  fail: 'Mark it as failed? The amount becomes payable again.',
}

function Moves({
  id,
  status,
  approved_by,
  is_being_sent: isBeingSent,
}: {
  id: string
  status: string
  approved_by: string | null
  is_being_sent: boolean
}) {
  return (
    <Group>
      {status === 'pending' && approved_by === null && (
        <Do does={approvePayout} fields={{ id }} label="Approve" about={id} />
      )}
      {(isBeingSent ? [] : (MOVES[status] ?? [])).map(([move, label]) => (
        <Do
          does={movePayout}
          fields={{ id, move }}
          label={label}
          about={id}
          confirm={QUESTIONS[move]}
        />
      ))}
    </Group>
  )
}
