import { listAllListings } from '../../modules/inventory/list-all-listings.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { RowName } from '../pages/name.tsx'
import { Badge, Empty, Heading } from '../pages/parts.tsx'
import type { Desk } from './desk.tsx'
import { Amount, At, EnvironmentTabs, Group, Kept, Status } from './parts.tsx'

const PATH = '/operator/listings'

/** The inventory: what is for sale, what was sold, what its sellers withdrew. */
export function listingPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { environment, query } = look
    const { q, status, cursor } = query
    const filters = { environment, q, status, cursor }
    const { listings, next_cursor } = await look.read(listAllListings, filters)
    const isSet = q !== undefined || status !== undefined
    return {
      title: 'Listings',
      at: PATH,
      body: (
        <>
          <Heading title="Listings">
            <a class="button quiet" href={look.href('/operator/imports')}>
              Import a file
            </a>
          </Heading>
          <EnvironmentTabs look={look} path={PATH} />
          <Filters path={look.href(PATH)} isSet={isSet}>
            <Kept look={look} />
            <Field label="Domain, or a part of it" name="q" type="search" value={q} />
            <Select
              label="Status"
              name="status"
              value={status ?? 'listed'}
              options={[
                ['listed', 'listed'],
                ['sold', 'sold'],
                ['delisted', 'withdrawn'],
              ]}
            />
          </Filters>
          <Table
            caption="Listings"
            rows={listings}
            columns={[
              { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
              {
                label: 'Status',
                cell: ({ status, reserved_until }) => (
                  <Group>
                    <Status text={status === 'delisted' ? 'withdrawn' : status} />
                    {reserved_until !== null && <Badge tone="warn" text="reserved" />}
                  </Group>
                ),
              },
              {
                label: 'Price',
                align: 'end',
                cell: ({ price_cents, currency }) => (
                  <Amount cents={price_cents} currency={currency} />
                ),
              },
              {
                label: 'Floor',
                align: 'end',
                cell: ({ floor_price_cents, currency }) => (
                  <Amount cents={floor_price_cents} currency={currency} />
                ),
              },
              {
                label: 'Seller',
                cell: ({ seller_id }) =>
                  seller_id === null ? (
                    'the house'
                  ) : (
                    <a href={look.href(`/operator/users/${seller_id}`)}>a user</a>
                  ),
              },
              { label: 'Changed', cell: ({ updated_at }) => <At at={updated_at} /> },
            ]}
            empty={
              <Empty title={isSet ? 'No listing fits' : `Nothing is listed in ${environment}`}>
                {isSet ? 'Try fewer letters.' : 'Import a file of domains and prices.'}
              </Empty>
            }
          />
          <Pager path={PATH} query={query} next={next_cursor} />
        </>
      ),
    }
  })
}
