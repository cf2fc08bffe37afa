import { listInvoices, readInvoice } from '../../domain/invoices/operate-invoices.ts'
import { domain, link, money, text, time } from '../components/columns.tsx'
import { Badge } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'

const PATH = '/operator/invoices'

/** Invoices of hosted sales, and the credit notes that take them back. */
export const invoices = listPage({
  path: PATH,
  title: 'Invoices',
  operation: listInvoices,
  rows: 'invoices',
  filters: { public_id: { label: 'Order ID', placeholder: 'ord_…' } },
  empty: ['No invoices yet', 'Each sale at the hosted checkout has one.'],
  columns: (page) => [
    link(
      'Number',
      ({ number }) => `${PATH}/${number}/pdf`,
      ({ number }) => number,
    ),
    {
      label: 'Kind',
      cell: ({ kind, credits }) =>
        kind === 'invoice' ? 'invoice' : <Badge tone="warn" text={`credits ${credits}`} />,
    },
    domain(({ public_id }) => page.href(`/operator/orders/${public_id}`)),
    text('Country', 'country'),
    money('Net', 'net_cents'),
    money('Tax', 'tax_cents'),
    money('Total', 'total_cents'),
    time('Issued', 'issued_at'),
  ],
  files: {
    async [`${PATH}/:number/pdf`](page) {
      const { number = '' } = page.params
      const { pdf } = await page.write(readInvoice, () => ({ number }))
      return page.reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `attachment; filename="${number}.pdf"`)
        .header('cache-control', 'no-store')
        .send(Buffer.from(pdf, 'base64'))
    },
  },
})
