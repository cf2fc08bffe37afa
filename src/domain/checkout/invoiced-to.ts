import type { InvoiceBuyer } from '../invoices/invoice.ts'
import type { Order } from '../orders/order.ts'
import type { Payment } from '../payments/payment.ts'

/** Who an invoice is to: whom the domain is registered to. */
export function invoicedTo(buyer: Order['buyer'], registrant: Payment['registrant']): InvoiceBuyer {
  return {
    name: registrant?.name ?? buyer.name ?? buyer.email,
    organization: registrant?.organization ?? null,
    address: registrant?.address ?? null,
    city: registrant?.city ?? null,
    postal_code: registrant?.postal_code ?? null,
    country: registrant?.country ?? buyer.country,
    email: buyer.email,
    tax_id: registrant?.tax_id ?? null,
  }
}
