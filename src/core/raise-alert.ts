import { type CompiledQuery, sql } from 'kysely'
import type { Environment } from './caller.ts'
import type { Tx } from './operation.ts'

/** What operators are told of at once (contract, section 17). */
export type AlertType =
  | 'alert.order_paid'
  | 'alert.order_held'
  | 'alert.transfer_stalled'
  | 'alert.refund_failed'
  | 'alert.dispute_opened'
  | 'alert.payout_failed'
  | 'alert.job_failed'
  | 'alert.claim_conflict'
  | 'alert.code_not_cleared'

/**
 * The statement that raises an alert, unless the same cause had one within the hour. What rows show by themselves,
 * such as an order that is held, triggers of the database raise.
 */
export function raiseAlert(
  tx: Tx,
  now: Date,
  {
    environment,
    type,
    cause,
    data,
  }: { environment: Environment; type: AlertType; cause: string; data: object },
): CompiledQuery {
  return sql`select raise_alert(${environment}, ${type}, ${cause}, ${JSON.stringify(data)}::jsonb,
    ${now}::timestamptz)`.compile(tx)
}
