import { withULabels } from 'domain-marketplace-domain-names'
import type { ListingsPage } from '../../domain/listings/list-listings.ts'
import type { PriceOp, RegistrationPrice } from '../../domain/registry/price-book.ts'
import type { TldRow, TldSort } from '../../domain/registry/read-tlds.ts'
import type { Tld } from '../../domain/registry/tlds.ts'
import { Field, Select } from '../components/form.tsx'
import { type Column, Filters, Pager, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { Empty } from '../components/parts.tsx'
import { NameList, SaleRow, SearchBox } from './names.tsx'
import { TldFacts } from './registry-facts.tsx'

const PATH = '/tlds'
const SORTS = [
  ['tld', 'By name'],
  ['register', 'Cheapest to register'],
  ['renew', 'Cheapest to renew'],
] as const

type PriceColumn = 'register_cents' | 'renew_cents' | 'transfer_cents' | 'restore_cents'

const COLUMNS: Column<TldRow>[] = [
  {
    label: 'Ends in',
    cell: ({ tld }) => (
      <a href={`${PATH}/${tld}`}>
        <TldName tld={tld} />
      </a>
    ),
  },
  { label: 'Years', align: 'end', cell: ({ years }) => years },
  priced('Register', 'register_cents'),
  priced('Renew', 'renew_cents'),
  priced('Transfer', 'transfer_cents'),
  priced('Restore', 'restore_cents'),
]

function priced(label: string, column: PriceColumn): Column<TldRow> {
  return {
    label,
    align: 'end',
    cell: (row) => {
      const cents = row[column]
      return cents === null ? '–' : money(cents, row.currency)
    },
  }
}

function TldName({ tld }: { tld: string }) {
  const shown = withULabels(tld)
  return (
    <>
      .{shown}
      {shown !== tld && <small class="a-label">.{tld}</small>}
    </>
  )
}

/** The price book, for everybody. */
export function Tlds({
  q,
  sort,
  cursor,
  rows,
  next,
}: {
  q: string
  sort: TldSort
  cursor: string | undefined
  rows: TldRow[]
  next: string | null
}) {
  return (
    <>
      <h1>What registrations cost</h1>
      <p class="lead">For each kind of name, and for the fewest years that its registry sells.</p>
      <Filters path={PATH} isSet={q !== '' || sort !== 'tld'}>
        <Field label="Ends in" name="q" type="search" value={q} maxlength={80} placeholder="com" />
        <Select label="Order" name="sort" value={sort} options={SORTS} />
      </Filters>
      <Table
        caption="Prices by top-level domain"
        columns={COLUMNS}
        rows={rows}
        empty={
          <Empty title="None that we know of">
            <p>
              Nothing that can be registered ends like that. <a href={PATH}>Show all</a>
            </p>
          </Empty>
        }
      />
      <Pager path={PATH} query={{ q, sort, cursor }} next={next} />
    </>
  )
}

/** All about one top-level domain, and what is for sale on it. */
export function TldPage({
  tld,
  prices,
  names,
  reserved,
}: {
  tld: Tld
  prices: Record<PriceOp, RegistrationPrice | null>
  names: ListingsPage
  /** Of these, the ones that somebody else is about to buy. */
  reserved: ReadonlySet<string>
}) {
  return (
    <>
      <h1 class="display">
        <TldName tld={tld.tld} />
      </h1>
      <div class="columns">
        <section aria-labelledby="facts">
          <h2 id="facts">Prices and rules</h2>
          <div class="panel">
            <TldFacts tld={tld} prices={prices} />
          </div>
        </section>
        <section aria-labelledby="sale">
          <h2 id="sale">For sale here</h2>
          {names.items.length === 0 ? (
            <div class="panel">
              <Empty title={`No .${tld.tld} is for sale just now`}>
                <p>A name may still be free:</p>
                <SearchBox />
              </Empty>
            </div>
          ) : (
            <>
              <NameList label="For sale here">
                {names.items.map((item) => (
                  <SaleRow
                    domain={item.domain}
                    price={item}
                    isReserved={reserved.has(item.domain)}
                  />
                ))}
              </NameList>
              <p class="all">
                <a href={`/browse?tld=${tld.tld}`}>All of them</a>
              </p>
            </>
          )}
        </section>
      </div>
      <p class="aside">
        <a href={PATH}>All top-level domains</a>
      </p>
    </>
  )
}
