import { listAllListings } from '../../domain/listings/list-all-listings.ts'
import { money, time } from '../components/columns.tsx'
import { RowName } from '../components/name.tsx'
import { Badge, Status } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { Group } from './parts.tsx'

/** The inventory: what is for sale, what was sold, and what sellers withdrew. */
export const listings = listPage({
  path: '/operator/listings',
  title: 'Listings',
  aside: (page) => (
    <a class="button quiet" href={page.href('/operator/imports')}>
      Import a file
    </a>
  ),
  operation: listAllListings,
  rows: 'listings',
  filters: {
    q: 'Domain, or a part of it',
    status: {
      label: 'Status',
      choices: { listed: 'listed', sold: 'sold', delisted: 'withdrawn' },
    },
  },
  empty: ['No listings yet', 'Import a file of domains and prices.'],
  columns: (page) => [
    { label: 'Domain', cell: (row) => <RowName domain={row.domain} /> },
    {
      label: 'Status',
      cell: ({ status, reserved_until }) => (
        <Group>
          <Status text={status === 'delisted' ? 'withdrawn' : status} />
          {reserved_until !== null && <Badge tone="warn" text="reserved" />}
        </Group>
      ),
    },
    money('Price', 'price_cents'),
    money('Floor price', 'floor_price_cents'),
    {
      label: 'Seller',
      cell: ({ seller_id }) =>
        seller_id === null ? (
          'the marketplace'
        ) : (
          <a href={page.href(`/operator/users/${seller_id}`)}>a user</a>
        ),
    },
    time('Updated', 'updated_at'),
  ],
})
