import type { Partner } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { fixedOutcome } from '../listings/fixed-outcome.ts'

/** Why an order waits for an operator before its transfer; null when it need not. */
export async function reasonToHold(
  tx: Tx,
  policy: Settings['review'],
  { partnerId, environment }: Partner,
  domain: string,
  priceCents: number,
): Promise<string | null> {
  if (fixedOutcome(environment, domain) === 'manual_review') return 'manual_review'
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
