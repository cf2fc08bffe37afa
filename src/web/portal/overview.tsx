import type { FastifyReply } from 'fastify'
import { dateOf } from '../../core/fields.ts'
import { countSessions } from '../../domain/checkout/list-sessions.ts'
import { addUpSales, readSaleDays } from '../../domain/ledger/sale-days.ts'
import { addUp, readDays } from '../../domain/referrals/referral-days.ts'
import { after, DAY } from '../../lib/clock.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { DayChart, Funnel } from '../components/chart.tsx'
import { amount, axisMoney, wholeMoney } from '../components/money.ts'
import { Heading, Stats, Tabs } from '../components/parts.tsx'
import type { Portal, PortalContext } from './portal.tsx'

const SPANS = [30, 90] as const

/** How the partner sells: from totals by day, whatever the history. */
export function serveOverview(portal: Portal): void {
  const { db } = portal.app
  portal.get('', showOverview)

  async function showOverview(page: PortalContext): Promise<FastifyReply> {
    const { base, now, partner, query, environment } = page
    const span = SPANS.find((days) => String(days) === query.days) ?? SPANS[0]
    const tomorrow = new Date(dateOf(after(now, DAY)))
    const window = { from: after(tomorrow, -span * DAY), to: tomorrow }
    const [sold, referred, links] = await Promise.all([
      readSaleDays(db, partner, window),
      readDays(db, partner, window),
      countSessions(db, partner, window.from),
    ])
    const sales = sold.filter(({ currency }) => currency === HOME_CURRENCY)
    const days = Array.from({ length: span }, (_, index) => dateOf(after(window.from, index * DAY)))
    const byDay = new Map(
      days.map((day) => [day, addUpSales(sales.filter(({ date }) => date === day))]),
    )
    const values = (of: 'sales' | 'gmv_cents' | 'commission_cents') =>
      days.map((day) => byDay.get(day)?.[of] ?? 0)
    const total = addUpSales(sales)
    const clicks = addUp(referred)
    const dollars = (cents: number) => wholeMoney(cents, HOME_CURRENCY)
    const axis = (cents: number) => axisMoney(cents, HOME_CURRENCY)
    const tab = (each: number) => (each === SPANS[0] ? base : `${base}?days=${each}`)
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
            { label: 'Sales', value: total.sales.toLocaleString('en-US') },
            {
              label: 'Sold for',
              value: amount(total.gmv_cents, HOME_CURRENCY),
              note: 'with what was taken back',
            },
            {
              label: 'Your commission',
              value: amount(total.commission_cents, HOME_CURRENCY),
              note: 'without what was taken back',
            },
            { label: 'Taken back', value: total.taken_back.toLocaleString('en-US') },
          ]}
        />
        {total.sales === 0 && <FirstSteps base={base} isSandbox={environment === 'sandbox'} />}
        <div class="columns">
          <DayChart
            title="Sold by day, in USD"
            days={days}
            kind="bars"
            series={[{ label: 'Sold', values: values('gmv_cents') }]}
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

function FirstSteps({ base, isSandbox }: { base: string; isSandbox: boolean }) {
  return (
    <section class="panel roomy">
      <h2 class="first">{isSandbox ? 'Your first sale' : 'Going live'}</h2>
      <ol class="steps">
        <li>
          <a href={`${base}/credentials`}>Make a credential</a> and send a signed request; the{' '}
          <a href={`${base}/requests`}>request log</a> shows it immediately, and why it was
          rejected.
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
