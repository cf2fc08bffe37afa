import { group } from 'd3-array'
import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import { type ApiError, conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { type Payee, payeeForPayout } from '../payees/payee.ts'
import { needsApproval } from './approve-payout.ts'
import type { Payout } from './payout.ts'

interface PayableNow {
  /** What can be paid, held by this transaction, and where it goes. */
  ready: { payout: Payout; payee: Payee }[]
  pending: number
  /** How many are pending for want of what. */
  missing: { approval: number; payee: number }
}

/** The payouts that are pending, have a payee that is ready, and need no approval any more. */
export async function payableNow(
  tx: Tx,
  now: Date,
  settings: Pick<Settings, 'fourEyesCents'>,
  environment: Environment,
): Promise<PayableNow> {
  const pending = await lockPending(tx, environment)
  const payees = await payeesOf(tx, pending)
  const missing = { approval: 0, payee: 0 }
  const ready = pending.flatMap((payout) => {
    const isHeld = needsApproval(settings, payout)
    const payee = payeeForPayout(payees.get(payout.partner_id) ?? [], payout, now)
    if (isHeld) missing.approval++
    if (!payee) missing.payee++
    return payee && !isHeld ? [{ payout, payee }] : []
  })
  return { ready, pending: pending.length, missing }
}

/** Why there is nothing to pay this way. */
export function nothingPayable(
  { ready, pending, missing }: PayableNow,
  what: 'exported' | 'sent',
): ApiError {
  if (pending === 0) return conflict('not_applicable', 'No payout is pending: make payouts first.')
  const elsewhere = what === 'exported' ? 'sent by a provider' : 'exported for the bank'
  return conflict(
    'not_applicable',
    `None of ${pending} pending payouts can be ${what}: ${missing.payee} have no payee that is ready, ` +
      `${missing.approval} wait for approval, ${ready.length} are to be ${elsewhere}.`,
    missing,
  )
}

/** Suspended partners, and users who are disabled, are paid once that has ended. */
async function lockPending(tx: Tx, environment: Environment): Promise<Payout[]> {
  return await tx
    .selectFrom('payouts')
    .selectAll()
    .where('environment', '=', environment)
    .where('status', '=', 'pending')
    .where('partner_id', 'in', (row) =>
      row
        .selectFrom('partners as p')
        .leftJoin('users as u', 'u.id', 'p.user_id')
        .select('p.id')
        .where('p.status', '=', 'active')
        .where('u.disabled_at', 'is', null),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
}

async function payeesOf(tx: Tx, payouts: Payout[]): Promise<Map<string, Payee[]>> {
  const ids = [...new Set(payouts.map(({ partner_id }) => partner_id))]
  const rows = await tx
    .selectFrom('payees')
    .selectAll()
    .where('partner_id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  return group(rows, ({ partner_id }) => partner_id)
}
