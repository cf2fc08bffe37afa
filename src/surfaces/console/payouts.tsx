import { partnerNames } from '../../modules/partners/partner.ts'
import { listAllPayouts } from '../../modules/payouts/operate-payouts.ts'
import { PAYOUT_STATUSES } from '../../modules/payouts/payout.ts'
import { previewPayouts } from '../../modules/payouts/preview-payouts.ts'
import { sendCsvList } from '../pages/csv.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { Badge, Empty, Heading } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import {
  Amount,
  At,
  Do,
  EnvironmentTabs,
  Form,
  Group,
  Kept,
  PartnerLink,
  Status,
} from './parts.tsx'

type Payout = Awaited<ReturnType<typeof listAllPayouts.handler>>['payouts'][number]
type Preview = Awaited<ReturnType<typeof previewPayouts.handler>>['payouts']
type Names = ReadonlyMap<string, string>

const PATH = '/operator/payouts'
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

/** What the house pays its partners: the next batch before it is made, and every payout. */
export function payoutPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { environment, query } = look
    const { status, partner_id, cursor } = query
    const [preview, { payouts, next_cursor }] = await Promise.all([
      look.read(previewPayouts, { environment }),
      look.read(listAllPayouts, { environment, status, partner_id, cursor }),
    ])
    const names = await partnerNames(
      look.house.db,
      [...preview.payouts, ...payouts].map(({ partner_id }) => partner_id),
    )
    const isSet = status !== undefined || partner_id !== undefined
    return {
      title: 'Payouts',
      at: PATH,
      body: (
        <>
          <Heading title="Payouts">
            <a
              class="button quiet"
              href={look.href(`${PATH}.csv`, { status: status ?? 'pending', partner_id })}
            >
              CSV for the bank
            </a>
          </Heading>
          <EnvironmentTabs look={look} path={PATH} />
          <NextBatch look={look} preview={preview.payouts} names={names} />
          <h2>All payouts</h2>
          <Filters path={look.href(PATH)} isSet={isSet}>
            <Kept look={look} />
            <Select
              label="Status"
              name="status"
              value={status}
              options={[
                ['', 'Any'],
                ...PAYOUT_STATUSES.map((each): [string, string] => [each, each]),
              ]}
            />
            <Field label="Partner" name="partner_id" value={partner_id} placeholder="prt_…" />
          </Filters>
          <Table
            caption="Payouts"
            rows={payouts}
            columns={[
              {
                label: 'Payout',
                cell: ({ id, reason }) => (
                  <Group>
                    <code>{id}</code>
                    {reason !== null && <span class="soft"> {reason}</span>}
                  </Group>
                ),
              },
              {
                label: 'Partner',
                cell: ({ partner_id }) => <PartnerLink look={look} id={partner_id} names={names} />,
              },
              { label: 'Status', cell: (payout) => <Status text={payout.status} /> },
              {
                label: 'Amount',
                align: 'end',
                cell: ({ amount_cents, currency }) => (
                  <Amount cents={amount_cents} currency={currency} />
                ),
              },
              { label: 'Made', cell: ({ created_at }) => <At at={created_at} /> },
              { label: 'Next', cell: (payout) => <Moves payout={payout} /> },
            ]}
            empty={
              <Empty title={isSet ? 'No payout fits' : 'No payout has been made'}>
                A batch pays what is payable now.
              </Empty>
            }
          />
          <Pager path={PATH} query={query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.file(`${PATH}.csv`, (look) =>
    sendCsvList(look.reply, 'payouts', COLUMNS, async (cursor) => {
      const { environment, query } = look
      const { status, partner_id } = query
      const filters = { environment, status, partner_id, limit: 100, cursor }
      const { payouts, next_cursor } = await look.read(listAllPayouts, filters)
      const names = await partnerNames(
        look.house.db,
        payouts.map((payout) => payout.partner_id),
      )
      const rows = payouts.map((payout) => ({
        ...payout,
        partner_name: names.get(payout.partner_id) ?? '',
      }))
      return { rows, next_cursor }
    }),
  )
}

function NextBatch({ look, preview, names }: { look: Look; preview: Preview; names: Names }) {
  const due = preview.filter(({ reaches }) => reaches)
  const total = due.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  return (
    <section aria-labelledby="batch">
      <h2 id="batch">A batch now would pay</h2>
      <Table
        caption="Payouts that a batch would make"
        rows={preview}
        columns={[
          {
            label: 'Partner',
            cell: ({ partner_id }) => <PartnerLink look={look} id={partner_id} names={names} />,
          },
          { label: 'For', cell: ({ kind }) => (kind === 'brokerage' ? 'brokerage' : 'sales') },
          { label: 'Commissions', align: 'end', cell: ({ line_count }) => line_count },
          {
            label: 'Amount',
            align: 'end',
            cell: ({ amount_cents, currency }) => (
              <Amount cents={amount_cents} currency={currency} />
            ),
          },
          {
            label: 'Paid now',
            cell: ({ reaches, suspended }) => {
              if (suspended) return <Badge tone="warn" text="kept back: suspended" />
              return reaches ? <Badge tone="good" text="yes" /> : <Badge text="waits for more" />
            },
          },
        ]}
        empty={
          <Empty title="Nothing is payable">
            Commissions become payable when their holding period is over.
          </Empty>
        }
      />
      {due.length > 0 && (
        <Form
          does="create_payouts"
          fields={{ environment: look.environment, expected_total_cents: String(total) }}
          confirm={`Make ${due.length} payouts?`}
        >
          <button type="submit" class="main">
            Make {due.length === 1 ? 'this payout' : `these ${due.length} payouts`}
          </button>
          <p class="soft">
            Nothing leaves the bank yet: take the CSV there, then mark each as paid or failed.
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
}

function Moves({ payout: { id, status } }: { payout: Payout }) {
  return (
    <Group>
      {(MOVES[status] ?? []).map(([move, label]) => (
        <Do
          does="move_payout"
          fields={{ id, move }}
          label={label}
          about={id}
          {...(move === 'paid' && { confirm: 'Has it arrived? This cannot be taken back.' })}
          {...(move === 'fail' && { confirm: 'The amount becomes payable again. Go on?' })}
        />
      ))}
    </Group>
  )
}
