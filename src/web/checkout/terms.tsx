import type { Session } from '../../domain/checkout/session.ts'
import type { TaxLine } from '../../domain/tax/tax.ts'
import { money } from '../components/money.ts'
import { Facts } from '../components/parts.tsx'

/** What is paid in all, as far as it is known. */
export function Terms({ session, tax }: { session: Session; tax: TaxLine | null }) {
  if (tax === null) {
    return <p class="lead">Tax is added where your country has it; you see it before you pay.</p>
  }
  if (tax.cents === 0) return <p class="lead">The price is final: no fees are added.</p>
  const { price_cents, currency } = session
  return (
    <Facts
      facts={[
        ['Price', money(price_cents, currency)],
        [`${tax.name} ${tax.rate_bps / 100} %`, money(tax.cents, currency)],
        ['Total', <strong>{money(price_cents + tax.cents, currency)}</strong>],
      ]}
    />
  )
}
