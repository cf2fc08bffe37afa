import type { FastifyReply } from 'fastify'
import { dateOf } from '../../core/fields.ts'
import { countSessions } from '../../domain/checkout/list-sessions.ts'
import { addUpSales, readSaleDays } from '../../domain/ledger/sale-days.ts'
import { listOrders } from '../../domain/orders/list-orders.ts'
import { readNextPayout } from '../../domain/payouts/next-payout.ts'
import { addUp, readDays } from '../../domain/referrals/referral-days.ts'
import { after, DAY } from '../../lib/clock.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { DayChart, Funnel } from '../components/chart.tsx'
import { counted } from '../components/humanize.ts'
import { amounts, Table } from '../components/list.tsx'
import { axisMoney, money, wholeMoney } from '../components/money.ts'
import { Age, Empty, Heading, Stats, Tabs } from '../components/parts.tsx'
import { orderColumns } from './order-columns.tsx'
import type { Portal, PortalContext } from './portal.tsx'

const SPANS = [30, 90] as const
const LATEST = 5

/** How the partner sells, beside the span of time before: from totals by day, whatever the history. */
export function serveOverview(portal: Portal): void {
  const { db, settings } = portal.app
  portal.get('', showOverview)

  async function showOverview(page: PortalContext): Promise<FastifyReply> {
    const { base, now, partner, query, environment } = page
    const span = SPANS.find((days) => String(days) === query.days) ?? SPANS[0]
    const tomorrow = new Date(dateOf(after(now, DAY)))
    const window = { from: after(tomorrow, -span * DAY), to: tomorrow }
    const [sold, referred, links, { orders }, payout] = await Promise.all([
      readSaleDays(db, partner, { ...window, from: after(window.from, -span * DAY) }),
      readDays(db, partner, window),
      countSessions(db, partner, window.from),
      portal.read(page, listOrders, { limit: LATEST }),
      readNextPayout(db, settings, partner, HOME_CURRENCY, now),
    ])
    const first = dateOf(window.from)
    const sales = sold.filter(({ currency }) => currency === HOME_CURRENCY)
    const total = addUpSales(sales.filter(({ date }) => date >= first))
    const before = addUpSales(sales.filter(({ date }) => date < first))
    const days = Array.from({ length: span }, (_, index) => dateOf(after(window.from, index * DAY)))
    const byDay = new Map(
      days.map((day) => [day, addUpSales(sales.filter(({ date }) => date === day))]),
    )
    const values = (of: 'net_cents' | 'commission_cents') =>
      days.map((day) => byDay.get(day)?.[of] ?? 0)
    const clicks = addUp(referred)
    const dollars = (cents: number) => wholeMoney(cents, HOME_CURRENCY)
    const axis = (cents: number) => axisMoney(cents, HOME_CURRENCY)
    const tab = (each: number) => (each === SPANS[0] ? base : `${base}?days=${each}`)
    const compared = (of: 'net_cents' | 'sales' | 'commission_cents') =>
      comparison(total[of], before[of], span)
    return portal.show(
      page,
      { title: 'Overview', at: '' },
      <>
        <Heading title="Overview" />
        <Tabs
          label="Span of time"
          at={tab(span)}
          tabs={SPANS.map((each) => [tab(each), `${each} days`])}
        />
        <Stats
          stats={[
            {
              label: 'Net sales',
              value: dollars(total.net_cents),
              note: compared('net_cents'),
            },
            {
              label: 'Your commission',
              value: dollars(total.commission_cents),
              note: compared('commission_cents'),
            },
            {
              label: 'Sales',
              value: total.sales.toLocaleString('en-US'),
              note: `${compared('sales')}${total.taken_back > 0 ? `; ${total.taken_back} refunded or cancelled` : ''}`,
            },
            {
              label: 'Balance',
              value: money(payout.balance_cents, HOME_CURRENCY),
              note: 'earned and not yet paid out',
            },
            {
              label: 'Next payout',
              value: money(payout.amount_cents, HOME_CURRENCY),
              note:
                payout.at === null
                  ? 'payable now; the marketplace starts payouts'
                  : `expected on ${dateOf(payout.at)}`,
            },
          ]}
        />
        {total.sales === 0 && <FirstSteps base={base} isSandbox={environment === 'sandbox'} />}
        <div class="columns">
          <DayChart
            title="Net sales by day, in USD"
            days={days}
            kind="bars"
            series={[{ label: 'Net sales', values: values('net_cents') }]}
            format={dollars}
            axisFormat={axis}
          />
          <DayChart
            title="Commission by day, in USD"
            days={days}
            series={[{ label: 'Commission', values: values('commission_cents') }]}
            format={dollars}
            axisFormat={axis}
          />
        </div>
        <h2>Latest orders</h2>
        <Table
          isMain
          caption="Latest orders"
          columns={[
            ...orderColumns(base),
            amounts('Price', 'sale_price_cents'),
            {
              label: 'Age',
              align: 'end',
              cell: ({ created_at }) => <Age at={created_at} now={now} />,
            },
          ]}
          rows={orders}
          empty={<Empty title="No orders yet" />}
        />
        {orders.length > 0 && (
          <p class="more">
            <a href={`${base}/orders`}>All orders</a>
          </p>
        )}
        <div class="columns">
          <Funnel
            title="Tracked links"
            steps={[
              { label: 'Clicks', count: clicks.clicks },
              { label: 'Checkouts', count: clicks.checkouts },
              { label: 'Sales', count: clicks.sales },
            ]}
          />
          <Funnel
            title="Checkout links"
            steps={[
              { label: 'Links made', count: links.made },
              { label: 'Paid', count: links.paid },
            ]}
          />
        </div>
      </>,
    )
  }
}

/** How much more or less it is than in as many days before. */
function comparison(now: number, before: number, span: number): string {
  const than = `than the ${counted(span, 'day')} before`
  if (now === before) return `the same as the ${counted(span, 'day')} before`
  if (before <= 0) return now > 0 ? `more ${than}` : `less ${than}`
  const percent = Math.round(((now - before) / before) * 100)
  return `${Math.abs(percent)} % ${now > before ? 'more' : 'less'} ${than}`
}

function FirstSteps({ base, isSandbox }: { base: string; isSandbox: boolean }) {
  return (
    <section class="panel roomy">
      <h2 class="first">{isSandbox ? 'Your first sale' : 'Going live'}</h2>
      <ol class="steps">
        <li>
          <a href={`${base}/credentials`}>Create a credential</a> and send a signed request. The{' '}
          <a href={`${base}/requests`}>request log</a> shows it at once, and why it was rejected if
          it was.
        </li>
        <li>
          <a href={`${base}/webhook`}>Register a webhook</a> and send it a test event.
        </li>
        <li>
          Take a quote and record a sale: <a href="/docs/guides/first-sale">the guide</a>.
        </li>
        {isSandbox && (
          <li>
            Play the operator with the <a href={`${base}/sandbox`}>sandbox controls</a>, then{' '}
            <a href="/partner/live-access">ask for live access</a>.
          </li>
        )}
      </ol>
    </section>
  )
}
