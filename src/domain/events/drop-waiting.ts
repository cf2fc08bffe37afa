import { sql } from 'kysely'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { MINUTE } from '../../lib/clock.ts'

const AT_ONCE = 10_000

/**
 * Of an endpoint that is switched off nothing waits any more; what is dropped can be sent again. Some thousands
 * with the switch, and the job drops what is left: after days of failing that may be more than one transaction
 * has time for. What another holds is being attempted just now. Returns how many were dropped.
 */
export async function dropWaiting(db: Tx | Database, endpointId: string): Promise<number> {
  const { numAffectedRows = 0n } =
    await sql`update webhook_deliveries set status = 'dropped' where id in (
    select d.id from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id and not w.active
    where d.endpoint_id = ${endpointId} and d.status = 'pending'
    limit ${AT_ONCE} for update of d skip locked
  )`.execute(db)
  return Number(numAffectedRows)
}

/** Drops what still waits for endpoints that are off, unless they are on again by then. */
export const dropOfEndpointsOff: Job = {
  name: 'drop_deliveries',
  everyMs: MINUTE,
  async run({ db }, signal) {
    const off = await db
      .selectFrom('webhook_endpoints as w')
      .select('w.id')
      .where('w.active', '=', false)
      .where((row) =>
        row.exists(
          row
            .selectFrom('webhook_deliveries as d')
            .select('d.id')
            .whereRef('d.endpoint_id', '=', 'w.id')
            .where('d.status', '=', sql.lit('pending')),
        ),
      )
      .execute()
    for (const { id } of off) {
      while (!signal.aborted && (await dropWaiting(db, id)) === AT_ONCE);
    }
  },
}
