import { nameText } from 'domain-marketplace-domain-names'
import { listAllOffers, operateOffer, showOffer } from '../../domain/offers/operate-offers.ts'
import { partnerNames } from '../../domain/partners/partner.ts'
import { age, domain, money, status, time } from '../components/columns.tsx'
import { stateText } from '../components/humanize.ts'
import { amount } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { At, Facts, Heading, Id, Status } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action, type ConsoleContext, type ConsolePage } from './page.ts'
import { Do, Form, PartnerLink, partnerColumn } from './parts.tsx'

const PATH = '/operator/offers'

type Detail = Awaited<ReturnType<typeof showOffer.handler>>

const SIDES = { buyer: 'Buyer', seller: 'Seller' }

/** One offer: what both sides said, and the response where operators sell the name. */
const offerPage: ConsolePage = {
  path: `${PATH}/:offer_id`,
  title: 'Offer',
  actions: [
    action({
      operation: operateOffer,
      done: (offer) => `The offer for ${nameText(offer.domain)} is now ${stateText(offer.status)}.`,
    }),
  ],
  async render(page) {
    const row = await page.read(showOffer, { offer_id: page.params.offer_id })
    const names = await partnerNames(page.app.db, [row.partner_id])
    const { currency, listing } = row
    return {
      title: `Offer for ${row.domain}`,
      environment: row.environment,
      body: (
        <>
          <Heading title={<Name domain={row.domain} />}>
            <Status text={row.status} />
          </Heading>
          <div class="columns">
            <section class="panel roomy">
              <h2>Offer</h2>
              <Facts
                facts={[
                  ['Offer', <Id id={row.offer_id} />],
                  ['Amount', amount(row.amount_cents, currency)],
                  ['Price', amount(listing.price_cents, currency)],
                  ['Floor price', amount(listing.floor_price_cents, currency)],
                  ['Lowest offer', amount(listing.min_offer_cents, currency)],
                  ['Buyer', row.buyer.email],
                  ['Partner', <PartnerLink page={page} id={row.partner_id} names={names} />],
                  ['Sold by', row.seller_id === null ? 'operators' : 'a user'],
                  [row.turn === null ? 'Ended' : 'Expires', <At at={endOf(row)} />],
                ]}
              />
              <p class="soft">
                <a href={page.href('/operator/audit', { subject: row.offer_id })}>
                  Audit log of this offer
                </a>
              </p>
            </section>
            <section class="panel roomy">
              <h2>Next steps</h2>
              <Respond page={page} row={row} />
            </section>
          </div>
          <h2>Timeline</h2>
          <ol class="history">
            {row.closing_message !== null && (
              <li>
                <At at={row.updated_at} /> {row.closed_by ? SIDES[row.closed_by] : 'Marketplace'}:{' '}
                {stateText(row.status)}
                <p>{row.closing_message}</p>
              </li>
            )}
            {row.history.toReversed().map(({ at, by, amount_cents, message }) => (
              <li>
                <At at={at} /> {SIDES[by]}: {amount(amount_cents, currency)}
                {message !== null && <p>{message}</p>}
              </li>
            ))}
          </ol>
        </>
      ),
    }
  },
}

function endOf({ turn, updated_at, expires_at }: Detail): string {
  return turn === null ? updated_at : expires_at
}

function Respond({ page, row }: { page: ConsoleContext; row: Detail }) {
  const { offer_id, amount_cents, currency, domain: name } = row
  if (row.turn === null) return <p class="soft">This offer has ended.</p>
  if (row.turn === 'buyer') return <p class="soft">The buyer has to respond.</p>
  const isOurs = row.seller_id === null
  const price = amount(amount_cents, currency)
  return (
    <>
      {!isOurs && <p class="soft">The user who sells the name responds.</p>}
      {isOurs && (
        <Do
          does={operateOffer}
          // What is accepted is the amount that was seen.
          fields={{ offer_id, move: 'accept', amount_cents: String(amount_cents) }}
          label={`Accept ${price}`}
          about={nameText(name)}
          kind="main"
          confirm={`Sell ${nameText(name)} for ${price}? It is reserved for the buyer for 72 hours.`}
        />
      )}
      {isOurs && (
        <Form
          page={page}
          does={operateOffer}
          given={{ offer_id, move: 'counter', currency }}
          fields={{ amount_cents: `Your price, ${currency}`, message: 'Message to the buyer' }}
          submit="Make counter-offer"
        />
      )}
      <Form
        page={page}
        does={operateOffer}
        given={{ offer_id, move: 'decline' }}
        collapsed="Decline the offer"
        fields={{ message: 'Message to the buyer' }}
        submit="Decline"
        kind="danger"
      />
    </>
  )
}

/** Offers for names that are for sale: first those that wait for an operator. */
export const offers = listPage({
  path: PATH,
  title: 'Offers',
  lead: 'Operators respond to offers for names that the marketplace sells itself.',
  waiting: (counts) => counts.offers_waiting,
  below: [offerPage],
  operation: listAllOffers,
  rows: 'offers',
  views: {
    '': { label: 'To respond to', input: { turn: 'seller', sold_by: 'operators' } },
    buyers: { label: 'With buyers', input: { turn: 'buyer' } },
    accepted: { label: 'Accepted', input: { status: 'accepted' } },
    all: { label: 'All', input: {} },
  },
  filters: { domain: 'Domain' },
  empty: ['No offers here', 'Buyers make offers on the page of a name, or through partners.'],
  columns: async (page, rows) => [
    domain(({ offer_id }) => page.href(`${PATH}/${offer_id}`)),
    await partnerColumn(page, rows),
    status('Status', 'status'),
    money('Amount', 'amount_cents'),
    page.query.view ? time('Made', 'created_at') : age('Age', 'created_at', page.now),
    time('Expires', 'expires_at'),
  ],
})
