import { nameText } from 'domain-marketplace-domain-names'
import { blockDomains, unblockDomain } from '../../domain/inventory/block-domains.ts'
import { freezeListing, unfreezeListing } from '../../domain/inventory/freeze-listing.ts'
import { withdrawListing } from '../../domain/inventory/withdraw-listing.ts'
import { listAllListings } from '../../domain/listings/list-all-listings.ts'
import { money, time } from '../components/columns.tsx'
import { RowName } from '../components/name.tsx'
import { Badge, Status } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action } from './page.ts'
import { Do, Form, Group } from './parts.tsx'

/** The inventory: what is for sale, what was sold, and what sellers withdrew. */
export const listings = listPage({
  path: '/operator/listings',
  title: 'Listings',
  aside: (page) => (
    <a class="button quiet" href={page.href('/operator/imports')}>
      Import a file
    </a>
  ),
  actions: [
    action({ operation: withdrawListing, done: ({ domain }) => `${domain} is off the market.` }),
    action({
      operation: freezeListing,
      done: ({ domain }) => `${domain} is frozen: nobody can buy it until you unfreeze it.`,
    }),
    action({
      operation: unfreezeListing,
      done: ({ domain, status }) =>
        status === 'listed'
          ? `${domain} is for sale again.`
          : `${domain} is no longer frozen. It stays off the market, because it is blocked or its seller no longer holds it.`,
    }),
    action({
      operation: blockDomains,
      done: ({ blocked, withdrawn }) =>
        `${blocked} domains blocked, ${withdrawn} listings taken off the market.`,
    }),
    action({ operation: unblockDomain, done: ({ domain }) => `${domain} can be listed again.` }),
  ],
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
    {
      label: 'Domain',
      cell: ({ domain, seller_id }) => (
        <>
          <RowName domain={domain} />
          {seller_id !== null && (
            <small class="below">
              of <a href={page.href(`/operator/users/${seller_id}`)}>a user</a>
            </small>
          )}
        </>
      ),
    },
    {
      label: 'Status',
      cell: ({ status, reserved_until, offers }) => (
        <Group>
          <Status text={status === 'delisted' ? 'withdrawn' : status} />
          {reserved_until !== null && <Badge tone="warn" text="reserved" />}
          {offers === 'off' && <Badge text="no offers" />}
        </Group>
      ),
    },
    money('Price', 'price_cents'),
    money('Floor', 'floor_price_cents'),
    time('Updated', 'updated_at'),
    {
      label: '',
      cell: ({ domain, environment, status }) =>
        status === 'listed' && (
          <Do
            does={withdrawListing}
            fields={{ domain, environment }}
            label="Withdraw"
            about={domain}
            confirm={`Take ${nameText(domain)} off the market?`}
          />
        ),
    },
  ],
  footer: (page) => {
    const given = { environment: page.environment }
    const one = { domain: 'Domain' }
    return (
      <>
        <Form
          page={page}
          does={withdrawListing}
          given={given}
          collapsed="Withdraw a domain"
          fields={{
            ...one,
            reason: { label: 'Reason', hint: 'For the audit log.' },
            force: {
              label:
                'Also while a quote or a payment for it runs: a payment that arrives is refunded',
            },
          }}
          submit="Withdraw"
          kind="danger"
        />
        <Form
          page={page}
          does={freezeListing}
          given={given}
          collapsed="Freeze a domain"
          fields={{ ...one, reason: 'Reason' }}
          submit="Freeze"
        />
        <Form
          page={page}
          does={unfreezeListing}
          given={given}
          collapsed="Unfreeze a domain"
          fields={one}
          submit="Unfreeze"
        />
        <Form
          page={page}
          does={blockDomains}
          collapsed="Block domains: nobody may list them"
          fields={{ domains: { label: 'Domains, one a line' } }}
          submit="Block"
          kind="danger"
        />
        <Form
          page={page}
          does={unblockDomain}
          collapsed="Unblock a domain"
          fields={one}
          submit="Unblock"
        />
      </>
    )
  },
})
