import type { Partner } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { isVerifiedByOperator } from '../claims/claim.ts'
import { isLongOverdue } from '../ledger/unpaid-statements.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'
import type { Listing } from '../listings/listing.ts'
import { findRegistrarDomains } from '../registrars/registrar-domain.ts'
import { limitReached, type PartnerLimits } from './partner-limits.ts'

/** Nothing but an operator's import says that the domain is ours to sell. */
export const NOT_VERIFIED = 'ownership_not_verified'

interface SaleToReview {
  partner: Partner
  limits: PartnerLimits
  listing: Pick<Listing, 'domain' | 'seller_id'>
  priceCents: number
  /** What the partner owes by it: of a sale that the marketplace collects, nothing. */
  owedCents: number
}

/** Why an order waits for an operator before its transfer; null when it need not. */
export async function reasonToHold(
  tx: Tx,
  now: Date,
  settings: Pick<Settings, 'review' | 'registry' | 'overdueHoldDays'>,
  { partner, limits, listing, priceCents, owedCents }: SaleToReview,
): Promise<string | null> {
  const { partnerId, environment } = partner
  const { review: policy, registry } = settings
  if (fixedOutcome(environment, listing.domain) === 'manual_review') return 'manual_review'
  const [isProven, isOverdue] = await Promise.all([
    environment === 'sandbox' || registry === 'simulated' || isOurs(tx, listing),
    isLongOverdue(tx, now, settings, partner),
  ])
  if (!isProven) return NOT_VERIFIED
  if (isOverdue) return 'statement_overdue'
  const limit = await limitReached(tx, now, partner, limits, owedCents)
  if (limit !== null) return limit
  if (policy.overCents !== undefined && priceCents > policy.overCents) return 'high_price'
  if (environment === 'live' && policy.firstLiveOrders > 0) {
    const earlier = await tx
      .selectFrom('orders')
      .select('public_id')
      .where('partner_id', '=', partnerId)
      .where('environment', '=', 'live')
      .limit(policy.firstLiveOrders)
      .execute()
    if (earlier.length < policy.firstLiveOrders) return 'first_orders'
  }
  return null
}

/**
 * Whether something outside proves that a live domain is for us to sell: its seller's claim, or a registrar account or an
 * operator's claim of ours. Any other claim proves that the domain is a user's (contract, section 16).
 */
async function isOurs(
  tx: Tx,
  { domain, seller_id }: Pick<Listing, 'domain' | 'seller_id'>,
): Promise<boolean> {
  if (seller_id !== null || (await isVerifiedByOperator(tx, domain))) return true
  return (await findRegistrarDomains(tx, [domain])).has(domain)
}
