import { isIP } from 'node:net'
import type { VNode } from 'preact'
import type { findOwnedDomain } from '../../domain/domains/find-owned-domain.ts'
import type { NameDay } from '../../domain/listings/name-days.ts'
import { DayChart } from '../components/chart.tsx'
import { TextArea } from '../components/form.tsx'
import { money } from '../components/money.ts'
import { Badge, Copyable, Day, Facts, Stats, Timestamp } from '../components/parts.tsx'
import { nameLink, State } from '../market/names.tsx'

type OwnedDomain = NonNullable<Awaited<ReturnType<typeof findOwnedDomain>>>

export function domainPath(domain: string): string {
  return `/account/domains/${domain}`
}

/** How a name's host is said to lead to the lander: by an alias of our host, or by our address. */
export interface LanderRecords {
  domain: string
  /** The host of `BASE_URL`. */
  host: string
}

/** One domain of a user's: how it does on the market, and what is said of it there. */
export function DomainPage({
  owned,
  days,
  records,
  isServed,
  problem,
  text,
}: {
  owned: OwnedDomain
  /** Each of the last days, the first day first. */
  days: NameDay[]
  records: LanderRecords
  /** Whether others than this machine can reach landers. */
  isServed: boolean
  problem: string | undefined
  /** The description as it was typed. */
  text: string
}) {
  const { domain, price_cents, currency, is_sold, reserved_until, expires_at } = owned
  const isReserved = reserved_until !== null
  const isForSale = price_cents !== null && currency !== null
  const sum = (of: (day: NameDay) => number) => days.reduce((all, day) => all + of(day), 0)
  const views = (day: NameDay) => day.page_views + day.lander_views
  return (
    <>
      <Facts
        facts={[
          [
            'On the market',
            is_sold ? (
              <Badge tone="info" text="sold, being delivered" />
            ) : isForSale ? (
              <>
                <State state={isReserved ? 'reserved' : 'for_sale'} />{' '}
                {money(price_cents, currency)}
              </>
            ) : (
              'not for sale'
            ),
          ],
          ...(isForSale && isReserved
            ? [['Reserved', <Reservation {...owned} currency={currency} />] as [string, VNode]]
            : []),
          ['Expires', <Day at={expires_at} />],
          ...(isForSale
            ? [['Its page', <a href={nameLink(domain)}>{nameLink(domain)}</a>] as [string, VNode]]
            : []),
        ]}
      />
      {!is_sold && (
        <form method="post" action="/account/domains/review" class="actions">
          <input type="hidden" name="domain" value={domain} />
          <button type="submit" name="action" value="list_for_sale" class="quiet">
            {isForSale ? 'Change the price' : 'Put up for sale'}
          </button>
          {isForSale && !isReserved && (
            <button type="submit" name="action" value="delist" class="quiet">
              Take off the market
            </button>
          )}
        </form>
      )}
      {isForSale && isReserved && (
        <p class="soft">
          It cannot be taken off the market while it is reserved. Another price holds for later
          buyers only.
        </p>
      )}
      <h2>Last 30 days</h2>
      <Stats
        stats={[
          { label: 'Views', value: sum(views).toLocaleString('en-US') },
          {
            label: 'Of these at the name itself',
            value: sum((day) => day.lander_views).toLocaleString('en-US'),
          },
          {
            label: 'Leads',
            value: sum((day) => day.leads).toLocaleString('en-US'),
            note: 'went on to buy or to make an offer',
          },
        ]}
      />
      <DayChart
        title="Views and leads by day"
        days={days.map(({ date }) => date)}
        series={[
          { label: 'Views', values: days.map(views) },
          { label: 'Leads', values: days.map(({ leads }) => leads) },
        ]}
      />
      {isForSale && (
        <>
          <h2 id="description">What buyers read</h2>
          <form method="post" action={`${domainPath(domain)}/description`}>
            <TextArea
              label="Description"
              name="description"
              value={text}
              problem={problem}
              hint="Plain text, at most 2,000 characters, on the name's page and lander. Empty shows none."
              maxlength={2_000}
              rows={5}
            />
            <button type="submit">Save</button>
          </form>
          <h2>Its lander</h2>
          {isServed ? <Records {...records} /> : <NotReachable />}
        </>
      )}
    </>
  )
}

function Reservation({
  reserved_until,
  agreed_cents,
  currency,
}: Pick<OwnedDomain, 'reserved_until' | 'agreed_cents'> & { currency: string }) {
  return (
    <>
      for a buyer
      {agreed_cents !== null && `, at the agreed price of ${money(agreed_cents, currency)}`}, until{' '}
      <Timestamp at={reserved_until} />
    </>
  )
}

function Records({ domain, host }: LanderRecords) {
  return (
    <>
      <p>
        Set these records where the DNS of {domain} is managed. Visitors of {domain} then find its
        price and a way to buy it.
      </p>
      {isIP(host) === 0 ? (
        <>
          <Copyable id="record-alias" text={`${domain}. ALIAS ${host}.`} />
          <Copyable id="record-www" text={`www.${domain}. CNAME ${host}.`} />
          <p class="soft">
            Some providers call ALIAS “ANAME” or “CNAME flattening”. Where there is none, set A and
            AAAA records to the addresses of {host}.
          </p>
        </>
      ) : (
        <Copyable
          id="record-address"
          text={`${domain}. ${isIP(host) === 4 ? 'A' : 'AAAA'} ${host}`}
        />
      )}
    </>
  )
}

function NotReachable() {
  return <p>Landers can be reached once the marketplace runs at a public address.</p>
}
