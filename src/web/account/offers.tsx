import { nameText } from 'domain-marketplace-domain-names'
import type { Offer } from '../../domain/offers/offer.ts'
import { addressOf, type Column, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Empty, Status, Timestamp } from '../components/parts.tsx'
import { OFFERS } from './paths.ts'

interface Rows {
  rows: Offer[]
  cursor: string | undefined
  next: string | null
}

const NAME: Column<Offer> = { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> }
const AMOUNT: Column<Offer> = {
  label: 'Amount',
  align: 'end',
  cell: ({ amount_cents, currency }) => money(amount_cents, currency),
}
const UNTIL: Column<Offer> = {
  label: 'Expires',
  cell: ({ turn, expires_at }) => <Timestamp at={turn === null ? null : expires_at} />,
}

function state(mine: Offer['turn']): Column<Offer> {
  return {
    label: 'State',
    cell: ({ status, turn, environment }) => (
      <>
        {turn === mine ? <Badge tone="warn" text="your turn" /> : <Status text={status} />}{' '}
        {environment === 'sandbox' && <Badge text="test" />}
      </>
    ),
  }
}

const TO_ME: Column<Offer>[] = [
  NAME,
  state('seller'),
  UNTIL,
  AMOUNT,
  {
    label: '',
    cell: ({ offer_id, domain, turn }) => (
      <a href={`${OFFERS}/${offer_id}`}>
        {turn === 'seller' ? 'Respond' : 'See it'}
        <span class="hidden"> – the offer for {nameText(domain)}</span>
      </a>
    ),
  },
]

/** Offers for domains that the user sells. */
export function OffersToMe({ rows, cursor, next }: Rows) {
  return (
    <>
      <h2>Offers for your domains</h2>
      <Table
        isMain
        caption="Offers for your domains"
        columns={TO_ME}
        rows={rows}
        empty={
          <Empty title="No offers yet">
            <p>Offers for domains that you sell appear here, and we write to you for each.</p>
          </Empty>
        }
      />
      <Older of="to_me" cursor={cursor} next={next} />
    </>
  )
}

/** The pages of one of the lists on this page. */
function Older({ of, cursor, next }: { of: 'to_me' | 'made' } & Omit<Rows, 'rows'>) {
  if (cursor === undefined && next === null) return null
  return (
    <p class="actions">
      {cursor !== undefined && <a href={OFFERS}>Newest offers</a>}
      {next !== null && <a href={addressOf(OFFERS, { [of]: next })}>Older offers</a>}
    </p>
  )
}

/** Offers that the user made; nothing while there are none. */
export function OwnOffers({
  rows,
  links,
  cursor,
  next,
}: Rows & { links: ReadonlyMap<string, string> }) {
  if (rows.length === 0 && cursor === undefined) return null
  const columns: Column<Offer>[] = [
    NAME,
    state('buyer'),
    UNTIL,
    AMOUNT,
    {
      label: '',
      cell: ({ offer_id, domain }) => (
        <a href={links.get(offer_id) ?? OFFERS}>
          See it<span class="hidden"> – your offer for {nameText(domain)}</span>
        </a>
      ),
    },
  ]
  return (
    <>
      <h2>Offers that you made</h2>
      <Table
        caption="Offers that you made"
        columns={columns}
        rows={rows}
        empty={<Empty title="No offers yet" />}
      />
      <Older of="made" cursor={cursor} next={next} />
    </>
  )
}
