import type { z } from 'zod'
import { insufficientScope } from '../../core/app-scope.ts'
import type { AppGrant, UserCaller } from '../../core/caller.ts'
import type { OtherReason } from '../../core/conflict-reasons.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict, invalid } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { moneyText } from '../../lib/money.ts'
import { spentBy } from '../checkout/buy-for-app.ts'
import type { Listing } from '../listings/listing.ts'
import { type Mandate, viewMandate } from '../oauth/mandate.ts'
import type { TaxLine } from '../tax/tax.ts'
import type { MandateLeftView } from './agent-order.ts'

/** The consent by which an app buys. What calls without one was not let buy. */
export function buyerOf(caller: UserCaller): { userId: string; app: AppGrant } {
  if (!caller.app) throw insufficientScope('orders:create')
  return { userId: caller.subject, app: caller.app }
}

/** Tax depends on where the buyer is, so where it is charged that has to be said. */
export function taxFor(
  { tax }: Pick<AppContext, 'tax'>,
  price: number,
  country: string | null,
): TaxLine {
  if (country === null && tax.id === 'rules') {
    throw invalid({ field: 'country', issue: 'is required, since tax depends on it' })
  }
  return tax.of(price, { country, taxId: null })
}

/** What a mandate still allows. */
export async function leftOf(
  db: Pick<Tx, 'selectFrom'>,
  now: Date,
  grantId: string,
  mandate: Mandate,
): Promise<z.output<typeof MandateLeftView>> {
  const spent_cents = (await spentBy(db, [grantId])).get(grantId) ?? 0
  const left = mandate.expires_at <= now ? 0 : mandate.max_total_cents - spent_cents
  return { ...viewMandate(mandate), spent_cents, left_cents: Math.max(0, left) }
}

/** Rejects what is beyond the mandate, and says what is left. */
export function assertWithin(
  now: Date,
  { expires_at, max_per_order_cents, currency, left_cents }: z.output<typeof MandateLeftView>,
  total: { cents: number; currency: string },
): void {
  const price = moneyText(total.cents, total.currency)
  const problem =
    new Date(expires_at) <= now
      ? 'The time in which you may spend is over.'
      : total.currency !== currency
        ? `You may spend ${currency}, and this costs ${price}.`
        : total.cents > max_per_order_cents
          ? `One purchase may cost ${moneyText(max_per_order_cents, currency)}, and this costs ${price}.`
          : total.cents > left_cents
            ? `${moneyText(left_cents, currency)} is left of what you may spend, and this costs ${price}.`
            : null
  if (problem === null) return
  throw new ApiError('mandate_exceeded', `${problem} Nothing was bought.`, {
    details: {
      reason: 'mandate_exceeded' satisfies OtherReason,
      left_cents,
      max_per_order_cents,
      currency,
      expires_at,
    },
  })
}

/** The price is not the one that was confirmed. */
export function assertSamePrice(
  { domain, price_cents, currency }: Pick<Listing, 'domain' | 'price_cents' | 'currency'>,
  confirmed: { price_cents: number; currency: string },
): void {
  if (price_cents === confirmed.price_cents && currency === confirmed.currency) return
  throw new ApiError(
    'price_changed',
    `${domain} costs ${moneyText(price_cents, currency)} by now, and not ${moneyText(confirmed.price_cents, confirmed.currency)}. Nothing was bought.`,
    {
      details: {
        reason: 'price_changed' satisfies OtherReason,
        confirmed_price_cents: confirmed.price_cents,
        current_price_cents: price_cents,
        currency,
      },
    },
  )
}

/** Why nobody can buy it at the moment, as it looks without holding it; the purchase itself asks once more. */
export function takenProblem(
  domain: string,
  status: 'listed' | 'reserved' | 'sold',
): ApiError | null {
  if (status === 'sold') return conflict('domain_sold', `${domain} is sold.`)
  if (status === 'reserved') {
    return conflict('domain_reserved', `${domain} is reserved for the moment.`)
  }
  return null
}

/** The consent was taken back while this was under way. */
export function revoked(): ApiError {
  return new ApiError('invalid_token', 'The user has taken the consent back.', { challenge: true })
}

/** A purchase that only its user could make possible. */
export function cardProblem(message: string, baseUrl: string, reason: OtherReason): ApiError {
  return new ApiError('payment_failed', message, {
    details: { reason, card_url: `${baseUrl}/account/payment-method` },
  })
}
