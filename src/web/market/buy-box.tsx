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
  /** Other ways to the name, such as an offer. */
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
      <p class="soft">One price, no fees. Your money back if the transfer fails.</p>
    </>
  )
}
