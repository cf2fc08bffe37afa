import type { FastifyReply } from 'fastify'
import { notFound } from '../../core/errors.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { invoicePdf } from '../../domain/invoices/invoice-pdf.ts'

/** Sends one of these invoices by its number, as a file. */
export async function sendInvoice(
  reply: FastifyReply,
  invoices: readonly Invoice[],
  number: string | null | undefined,
): Promise<FastifyReply> {
  const invoice = invoices.find((each) => each.number === number)
  if (!invoice) throw notFound('invoice')
  return reply
    .header('content-type', 'application/pdf')
    .header('content-disposition', `attachment; filename="${invoice.number}.pdf"`)
    .header('cache-control', 'private, no-store')
    .header('x-robots-tag', 'noindex')
    .send(await invoicePdf(invoice, reply.server.brand))
}
