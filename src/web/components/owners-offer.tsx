import type { ForSaleOffer } from '../../domain/registry/for-sale.ts'

/** What an owner published in DNS. A stranger wrote it: it is text, and nothing in it is a link. */
export function OwnersOffer({ offer: { url, price } }: { offer: ForSaleOffer }) {
  return (
    <>
      {price === null ? 'Its owner offers it, without a price' : `Its owner asks ${price}`}
      {url !== null && (
        <>
          {': '}
          <code>{url}</code>
        </>
      )}
      <small class="hint">Published in the DNS of the domain. Nobody has checked it.</small>
    </>
  )
}
