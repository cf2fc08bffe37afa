/** Where a delivery is proven, in a list of facts; nothing before the delivery. */
export function ReceiptFact({ id }: { id: string | null }) {
  if (id === null) return null
  return (
    <>
      <dt>Proof of delivery</dt>
      <dd>
        <ReceiptLink id={id} />
      </dd>
    </>
  )
}

export function ReceiptLink({ id, of = '' }: { id: string; of?: string }) {
  return (
    <a href={`/receipts/${id}`}>
      Receipt
      {of && <span class="hidden"> for {of}</span>}
    </a>
  )
}
