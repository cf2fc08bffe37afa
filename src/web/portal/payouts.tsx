import type { FastifyReply } from 'fastify'
import { getPayout, listPayouts } from '../../domain/payouts/list-payouts.ts'
import { PAYOUT_STATUSES, PayoutView } from '../../domain/payouts/payout.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { sendCsvList } from '../components/csv.ts'
import { Select } from '../components/form.tsx'
import { stateText, toneOf } from '../components/humanize.ts'
import { addressOf, amounts, Filters, Pager, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Badge, Day, Empty, Facts, Heading, Id, Stats } from '../components/parts.tsx'
import { at, choices } from './choices.ts'
import type { Portal, PortalContext } from './portal.tsx'

const COLUMNS = PayoutView.keyof().options

/** What the marketplace pays the partner. */
export function servePayouts(portal: Portal): void {
  portal.get('/payouts', showPayouts)
  portal.get('/payouts.csv', (page) =>
    sendCsvList(page.reply, `payouts-${page.environment}`, COLUMNS, async (cursor) => {
      const { payouts, next_cursor } = await read(page, cursor ?? page.query.cursor)
      return { rows: payouts, next_cursor }
    }),
  )
  portal.get('/payouts/:id', showPayout)

  function read(page: PortalContext, cursor: string | undefined) {
    return portal.read(page, listPayouts, { status: page.query.status, cursor, limit: 50 })
  }

  async function showPayouts(page: PortalContext): Promise<FastifyReply> {
    const { query, base } = page
    const path = `${base}/payouts`
    const [found, problem] = await portal.list(() => read(page, query.cursor))
    return portal.show(
      page,
      { title: 'Payouts', at: '/payouts', problem },
      <>
        <Heading title="Payouts">
          <a
            class="button quiet small"
            href={addressOf(`${path}.csv`, { status: query.status })}
            download
          >
            Download CSV
          </a>
        </Heading>
        {found && (
          <Stats
            stats={[{ label: 'Paid so far', value: amount(found.total_paid_cents, HOME_CURRENCY) }]}
          />
        )}
        <Filters path={path} isSet={query.status !== undefined}>
          <Select
            label="Status"
            name="status"
            value={query.status}
            options={choices('Any', PAYOUT_STATUSES)}
          />
        </Filters>
        <Table
          isMain
          caption="Payouts, newest first"
          columns={[
            {
              label: 'Payout',
              cell: ({ id }) => <Id id={id} href={`${path}/${id}`} />,
            },
            { label: 'Earned by', cell: ({ kind }) => stateText(kind) },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={status} />,
            },
            amounts('Amount', 'amount_cents'),
            { label: 'Made', cell: ({ created_at }) => <Day at={at(created_at)} /> },
            { label: 'Paid', cell: ({ paid_at }) => <Day at={at(paid_at)} /> },
          ]}
          rows={found?.payouts}
          empty={
            query.status === undefined ? (
              <Empty title="No payouts yet">
                Commissions on payments that the marketplace collected are paid out once they are
                payable.
              </Empty>
            ) : (
              <Empty title="No matching payouts">Change the filter, or clear it.</Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showPayout(page: PortalContext): Promise<FastifyReply> {
    const payout = await portal.read(page, getPayout, { id: page.params.id })
    return portal.show(
      page,
      { title: 'Payout', at: '/payouts' },
      <>
        <Heading title={`Payout of ${amount(payout.amount_cents, payout.currency)}`}>
          <Badge tone={toneOf(payout.status)} text={payout.status} />
        </Heading>
        <section class="panel roomy">
          <Facts
            facts={[
              ['Payout', <Id id={payout.id} />],
              ['Earned by', stateText(payout.kind)],
              ['Made', <Day at={at(payout.created_at)} />],
              ['Paid', <Day at={at(payout.paid_at)} />],
            ]}
          />
        </section>
        <h2>What it pays</h2>
        <Table
          caption="Commission entries of the payout"
          columns={[
            {
              label: 'Sale',
              cell: ({ sale_id }) => (
                <a
                  href={`${page.base}/${sale_id.startsWith('case_') ? 'cases' : 'orders'}/${sale_id}`}
                >
                  {sale_id}
                </a>
              ),
            },
            { label: 'Type', cell: ({ type }) => stateText(type) },
            amounts('Amount', 'amount_cents'),
            { label: 'Entered', cell: ({ created_at }) => <Day at={at(created_at)} /> },
          ]}
          rows={payout.lines}
          empty={<Empty title="No lines" />}
        />
      </>,
    )
  }
}
