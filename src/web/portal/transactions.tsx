import type { FastifyReply } from 'fastify'
import {
  listTransactions,
  PAYMENT_MODELS,
  STATUSES,
} from '../../domain/transactions/list-transactions.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { sendCsvList } from '../components/csv.ts'
import { Select } from '../components/form.tsx'
import { stateText, toneOf } from '../components/humanize.ts'
import { addressOf, amounts, Filters, Pager, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Empty, Heading, Stats, Timestamp } from '../components/parts.tsx'
import { at, choices } from './choices.ts'
import { SpanFields } from './filter-fields.tsx'
import type { Portal, PortalContext } from './portal.tsx'

const COLUMNS = [
  'public_id',
  'domain',
  'payment_model',
  'status',
  'amount_cents',
  'commission_cents',
  'currency',
  'created_at',
] as const

/** All sales, however they came, and the same as a file. */
export function serveTransactions(portal: Portal): void {
  portal.get('/transactions', showTransactions)
  portal.get('/transactions.csv', (page) =>
    sendCsvList(page.reply, `transactions-${page.environment}`, COLUMNS, async (cursor) => {
      const { transactions, next_cursor } = await read(page, cursor ?? page.query.cursor)
      return { rows: transactions, next_cursor }
    }),
  )

  function read(page: PortalContext, cursor: string | undefined) {
    const { from, to, status, payment_model } = page.query
    const filter = { from, to, status, payment_model }
    return portal.read(page, listTransactions, { ...filter, cursor, limit: 100 })
  }

  async function showTransactions(page: PortalContext): Promise<FastifyReply> {
    const { query, base } = page
    const path = `${base}/transactions`
    const [found, problem] = await portal.list(() => read(page, query.cursor))
    const { cursor: _, ...filter } = query
    const isFiltered = Object.values(filter).some(Boolean)
    return portal.show(
      page,
      { title: 'Transactions', at: '/transactions', problem },
      <>
        <Heading title="Transactions">
          <a class="button quiet small" href={addressOf(`${path}.csv`, filter)} download>
            Download CSV
          </a>
        </Heading>
        {found && (
          <Stats
            stats={[
              { label: 'Sales', value: found.totals.count.toLocaleString('en-US') },
              { label: 'Sold for', value: amount(found.totals.gmv_cents, HOME_CURRENCY) },
              {
                label: 'Your commission',
                value: amount(found.totals.commission_cents, HOME_CURRENCY),
              },
            ]}
          />
        )}
        <Filters path={path} isSet={isFiltered}>
          <Select
            label="Paid by"
            name="payment_model"
            value={query.payment_model}
            options={choices('Any', PAYMENT_MODELS)}
          />
          <Select
            label="Status"
            name="status"
            value={query.status}
            options={choices('Any', STATUSES)}
          />
          <SpanFields query={page.query} problem={problem} />
        </Filters>
        <Table
          isMain
          caption="Transactions, newest first"
          columns={[
            {
              label: 'Domain',
              cell: ({ public_id, domain, payment_model }) => (
                <a
                  href={`${base}/${payment_model === 'brokerage' ? 'cases' : 'orders'}/${public_id}`}
                >
                  <RowName domain={domain} />
                </a>
              ),
            },
            { label: 'Paid by', cell: ({ payment_model }) => stateText(payment_model) },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={stateText(status)} />,
            },
            amounts('Price', 'amount_cents'),
            amounts('Commission', 'commission_cents'),
            { label: 'Made', cell: ({ created_at }) => <Timestamp at={at(created_at)} /> },
          ]}
          rows={found?.transactions}
          empty={
            <Empty title={isFiltered ? 'No matching transactions' : 'No sales yet'}>
              {isFiltered ? 'Change the filter, or clear it.' : 'Your sales appear here.'}
            </Empty>
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }
}
