import { type Selectable, sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import type { TaxLine } from '../tax/tax.ts'

export type Invoice = Selectable<Schema['invoices']>

/** Who sells, as an invoice says it. */
export interface InvoiceSeller {
  name: string
  address: string | null
  country: string | null
  tax_id: string | null
}

/** Who bought, as they were when they paid. */
export interface InvoiceBuyer {
  name: string
  organization: string | null
  address: string | null
  city: string | null
  postal_code: string | null
  country: string | null
  email: string
  tax_id: string | null
}

interface Sale {
  environment: Environment
  public_id: string
  payment_id: string
  domain: string
  buyer: InvoiceBuyer
  net_cents: number
  tax_cents: number
  tax: TaxLine | null
  currency: string
}

/** Writes the invoice of a sale, in its transaction and as late as can be: all others wait for its number. */
export async function issueInvoice(
  tx: Tx,
  now: Date,
  { brand, platform }: Pick<Settings, 'brand' | 'platform'>,
  { buyer, tax, ...sale }: Sale,
): Promise<void> {
  const seller: InvoiceSeller = {
    name: platform.name ?? brand.name,
    address: platform.address ?? null,
    country: platform.country ?? null,
    tax_id: platform.taxId ?? null,
  }
  await tx
    .insertInto('invoices')
    .values({
      ...(await nextNumber(tx, now, sale.environment)),
      ...sale,
      kind: 'invoice',
      credits: null,
      seller: JSON.stringify(seller),
      buyer: JSON.stringify(buyer),
      tax: tax && JSON.stringify(tax),
      issued_at: now,
    })
    .execute()
}

/** Takes the invoice of an order back, as late as it is issued; nothing where the order has none. */
export async function issueCreditNote(tx: Tx, now: Date, publicId: string): Promise<void> {
  const [invoice, note] = await invoicesOf(tx, publicId)
  if (!invoice || note) return
  await tx
    .insertInto('invoices')
    .values({
      ...invoice,
      ...(await nextNumber(tx, now, invoice.environment)),
      kind: 'credit_note',
      credits: invoice.number,
      seller: JSON.stringify(invoice.seller),
      buyer: JSON.stringify(invoice.buyer),
      tax: invoice.tax && JSON.stringify(invoice.tax),
      issued_at: now,
    })
    .execute()
}

/** By the year in UTC. A number that is taken is given back with the transaction. */
async function nextNumber(
  tx: Tx,
  now: Date,
  environment: Environment,
): Promise<Pick<Invoice, 'invoice_id' | 'number' | 'year' | 'seq'>> {
  const year = now.getUTCFullYear()
  const { rows } = await sql<{ seq: number }>`
    insert into invoice_counters as c (environment, year, last_seq) values (${environment}, ${year}, 1)
    on conflict (environment, year) do update set last_seq = c.last_seq + 1
    returning last_seq as seq`.execute(tx)
  const [{ seq } = { seq: 0 }] = rows
  return { invoice_id: newId('ivc', now), number: `${environment}-${year}-${seq}`, year, seq }
}

/** Of an order, the invoice first. */
export async function invoicesOf(db: Pick<Tx, 'selectFrom'>, publicId: string): Promise<Invoice[]> {
  return await db
    .selectFrom('invoices')
    .selectAll()
    .where('public_id', '=', publicId)
    .orderBy('issued_at')
    .orderBy('seq')
    .execute()
}
