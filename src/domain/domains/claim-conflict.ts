import type { Tx } from '../../core/operation.ts'
import { raiseAlert } from '../../core/raise-alert.ts'

/** Tells operators that a user claims what somebody else has; the same cause has one alert an hour. */
export async function alertConflict(
  tx: Tx,
  now: Date,
  { domain, userId }: { domain: string; userId: string },
  cause: string,
): Promise<void> {
  const type = 'alert.claim_conflict'
  const data = { domain, user_id: userId }
  await tx.executeQuery(raiseAlert(tx, now, { environment: 'live', type, cause, data }))
}
