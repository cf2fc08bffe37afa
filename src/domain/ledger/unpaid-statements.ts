import { type Expression, type SqlBool, sql } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { after, DAY } from '../../lib/clock.ts'

/** As the index of unpaid statements has it. */
export const isUnpaid: Expression<SqlBool> = sql<SqlBool>`status = 'closed' and due_at is not null
  and received_cents < gross_sold_cents - commission_retained_cents`

/** Whether a partner owes for a statement for so long that its new orders are held (contract, section 17). */
export async function isLongOverdue(
  tx: Pick<Tx, 'selectFrom'>,
  now: Date,
  { overdueHoldDays }: Pick<Settings, 'overdueHoldDays'>,
  { partnerId, environment }: Partner,
): Promise<boolean> {
  if (overdueHoldDays === undefined) return false
  const found = await tx
    .selectFrom('settlements')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .where(isUnpaid)
    .where('due_at', '<=', after(now, -overdueHoldDays * DAY))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
