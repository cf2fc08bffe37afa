import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { stringify } from '../../lib/csv.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import {
  listTransactions,
  PAYMENT_MODELS,
  STATUSES,
} from '../../modules/transactions/list-transactions.ts'
import { Select } from '../pages/form.tsx'
import { addressOf, amounts, Filters, Pager, Table } from '../pages/list.tsx'
import { amount } from '../pages/money.ts'
import { RowName } from '../pages/name.tsx'
import { Badge, Empty, Heading, Moment, Stats } from '../pages/parts.tsx'
import { stateText, toneOf } from '../pages/spoken.ts'
import type { Portal, PortalVisit } from './portal.tsx'
import { SpanFields } from './span-fields.tsx'
import { at, choices } from './words.ts'

type Transactions = z.output<typeof listTransactions.output>

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
  portal.get('/transactions.csv', async (visit) => {
    // Asked for once before anything is sent: a wrong filter is an error page, and no broken file.
    const first = await read(visit, visit.query.cursor)
    return visit.reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="transactions-${visit.environment}.csv"`,
        'cache-control': 'no-store',
      })
      .send(Readable.from(csvLines(visit, first)))
  })

  async function* csvLines(visit: PortalVisit, first: Transactions): AsyncGenerator<string> {
    let found = first
    yield stringify(COLUMNS, found.transactions)
    while (found.next_cursor !== null) {
      found = await read(visit, found.next_cursor)
      const text = stringify(COLUMNS, found.transactions)
      yield text.slice(text.indexOf('\n') + 1)
    }
  }

  function read(visit: PortalVisit, cursor: string | undefined): Promise<Transactions> {
    const { from, to, status, payment_model } = visit.query
    const filter = { from, to, status, payment_model }
    return portal.read(visit, listTransactions, { ...filter, cursor, limit: 100 })
  }

  async function showTransactions(visit: PortalVisit): Promise<FastifyReply> {
    const { query, base } = visit
    const path = `${base}/transactions`
    const [found, problem] = await portal.list(() => read(visit, query.cursor))
    const { cursor: _, ...filter } = query
    const isFiltered = Object.values(filter).some(Boolean)
    return portal.show(
      visit,
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
          <SpanFields query={visit.query} problem={problem} />
        </Filters>
        <Table
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
            { label: 'Made', cell: ({ created_at }) => <Moment at={at(created_at)} /> },
          ]}
          rows={found?.transactions ?? []}
          empty={
            <Empty title={isFiltered ? 'No transaction fits' : 'No sales yet'}>
              {isFiltered ? 'Change the filter, or clear it.' : 'Each sale will stand here.'}
            </Empty>
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }
}
