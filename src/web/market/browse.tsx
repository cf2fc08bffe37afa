import type { ListingsPage } from '../../domain/listings/list-listings.ts'
import type { MarketSort } from '../../domain/listings/market.ts'
import { Field, Select } from '../components/form.tsx'
import { addressOf, Filters, Pager } from '../components/list.tsx'
import { Empty, Heading } from '../components/parts.tsx'
import { NameList, PriceHint, SaleRow } from './names.tsx'

/** The filters as they were typed. */
export interface BrowseFields {
  q: string | undefined
  tld: string | undefined
  min: string | undefined
  max: string | undefined
  length: string | undefined
  sort: MarketSort
  cursor: string | undefined
}

const PATH = '/browse'
const SORTS = [
  ['newest', 'Newest first'],
  ['price_asc', 'Lowest price first'],
  ['price_desc', 'Highest price first'],
] as const
const LENGTHS = ['4', '6', '8', '10', '15'].map(
  (length) => [length, `${length} or fewer`] as [string, string],
)
/** Beyond it a count says only that there are many. */
const COUNTED = 10_000

export function Browse({
  fields,
  page,
  reserved,
  problems,
  mayFilterPrices,
}: {
  fields: BrowseFields
  /** Null while the filters are not right. */
  page: ListingsPage | null
  /** Of its names, those that somebody else is about to buy. */
  reserved: ReadonlySet<string>
  problems: Partial<Record<keyof BrowseFields, string>>
  mayFilterPrices: boolean
}) {
  const { q, tld, min, max, length, sort } = fields
  const isSet = [q, tld, min, max, length].some((value) => value !== undefined)
  const here = addressOf(PATH, { q, tld, length, sort })
  return (
    <>
      <Heading title="Names for sale">{page && <Count total={page.page.total} />}</Heading>
      <Filters path={PATH} isSet={isSet || sort !== 'newest'}>
        <Field
          label="Words"
          name="q"
          type="search"
          value={q}
          maxlength={100}
          problem={problems.q}
        />
        <Field
          label="Ends in"
          name="tld"
          value={tld}
          maxlength={80}
          placeholder="com"
          problem={problems.tld}
        />
        <Select
          label="Characters"
          name="length"
          value={length}
          problem={problems.length}
          options={[['', 'Any number'], ...LENGTHS]}
        />
        {mayFilterPrices && (
          <>
            <Amount label="From, in USD" name="min" value={min} problem={problems.min} />
            <Amount label="Up to, in USD" name="max" value={max} problem={problems.max} />
          </>
        )}
        <Select label="Order" name="sort" value={sort} options={SORTS} />
      </Filters>
      {!mayFilterPrices && <PriceHint next={here} />}
      {page && (
        <>
          {page.items.length === 0 ? (
            <div class="panel">
              <Empty title="No name fits">
                <p>
                  {isSet ? (
                    <>
                      Use fewer or shorter words, or <a href={PATH}>show all names</a>. A{' '}
                      <a href={addressOf('/search', { q: q ?? 'names' })}>search by meaning</a> may
                      find more.
                    </>
                  ) : (
                    'Nothing is for sale at the moment. Search for a name: its owner may sell.'
                  )}
                </p>
              </Empty>
            </div>
          ) : (
            <NameList label="Names for sale">
              {page.items.map((item) => (
                <SaleRow domain={item.domain} price={item} isReserved={reserved.has(item.domain)} />
              ))}
            </NameList>
          )}
          <Pager path={PATH} query={{ ...fields }} next={page.page.next_cursor} />
        </>
      )}
    </>
  )
}

function Amount(props: {
  label: string
  name: string
  value: string | undefined
  problem: string | undefined
}) {
  return <Field {...props} inputmode="decimal" maxlength={14} />
}

function Count({ total }: { total: number }) {
  const many = total > COUNTED
  return (
    <span class="soft">
      {many ? `more than ${COUNTED.toLocaleString('en-US')}` : total.toLocaleString('en-US')}
      {total === 1 ? ' name' : ' names'}
    </span>
  )
}
