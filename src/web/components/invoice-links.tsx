/** An invoice, or the credit note that takes it back, to download. */
export interface InvoiceLink {
  kind: 'invoice' | 'credit_note'
  number: string
  href: string
}

/** In a list of facts. */
export function InvoiceLinks({ documents }: { documents: readonly InvoiceLink[] }) {
  return (
    <>
      {documents.map(({ kind, number, href }) => (
        <>
          <dt>{kind === 'invoice' ? 'Invoice' : 'Credit note'}</dt>
          <dd>
            <a href={href}>{number} (PDF)</a>
          </dd>
        </>
      ))}
    </>
  )
}
