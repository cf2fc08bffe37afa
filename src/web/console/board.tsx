import { CASE_READERS } from '../../core/roles.ts'
import { listAllCases } from '../../domain/brokerage/operate-case.ts'
import { RUNNING } from '../../domain/brokerage/status.ts'
import { domain, money, status, text, time } from '../components/columns.tsx'
import { stateText } from '../components/humanize.ts'
import { amount } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Age, Heading, Tabs } from '../components/parts.tsx'
import { casePage } from './case-page.tsx'
import { listPage } from './list-page.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { EnvironmentTabs } from './parts.tsx'

const PATH = '/operator/cases'
const LIST = `${PATH}/list`
const IN_COLUMN = 20

type Summary = Awaited<ReturnType<typeof listAllCases.handler>>['cases'][number]

/** All brokerage cases as a list. */
const cases = listPage({
  path: LIST,
  title: 'Brokerage cases',
  operation: listAllCases,
  rows: 'cases',
  filters: { domain: 'Domain', status: 'Status', assignee: 'Broker' },
  above: (page) => <Views page={page} at={page.href(LIST)} />,
  empty: ['No cases yet', 'Partners open cases for domains that are not for sale.'],
  columns: (page) => [
    domain(({ case_id }) => page.href(`${PATH}/${case_id}`)),
    status('Status', 'status'),
    text('Broker', 'assignee'),
    text('Buyer', 'buyer_email'),
    money('Budget', 'budget'),
    money('Price', 'price_cents'),
    time('Opened', 'created_at'),
  ],
})

/** Running cases by how far they are. */
export const board: ConsolePage = {
  path: PATH,
  roles: CASE_READERS,
  title: 'Brokerage',
  waiting: (counts) => counts.cases_unassigned,
  below: [cases, casePage],
  async render(page) {
    const { environment, query } = page
    const { assignee } = query
    const columns = await Promise.all(
      RUNNING.map(async (status) => {
        const filters = { environment, status, assignee, limit: IN_COLUMN }
        return { status, ...(await page.read(listAllCases, filters)) }
      }),
    )
    return {
      title: 'Brokerage',
      environment,
      body: (
        <>
          <Heading title="Brokerage" />
          <EnvironmentTabs page={page} path={PATH} />
          <Views page={page} at={page.href(PATH, { assignee })} />
          <div class="board">
            {columns.map(({ status, cases, next_cursor }) => (
              <section aria-labelledby={`column-${status}`}>
                <h2 id={`column-${status}`}>
                  {stateText(status)} <span class="count">{cases.length}</span>
                </h2>
                {cases.length === 0 && <p class="soft">No cases</p>}
                {cases.map((row) => (
                  <Card page={page} row={row} />
                ))}
                {next_cursor !== null && (
                  <a href={page.href(LIST, { status, assignee })}>Show all</a>
                )}
              </section>
            ))}
          </div>
        </>
      ),
    }
  },
}

function Views({ page, at }: { page: ConsoleContext; at: string }) {
  return (
    <Tabs
      label="Cases"
      at={at}
      tabs={[
        [page.href(PATH), 'Board'],
        [page.href(PATH, { assignee: page.session.user.email }), 'Mine'],
        [page.href(LIST), 'All'],
      ]}
    />
  )
}

function Card({ page, row }: { page: ConsoleContext; row: Summary }) {
  return (
    <a class="ticket" href={page.href(`${PATH}/${row.case_id}`)}>
      <strong>
        <RowName domain={row.domain} />
      </strong>
      <span>{amount(row.price_cents ?? row.budget, row.currency)}</span>
      <span class="soft">{row.assignee ?? 'unassigned'}</span>
      <span class="soft">
        <Age at={row.updated_at} now={page.now} /> in this state
      </span>
    </a>
  )
}
