import type { Partner } from '../../core/caller.ts'
import type { Settings } from '../../core/settings.ts'
import type { Database } from '../../db/dialect.ts'
import { nextMonthStart } from '../../lib/clock.ts'
import { payableBalances } from './make-payouts.ts'

/** What a partner has earned and has not been paid, and what the next batch pays of it. */
export async function readNextPayout(
  db: Database,
  settings: Pick<Settings, 'payoutThresholdCents' | 'payoutSchedule'>,
  { partnerId, environment }: Partner,
  currency: string,
  now: Date,
) {
  // The sandbox's are made by hand, as all are where the schedule says so.
  const at =
    environment === 'live' && settings.payoutSchedule === 'monthly' ? nextMonthStart(now) : null
  const [head, balances] = await Promise.all([
    db
      .selectFrom('commission_balances')
      .select('balance_cents')
      .where('partner_id', '=', partnerId)
      .where('environment', '=', environment)
      .where('currency', '=', currency)
      .executeTakeFirst(),
    payableBalances(db, settings, environment, at ?? now, [partnerId]),
  ])
  const own = balances.filter(({ first, reaches }) => first.currency === currency && reaches)
  return {
    balance_cents: head?.balance_cents ?? 0,
    amount_cents: own.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
    at,
  }
}
