import { createRequire } from 'node:module'
import { nameText } from 'domain-marketplace-domain-names'
import { type Brand, PRINTED } from '../../core/brand.ts'
import { moneyText } from '../../lib/money.ts'
import type { Invoice } from './invoice.ts'

const resolve = createRequire(import.meta.url).resolve
/** Latin, Greek and Cyrillic, which the fonts that every reader of PDF has are without. */
const REGULAR = resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')
const BOLD = resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')

const MARGIN = 56
const SMALL = 9
const AMOUNT_AT = 400

/** The document as people keep it, on A4. The same invoice always makes the same bytes, while the brand is the same. */
export async function invoicePdf(invoice: Invoice, brand: Brand): Promise<Buffer> {
  const { kind, number, issued_at, seller, buyer, currency } = invoice
  const title = kind === 'invoice' ? 'Invoice' : 'Credit note'
  const { default: PdfDocument } = await import('pdfkit')
  const document = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    info: { Title: `${title} ${number}`, Author: seller.name, CreationDate: issued_at },
    lang: 'en',
  })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((resolve) => document.on('end', resolve))
  document.registerFont('regular', REGULAR).registerFont('bold', BOLD)

  letterhead(document, brand)
  document.font('bold').fontSize(20).text(title, MARGIN).moveDown(0.5)
  lines(document, [
    `Number: ${number}`,
    ...(invoice.credits === null ? [] : [`Takes back: ${invoice.credits}`]),
    `Date: ${issued_at.toISOString().slice(0, 10)}`,
    `Order: ${invoice.public_id}`,
    ...(invoice.environment === 'sandbox' ? ['This is a test. Nothing was sold.'] : []),
  ])
  heading(document, 'From')
  lines(document, [
    seller.name,
    ...(seller.address ?? '').split(',').map((line) => line.trim()),
    seller.country,
    seller.tax_id && `Tax number: ${seller.tax_id}`,
  ])
  heading(document, 'To')
  lines(document, [
    buyer.organization,
    buyer.name,
    buyer.address,
    [buyer.postal_code, buyer.city].filter(Boolean).join(' '),
    buyer.country,
    buyer.tax_id && `Tax number: ${buyer.tax_id}`,
    buyer.email,
  ])
  heading(document, 'What')
  const { tax, net_cents, tax_cents } = invoice
  const amount = (cents: number) => moneyText(cents, currency)
  row(document, `Domain ${nameText(invoice.domain)}`, amount(net_cents))
  const rate = tax?.name ? `${tax.name} ${tax.rate_bps / 100} %` : 'Tax'
  row(document, rate, amount(tax_cents))
  document.font('bold')
  row(
    document,
    kind === 'invoice' ? 'Total, paid' : 'Total, given back',
    amount(net_cents + tax_cents),
  )
  document.font('regular')
  if (tax?.note) document.moveDown().fontSize(SMALL).text(tax.note, MARGIN)
  contact(document, brand)
  document.end()
  await ended
  return Buffer.concat(chunks)
}

/** The name and the logo over a line in the color of the brand. */
function letterhead(document: PDFKit.PDFDocument, { name, color, logo }: Brand): void {
  const { width, height } = PRINTED
  const right = document.page.width - MARGIN
  if (logo?.file) document.image(logo.file.printed, right - width, MARGIN, { width, height })
  const room = right - width - MARGIN
  document
    .font('bold')
    .fontSize(13)
    .text(name, MARGIN, MARGIN + 6, { width: room })
  const line = Math.max(document.y, MARGIN + height) + 8
  document
    .rect(MARGIN, line, right - MARGIN, 2)
    .fill(color)
    .fillColor('#000000')
  document.y = line + 24
}

function contact(document: PDFKit.PDFDocument, { name, supportEmail, baseUrl }: Brand): void {
  const texts = [name, baseUrl, ...(supportEmail === null ? [] : [supportEmail])]
  document.moveDown(2).font('regular').fontSize(SMALL).fillColor('#545c64')
  document.text(texts.join(' · '), MARGIN)
}

function heading(document: PDFKit.PDFDocument, text: string): void {
  document.moveDown().font('bold').fontSize(11).text(text, MARGIN).font('regular')
}

function lines(document: PDFKit.PDFDocument, texts: (string | null)[]): void {
  document.font('regular').fontSize(10)
  for (const text of texts) if (text) document.text(text, MARGIN)
}

function row(document: PDFKit.PDFDocument, text: string, amount: string): void {
  document.fontSize(10)
  const { y } = document
  document.text(text, MARGIN, y, { width: AMOUNT_AT - MARGIN - 10 })
  const after = document.y
  document.text(amount, AMOUNT_AT, y, {
    width: document.page.width - AMOUNT_AT - MARGIN,
    align: 'right',
  })
  document.y = Math.max(after, document.y)
  document.moveDown(0.3)
}
