import type { ComponentChildren } from 'preact'
import { Name } from '../components/name.tsx'
import { Assurances } from './assurances.tsx'

/** A name for sale, on its page here and at the name itself: what it costs, and why that is safe to pay. */
export function Shop({
  domain,
  eyebrow,
  description,
  isSellersOwn,
  home = '',
  children,
}: {
  domain: string
  /** What the page is, above the name. */
  eyebrow: string
  /** The seller's words. */
  description: string | null
  /** The name is a user's, and not of the marketplace itself. */
  isSellersOwn: boolean
  /** What the paths of our own pages follow, on a page that is at another host. */
  home?: string
  /** The price, and the ways to the name. */
  children: ComponentChildren
}) {
  return (
    <div class="shop">
      <div class="shop-name">
        <p class="eyebrow">{eyebrow}</p>
        <h1 class="display">
          <Name domain={domain} />
        </h1>
        {description !== null && <p class="words">{description}</p>}
      </div>
      <section class="panel roomy offer-panel" aria-label="Price">
        {children}
      </section>
      <Assurances isSellersOwn={isSellersOwn} home={home} />
    </div>
  )
}
