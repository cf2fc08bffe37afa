import type { ComponentChildren } from 'preact'
import { money } from '../components/money.ts'
import { State } from './names.tsx'

/** The price, large, and the ways to pay it. */
export function BuyBox({
  price,
  masked,
  buy,
  children,
}: {
  price: { price_cents: number | null; currency: string }
  /** In the place of a price that visitors without a session are not shown. */
  masked: ComponentChildren
  /** The button, or the link that looks like it. */
  buy: ComponentChildren
  /** Other ways to the name, beside it, such as an offer. */
  children?: ComponentChildren
}) {
  const { price_cents, currency } = price
  return (
    <>
      <State state="for_sale" />
      {price_cents === null ? (
        <p class="price masked">{masked}</p>
      ) : (
        <p class="price">
          {money(price_cents, currency)} <small>{currency}</small>
        </p>
      )}
      <div class="buy-ways">
        {buy}
        {children}
      </div>
      <ul class="promises">
        <li>One price, no fees</li>
        <li>Your money back if the transfer fails</li>
        <li>No account needed</li>
      </ul>
    </>
  )
}

/** In its place while somebody else is about to pay. */
export function Reserved({ children }: { children?: ComponentChildren }) {
  return (
    <>
      <State state="reserved" />
      <p>Somebody is buying this name just now. Come back later: it may be free again.</p>
      {children !== undefined && <p>{children}</p>}
    </>
  )
}
