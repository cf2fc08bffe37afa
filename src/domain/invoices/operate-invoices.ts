import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import { iso, paging, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import type { Invoice } from './invoice.ts'
import { invoicePdf } from './invoice-pdf.ts'

const InvoiceView = z.object({
  number: z.string().describe('`{environment}-{year}-{seq}`, without gaps.'),
  environment: z.enum(ENVIRONMENTS),
  kind: z.enum(['invoice', 'credit_note']),
  credits: z.string().nullable().describe('The invoice that a credit note takes back, or null.'),
  public_id: z.string().describe('The order.'),
  domain: z.string(),
  country: z.string().nullable().describe('The country of the buyer.'),
  net_cents: z.int(),
  tax_cents: z.int(),
  tax_name: z.string().nullable(),
  tax_rate_bps: z.int(),
  total_cents: z.int(),
  currency: z.string(),
  issued_at: timestamp,
})

function viewInvoice(invoice: Invoice): z.output<typeof InvoiceView> {
  const { number, environment, kind, credits, public_id, domain, currency, issued_at } = invoice
  const { buyer, net_cents, tax_cents, tax } = invoice
  return {
    number,
    environment,
    kind,
    credits,
    public_id,
    domain,
    country: buyer.country,
    net_cents,
    tax_cents,
    tax_name: tax?.name ?? null,
    tax_rate_bps: tax?.rate_bps ?? 0,
    total_cents: net_cents + tax_cents,
    currency,
    issued_at: iso(issued_at),
  }
}

/** Whom they are to stands in the documents alone. */
export const listInvoices = adminRead({
  name: 'list_invoices',
  roles: READERS,
  summary: 'List invoices and credit notes of hosted sales, newest first',
  method: 'GET',
  path: '/invoices',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).default('live'),
    public_id: z.string().optional().describe('Only those of this order.'),
    ...paging,
  }),
  output: z.object({ invoices: z.array(InvoiceView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { environment, public_id, limit, cursor }) {
    const bound = { list: 'invoices', environment, public_id: public_id ?? null }
    let query = db.selectFrom('invoices').selectAll().where('environment', '=', environment)
    if (public_id !== undefined) query = query.where('public_id', '=', public_id)
    const { rows, next_cursor } = await readPage(query, 'invoice_id', { cursor, limit, bound })
    return { invoices: rows.map(viewInvoice), next_cursor }
  },
})

/** A write, so that each look at a buyer's address stands in the audit log. */
export const readInvoice = adminWrite({
  name: 'read_invoice',
  roles: ['admin', 'finance', 'support'],
  summary: 'Get an invoice or credit note as PDF',
  method: 'POST',
  path: '/invoices/{number}/pdf',
  input: z.object({ number: z.string().describe('The number of the invoice.') }),
  output: InvoiceView.extend({ pdf: z.string().describe('The document, as PDF in base64.') }),
  status: 200,
  errors: ['not_found'],
  audited: ({ number }) => ({ number }),
  async handler({ tx, app }, { number }) {
    const invoice = await tx
      .selectFrom('invoices')
      .selectAll()
      .where('number', '=', number)
      .executeTakeFirst()
    if (!invoice) throw notFound('invoice')
    return {
      ...viewInvoice(invoice),
      pdf: (await invoicePdf(invoice, app.brand)).toString('base64'),
    }
  },
})
