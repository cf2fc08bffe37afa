import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import type { Charge } from '../payments/charge.ts'

/** Renewals are between the marketplace and its users: no partner has a part in them. */
export const MARKETPLACE = {
  partnerId: MARKETPLACE_PARTNER,
  environment: 'live',
  settlementId: null,
} as const

export function booksOf({ amount_cents, currency }: Charge) {
  const { partnerId: partner_id, environment } = MARKETPLACE
  return { partner_id, environment, amount_cents, currency }
}
