import type { OwnedDomainFilter, OwnedDomainRow } from '../../domain/domains/list-owned-domains.ts'
import { Check, Field, Select } from '../components/form.tsx'
import { type Column, Filters, Pager, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Day, Empty } from '../components/parts.tsx'
import { State } from '../market/names.tsx'
import { ACCOUNT } from './account-page.tsx'
import { ACTIONS } from './actions.ts'
import { domainPath } from './domain-page.tsx'
import { ForSaleRecords } from './for-sale-records.tsx'

const FILTERS: Record<OwnedDomainFilter, string> = {
  all: 'All',
  expiring: 'Expire within 30 days',
  unlocked: 'Not locked',
  not_renewing: 'Do not renew themselves',
  for_sale: 'For sale',
}

export interface ListFields {
  q: string
  filter: OwnedDomainFilter
  cursor: string | undefined
}

const COLUMNS: Column<OwnedDomainRow>[] = [
  {
    label: 'Domain',
    cell: ({ domain, is_sold }) => (
      <label class="pick">
        {is_sold ? (
          <input type="checkbox" disabled />
        ) : (
          <input type="checkbox" name="domain" value={domain} />
        )}
        <span>
          <RowName domain={domain} />
        </span>
      </label>
    ),
  },
  {
    label: 'Page',
    cell: ({ domain }) => (
      <a aria-label={`Details of ${domain}`} href={domainPath(domain)}>
        Details
      </a>
    ),
  },
  { label: 'Expires', cell: ({ expires_at }) => <Day at={expires_at} /> },
  {
    label: 'Settings',
    cell: ({ locked, auto_renew, privacy }) => (
      <span class="badges">
        {!locked && <Badge tone="warn" text="unlocked" />}
        {auto_renew ? <Badge text="renews itself" /> : <Badge text="renewed by hand" />}
        {!privacy && <Badge text="public WHOIS" />}
      </span>
    ),
  },
  {
    label: 'Name servers',
    cell: ({ nameservers: [first, ...more] }) =>
      first === undefined ? '–' : `${first}${more.length > 0 ? ` +${more.length}` : ''}`,
  },
  {
    label: 'For sale',
    align: 'end',
    cell: ({ price_cents, currency, is_sold, reserved_until }) => {
      if (is_sold) return <Badge tone="info" text="sold, being delivered" />
      if (price_cents === null || currency === null) return '–'
      return (
        <>
          {reserved_until !== null && <State state="reserved" />} {money(price_cents, currency)}
        </>
      )
    },
  },
]

/** A user's domains, and what to do with those that are chosen. */
export function Domains({
  fields,
  rows,
  total,
  next,
  baseUrl,
}: {
  fields: ListFields
  rows: OwnedDomainRow[]
  /** As it is said: `1,000+` beyond what is counted. */
  total: string
  next: string | null
  baseUrl: string
}) {
  const { q, filter } = fields
  const isSet = q !== '' || filter !== 'all'
  return (
    <>
      <Filters path={ACCOUNT} isSet={isSet}>
        <Field label="Name" name="q" type="search" value={q} maxlength={253} />
        <Select label="Show" name="filter" value={filter} options={Object.entries(FILTERS)} />
      </Filters>
      <form method="post" action="/account/domains/review" class="bulk">
        <input type="hidden" name="q" value={q} />
        <input type="hidden" name="filter" value={filter} />
        <Table
          isMain
          caption="Your domains"
          columns={COLUMNS}
          rows={rows}
          empty={
            isSet ? (
              <Empty title="No matching domains">
                <p>
                  <a href={ACCOUNT}>Show all</a>
                </p>
              </Empty>
            ) : (
              <Empty title="No domains yet">
                <p>
                  <a href="/account/claims">Add domains that you own</a>,{' '}
                  <a href="/browse">browse what is for sale</a>, or{' '}
                  <a href="/">search for a name</a>.
                </p>
              </Empty>
            )
          }
        />
        {rows.length > 0 && (
          <div class="bulk-bar">
            <button type="button" class="quiet" data-select="domain" hidden>
              Choose all here
            </button>
            {next !== null || fields.cursor !== undefined ? (
              <Check name="all" label={`All ${total} that this list has`} />
            ) : null}
            <Select
              label="With the chosen domains"
              name="action"
              options={Object.entries(ACTIONS).map(([name, { label }]) => [name, label])}
            />
            <button type="submit">Continue</button>
          </div>
        )}
      </form>
      <Pager path={ACCOUNT} query={{ ...fields }} next={next} />
      <ForSaleRecords
        rows={rows.filter((row) => row.price_cents !== null && !row.is_delegated)}
        baseUrl={baseUrl}
      />
    </>
  )
}
