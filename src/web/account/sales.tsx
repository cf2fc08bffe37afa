import { nameText } from 'domain-marketplace-domain-names'
import type { listOwnSales } from '../../domain/orders/list-own-sales.ts'
import { sellerCodePath } from '../../domain/orders/seller-code.ts'
import { type Column, Pager, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Day, Empty, Id } from '../components/parts.tsx'
import { ReceiptLink } from '../components/receipt-link.tsx'
import { type Paged, TRANSFERS } from './purchases.tsx'

type Sale = Awaited<ReturnType<typeof listOwnSales>>['rows'][number]

const SALES: Column<Sale>[] = [
  { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
  { label: 'Sold', cell: ({ created_at }) => <Day at={created_at} /> },
  {
    label: 'Transfer',
    cell: ({ domain, public_id, status, transfer_status, receipt_id, ...sale }) => (
      <>
        {status === 'REFUNDED' || status === 'CANCELLED' ? (
          <Badge text="taken back" />
        ) : (
          <Badge tone={TRANSFERS[transfer_status]} text={transfer_status} />
        )}{' '}
        {receipt_id !== null && <ReceiptLink id={receipt_id} of={nameText(domain)} />}
        {sale.seller_gives_code && (
          <a href={sellerCodePath(public_id)}>
            {sale.code_available_at === null ? 'Give the transfer code' : 'Transfer code'}
            <span class="hidden"> of {nameText(domain)}</span>
          </a>
        )}
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
    label: 'Your share',
    align: 'end',
    cell: ({ seller_cents, currency }) =>
      seller_cents === null ? '–' : money(seller_cents, currency),
  },
]

/** A seller's own sales, each with the proof of its delivery. */
export function Sales({ path, rows, cursor, next }: Paged<Sale>) {
  return (
    <>
      <Table
        isMain
        caption="What you sold"
        columns={SALES}
        rows={rows}
        empty={
          <Empty title="No sales yet">
            <p>
              Choose domains in <a href="/account">your list</a> to put them up for sale.
            </p>
          </Empty>
        }
      />
      <Pager path={path} query={{ cursor }} next={next} />
    </>
  )
}
