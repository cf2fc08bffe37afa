import { nameText } from 'domain-marketplace-domain-names'
import type { listBuyersCases } from '../../domain/brokerage/list-buyers-cases.ts'
import type { listRenewals } from '../../domain/domains/list-renewals.ts'
import type { listPurchases } from '../../domain/orders/list-purchases.ts'
import { type Column, Pager, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Day, Empty, Id, Timestamp, type Tone } from '../components/parts.tsx'
import { ReceiptLink } from '../components/receipt-link.tsx'
import { PURCHASES } from './paths.ts'

type Purchase = Awaited<ReturnType<typeof listPurchases>>['rows'][number]
type Renewal = Awaited<ReturnType<typeof listRenewals>>['rows'][number]
type BuyersCase = Awaited<ReturnType<typeof listBuyersCases>>['items'][number]

export interface Paged<Row> {
  path: string
  rows: Row[]
  cursor: string | undefined
  next: string | null
}

export const TRANSFERS: Record<Purchase['transfer_status'], Tone> = {
  pending: 'plain',
  in_progress: 'info',
  action_required: 'warn',
  failed: 'bad',
  completed: 'good',
  cancelled: 'plain',
}

const BOUGHT: Column<Purchase>[] = [
  {
    label: 'Domain',
    cell: ({ domain }) => (
      <a href={`/d/${domain}`}>
        <RowName domain={domain} />
      </a>
    ),
  },
  { label: 'Bought', cell: ({ created_at }) => <Day at={created_at} /> },
  {
    label: 'Transfer',
    cell: ({ domain, status, transfer_status, environment, receipt_id }) => (
      <>
        {status === 'REFUNDED' ? (
          <Badge text="refunded" />
        ) : (
          <Badge tone={TRANSFERS[transfer_status]} text={transfer_status} />
        )}{' '}
        {receipt_id !== null && <ReceiptLink id={receipt_id} of={nameText(domain)} />}{' '}
        {environment === 'sandbox' && <Badge text="test" />}
      </>
    ),
  },
  { label: 'Order', cell: ({ public_id }) => <Id id={public_id} /> },
  {
    label: 'Price',
    align: 'end',
    cell: ({ sale_price_cents, currency }) => money(sale_price_cents, currency),
  },
  {
    label: '',
    cell: ({ public_id, domain }) => (
      <a href={`${PURCHASES}/${public_id}`}>
        Invoice and transfer<span class="hidden"> of {nameText(domain)}</span>
      </a>
    ),
  },
]

const RENEWALS: Column<Renewal>[] = [
  { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
  { label: 'Asked', cell: ({ created_at }) => <Timestamp at={created_at} /> },
  { label: 'Years', align: 'end', cell: ({ years }) => years },
  {
    label: 'State',
    cell: ({ status, automatic, reason, dispute, to_confirm }) => (
      <span>
        {to_confirm === null ? (
          <Badge tone={CHARGES[status][0]} text={CHARGES[status][1]} />
        ) : (
          <a href={`/account/renewals/${to_confirm}`}>Confirm the payment</a>
        )}{' '}
        {automatic && <Badge text="by itself" />}{' '}
        {dispute !== null && (
          <Badge tone="warn" text={dispute === 'lost' ? 'charged back' : 'disputed'} />
        )}
        {reason !== null && <small class="hint">{reason}</small>}
      </span>
    ),
  },
  {
    label: 'Price',
    align: 'end',
    cell: ({ price_cents, currency }) =>
      price_cents === null ? '–' : money(price_cents, currency),
  },
]

const CHARGES: Record<Renewal['status'], [tone: Tone, text: string]> = {
  due: ['info', 'under way'],
  renewed: ['info', 'renewed, payment under way'],
  paid: ['good', 'renewed'],
  failed: ['bad', 'not renewed'],
  refunded: ['plain', 'refunded'],
}

const CASES: Column<BuyersCase>[] = [
  {
    label: 'Domain',
    cell: ({ domain }) => (
      <a href={`/d/${domain}`}>
        <RowName domain={domain} />
      </a>
    ),
  },
  { label: 'Asked', cell: ({ created_at }) => <Day at={created_at} /> },
  {
    label: 'State',
    cell: ({ status, environment }) => (
      <>
        <Badge tone={toneOf(status)} text={status} />{' '}
        {environment === 'sandbox' && <Badge text="test" />}
      </>
    ),
  },
  { label: 'Most', align: 'end', cell: ({ budget, currency }) => money(budget, currency) },
  {
    label: '',
    cell: ({ domain, progress_url }) =>
      progress_url !== null && (
        <a href={progress_url}>
          Follow<span class="hidden"> the offer for {nameText(domain)}</span>
        </a>
      ),
  },
]

function toneOf(status: BuyersCase['status']): Tone {
  if (status === 'completed' || status === 'agreed') return 'good'
  return ['declined', 'no_contact', 'cancelled'].includes(status) ? 'plain' : 'info'
}

export function Purchases({ path, rows, cursor, next }: Paged<Purchase>) {
  return (
    <>
      <Table
        isMain
        caption="What you bought"
        columns={BOUGHT}
        rows={rows}
        empty={
          <Empty title="No purchases yet">
            <p>
              <a href="/browse">Browse what is for sale</a>
            </p>
          </Empty>
        }
      />
      <Pager path={path} query={{ cursor }} next={next} />
    </>
  )
}

export function Renewals({ path, rows, cursor, next }: Paged<Renewal>) {
  return (
    <>
      <Table
        isMain
        caption="What you renewed"
        columns={RENEWALS}
        rows={rows}
        empty={
          <Empty title="No renewals yet">
            <p>
              Choose domains in <a href="/account">your list</a> to renew them, or to have them
              renew themselves.
            </p>
          </Empty>
        }
      />
      <Pager path={path} query={{ cursor }} next={next} />
    </>
  )
}

export function Offers({ path, rows, cursor, next }: Paged<BuyersCase>) {
  return (
    <>
      <Table
        isMain
        caption="Names that a broker asks for"
        columns={CASES}
        rows={rows}
        empty={
          <Empty title="No requests yet">
            <p>
              <a href="/">Search for one</a>: if it is taken, a broker asks its owner for you.
            </p>
          </Empty>
        }
      />
      <Pager path={path} query={{ cursor }} next={next} />
    </>
  )
}
