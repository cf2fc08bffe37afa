import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyReply } from 'fastify'
import { OFFER_STATES } from '../../domain/events/event-view.ts'
import { listOffers } from '../../domain/offers/list-offers.ts'
import { toneOf } from '../components/humanize.ts'
import { amounts, Filters, Pager, Table } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'
import { Badge, Empty, Heading, IdBelow, Timestamp } from '../components/parts.tsx'
import { at } from './choices.ts'
import { DomainAndStatus } from './filter-fields.tsx'
import type { Portal, PortalContext } from './portal.tsx'

const TURNS = { seller: 'the seller', buyer: 'the buyer' }

/** Offers that the partner made for its buyers; each has a page on which it can respond for them. */
export function serveOffers(portal: Portal): void {
  portal.get('/offers', async (page: PortalContext): Promise<FastifyReply> => {
    const { query, base } = page
    const { domain, status, cursor } = query
    const path = `${base}/offers`
    const [found, problem] = await portal.list(() =>
      portal.read(page, listOffers, { domain, status, cursor, limit: 50 }),
    )
    const isFiltered = Boolean(domain ?? status)
    return portal.show(
      page,
      { title: 'Offers', at: '/offers', problem },
      <>
        <Heading title="Offers" />
        <Filters path={path} isSet={isFiltered}>
          <DomainAndStatus query={query} statuses={OFFER_STATES} problem={problem} />
        </Filters>
        <Table
          isMain
          caption="Offers, newest first"
          columns={[
            {
              label: 'Domain',
              cell: (offer) => (
                <>
                  <RowName domain={offer.domain} />
                  <IdBelow id={offer.offer_id} />
                </>
              ),
            },
            {
              label: 'Status',
              cell: (offer) => <Badge tone={toneOf(offer.status)} text={offer.status} />,
            },
            { label: 'Waits for', cell: ({ turn }) => (turn === null ? '–' : TURNS[turn]) },
            amounts('Amount', 'amount_cents'),
            { label: 'Buyer', cell: ({ buyer }) => buyer.email },
            { label: 'Made', cell: ({ created_at }) => <Timestamp at={at(created_at)} /> },
            {
              label: '',
              cell: ({ offers_url, domain: name }) => (
                <a href={offers_url}>
                  Buyer’s page<span class="hidden"> for {nameText(name)}</span>
                </a>
              ),
            },
          ]}
          rows={found?.offers}
          empty={
            isFiltered ? (
              <Empty title="No matching offers">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No offers yet">
                <code>POST /offers</code> offers less than the price for a name.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  })
}
