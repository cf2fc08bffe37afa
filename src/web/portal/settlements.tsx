import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { getSettlement } from '../../domain/settlements/get-settlement.ts'
import { listSettlements } from '../../domain/settlements/list-settlements.ts'
import type { StatementView } from '../../domain/settlements/statement.ts'
import { sendCsv } from '../components/csv.ts'
import { toneOf } from '../components/humanize.ts'
import { amounts, Pager, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Day, Empty, Heading, Stats, Status, Timestamp } from '../components/parts.tsx'
import { at } from './choices.ts'
import type { Portal, PortalContext } from './portal.tsx'

type Statement = z.output<typeof StatementView>

/** As many lines stand on a page; the file has all. */
const SHOWN_LINES = 200

/** What the partner owes for each period. */
export function serveSettlements(portal: Portal): void {
  portal.get('/settlements', showSettlements)
  portal.get('/settlements/:id', showSettlement)
  portal.get('/settlements/:id/lines.csv', async (page) => {
    const statement = await portal.read(page, getSettlement, { id: page.params.id })
    return sendCsv(page.reply, statement.id, getSettlement.csv?.(statement) ?? '')
  })

  async function showSettlements(page: PortalContext): Promise<FastifyReply> {
    const { query, base } = page
    const path = `${base}/settlements`
    const [found, problem] = await portal.list(() =>
      portal.read(page, listSettlements, { cursor: query.cursor, limit: 24 }),
    )
    return portal.show(
      page,
      { title: 'Settlements', at: '/settlements', problem },
      <>
        <Heading title="Settlements" />
        <p class="lead">What you collected and owe to the marketplace, by period.</p>
        <Table
          isMain
          caption="Statements, newest first"
          columns={[
            {
              label: 'Period',
              cell: ({ id, ...statement }) => (
                <a href={`${path}/${id}`}>
                  <Period {...statement} />
                </a>
              ),
            },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={status} />,
            },
            {
              label: 'Orders',
              align: 'end',
              cell: ({ order_count }) => order_count.toLocaleString('en-US'),
            },
            amounts('Sold', 'gross_sold_cents'),
            {
              label: 'You keep',
              align: 'end',
              cell: ({ commission_retained_cents, currency }) =>
                amount(commission_retained_cents, currency),
            },
            amounts('You owe', 'amount_owed_cents'),
            amounts('Paid', 'received_cents'),
            {
              label: 'Payment',
              cell: ({ payment_status }) => <Status text={payment_status} />,
            },
          ]}
          rows={found?.settlements}
          empty={<Empty title="No periods yet">The first begins with your first credential.</Empty>}
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showSettlement(page: PortalContext): Promise<FastifyReply> {
    const statement = await portal.read(page, getSettlement, { id: page.params.id })
    const { id, currency, lines, status } = statement
    return portal.show(
      page,
      { title: 'Statement', at: '/settlements' },
      <>
        <Heading title="Statement">
          <Badge tone={toneOf(status)} text={status} />
          <a class="button quiet small" href={`${page.base}/settlements/${id}/lines.csv`} download>
            Download CSV
          </a>
        </Heading>
        <p class="lead">
          <Period {...statement} />
          {status === 'open' && ', which still changes'}
        </p>
        <Stats
          stats={[
            { label: 'Sold', value: amount(statement.gross_sold_cents, currency) },
            { label: 'You keep', value: amount(statement.commission_retained_cents, currency) },
            { label: 'You owe', value: amount(statement.amount_owed_cents, currency) },
            {
              label: 'Paid',
              value: amount(statement.received_cents, currency),
              ...(statement.due_at !== null && { note: `due ${statement.due_at.slice(0, 10)}` }),
            },
            { label: 'Refunded before', value: amount(statement.refunded_cents, currency) },
          ]}
        />
        <Table
          caption="Lines of the statement"
          columns={[
            {
              label: 'Domain',
              cell: ({ public_id, domain }) => (
                <a href={`${page.base}/orders/${public_id}`}>
                  <RowName domain={domain} />
                </a>
              ),
            },
            { label: 'Type', cell: ({ type }) => type },
            {
              label: 'Price',
              align: 'end',
              cell: ({ gross_cents }) => amount(gross_cents, currency),
            },
            {
              label: 'You keep',
              align: 'end',
              cell: ({ commission_cents }) => amount(commission_cents, currency),
            },
            {
              label: 'You owe',
              align: 'end',
              cell: ({ owed_cents }) => amount(owed_cents, currency),
            },
            { label: 'Delivered', cell: ({ completed_at }) => <Timestamp at={at(completed_at)} /> },
          ]}
          rows={lines.slice(0, SHOWN_LINES)}
          empty={<Empty title="No lines yet">Orders appear here once they are delivered.</Empty>}
        />
        {lines.length > SHOWN_LINES && (
          <p class="soft">
            The first {SHOWN_LINES} of {lines.length.toLocaleString('en-US')} lines; the file has
            all.
          </p>
        )}
      </>,
    )
  }
}

function Period({ period_start, period_end }: Pick<Statement, 'period_start' | 'period_end'>) {
  return (
    <>
      <Day at={at(period_start)} /> – {period_end === null ? 'now' : <Day at={at(period_end)} />}
    </>
  )
}
