import { READERS } from '../../core/roles.ts'
import { shownCount, showOverview } from '../../http/admin/overview.ts'
import { DayChart } from '../components/chart.tsx'
import { axisMoney, wholeMoney } from '../components/money.ts'
import { Empty, Heading, Stats, Tabs } from '../components/parts.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { EnvironmentTabs } from './parts.tsx'

const DAYS = 30

/** What needs attention, and how the business goes. */
export const home: ConsolePage = {
  path: '/operator',
  roles: READERS,
  title: 'Overview',
  async render(page) {
    const { environment, query } = page
    const { waiting, sales, currency, currencies } = await page.read(showOverview, {
      environment,
      days: DAYS,
      currency: query.currency,
    })
    const inCurrency = (code: string) => page.href('/operator', { currency: code })
    const text = (cents: number) => wholeMoney(cents, currency)
    const orders = sales.reduce((sum, { order_count }) => sum + order_count, 0)
    const gross = sales.reduce((sum, { gross_cents }) => sum + gross_cents, 0)
    const days = sales.map(({ date }) => date)
    return {
      title: 'Overview',
      environment,
      body: (
        <>
          <Heading title="Overview" />
          <EnvironmentTabs page={page} path="/operator" />
          <Waiting page={page} waiting={waiting} />
          <Stats
            stats={[
              { label: `Sold in ${DAYS} days`, value: text(gross) },
              { label: `Sales in ${DAYS} days`, value: orders.toLocaleString('en-US') },
              { label: 'Transfers in progress', value: shownCount(waiting.in_progress) },
              { label: 'Open cases', value: shownCount(waiting.cases_running) },
            ]}
          />
          {currencies.length > 1 && (
            <Tabs
              label="Currency"
              at={inCurrency(currency)}
              tabs={currencies.map((code) => [inCurrency(code), code])}
            />
          )}
          <div class="columns">
            <DayChart
              title={`Sold by day, in ${currency}`}
              days={days}
              series={[{ label: 'Sold', values: sales.map(({ gross_cents }) => gross_cents) }]}
              format={text}
              axisFormat={(cents) => axisMoney(cents, currency)}
            />
            <DayChart
              title="Sales by day"
              kind="bars"
              days={days}
              series={[{ label: 'Sales', values: sales.map(({ order_count }) => order_count) }]}
            />
          </div>
        </>
      ),
    }
  },
}

type Counts = Awaited<ReturnType<typeof showOverview.handler>>['waiting']

/** How many of what, of one and of several, and where it is done. */
type Task = [count: number, one: string, many: string, path: string, query?: Record<string, string>]

function Waiting({ page, waiting }: { page: ConsoleContext; waiting: Counts }) {
  const tasks: Task[] = [
    [waiting.review, 'order to review', 'orders to review', '/operator/review'],
    [waiting.to_start, 'transfer to start', 'transfers to start', '/operator/transfers'],
    [
      waiting.action_required,
      'transfer waits for its buyer',
      'transfers wait for their buyers',
      '/operator/transfers',
      { view: 'started' },
    ],
    [
      waiting.transfers_stalled,
      'transfer stalled',
      'transfers stalled',
      '/operator/transfers',
      { view: 'started' },
    ],
    [
      waiting.cases_unassigned,
      'case without a broker',
      'cases without a broker',
      '/operator/cases',
    ],
    [waiting.offers_waiting, 'offer to respond to', 'offers to respond to', '/operator/offers'],
    [
      waiting.operations_by_hand,
      'operation to do at a registrar',
      'operations to do at registrars',
      '/operator/registrars/operations',
      { status: 'queued' },
    ],
    [
      waiting.operations_failed,
      'operation failed at a registrar in the last day',
      'operations failed at registrars in the last day',
      '/operator/registrars/operations',
      { status: 'failed' },
    ],
    [waiting.refunds_failed, 'refund failed', 'refunds failed', '/operator/payments'],
    [
      waiting.captures_failed,
      'charge for renewals not captured',
      'charges for renewals not captured',
      '/operator/payments/uncaptured',
    ],
    [
      waiting.disputes,
      'dispute to respond to',
      'disputes to respond to',
      '/operator/disputes',
      { status: 'needs_response' },
    ],
    [
      waiting.live_requests,
      'request for live access',
      'requests for live access',
      '/operator/live-requests',
    ],
    [
      waiting.payouts_pending,
      'payout to send',
      'payouts to send',
      '/operator/payouts',
      { status: 'pending' },
    ],
    [
      waiting.payouts_processing,
      'payout in progress',
      'payouts in progress',
      '/operator/payouts',
      { status: 'processing' },
    ],
    [
      waiting.payouts_failed,
      'payout failed in the last day',
      'payouts failed in the last day',
      '/operator/payouts',
      { status: 'failed' },
    ],
    [
      waiting.statements_overdue,
      'statement overdue',
      'statements overdue',
      '/operator/settlements',
    ],
    [waiting.owed, 'commission balance to pay', 'commission balances to pay', '/operator/payouts'],
    [
      waiting.endpoints_failing,
      'failing webhook endpoint',
      'failing webhook endpoints',
      '/operator/webhooks',
      { view: 'failing' },
    ],
    [
      waiting.endpoints_off,
      'webhook endpoint switched off',
      'webhook endpoints switched off',
      '/operator/webhooks',
      { view: 'off' },
    ],
    [
      waiting.mails_stuck,
      'mail not sent',
      'mails not sent',
      '/operator/mails',
      { view: 'failing' },
    ],
    [
      waiting.mails_undeliverable,
      'undeliverable mail',
      'undeliverable mails',
      '/operator/mails',
      { view: 'undeliverable' },
    ],
    [
      waiting.imports_failed,
      'import failed in the last day',
      'imports failed in the last day',
      '/operator/imports',
    ],
    [waiting.jobs_failed, 'job failed', 'jobs failed', '/operator/jobs'],
    [waiting.jobs_overdue, 'job overdue', 'jobs overdue', '/operator/jobs'],
  ]
  const due = tasks.filter(([count]) => count > 0)
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">What needs attention</h2>
      {due.length === 0 ? (
        <div class="panel">
          <Empty title="Nothing needs attention">
            Orders to review, transfers to start and failures appear here.
          </Empty>
        </div>
      ) : (
        <ul class="tasks">
          {due.map(([count, one, many, path, query]) => (
            <li>
              <a href={page.href(path, query)}>
                <strong>{shownCount(count)}</strong> {count === 1 ? one : many}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
