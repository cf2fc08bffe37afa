import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { Database } from '../../db/dialect.ts'

/** When the delivery that has waited longest was due, of endpoints that are on and do not fail; absent when none is due. */
export async function oldestDue(db: Database, now: Date): Promise<Map<Environment, Date>> {
  const { rows } = await sql<{ environment: Environment; due_at: Date }>`
    select w.environment, min(first.due_at) as due_at from webhook_endpoints w
    cross join lateral (select due_at from webhook_deliveries d
      where d.endpoint_id = w.id and d.status = 'pending' and d.due_at <= ${now}
      order by d.due_at limit 1) first
    where w.active and w.failing_since is null group by w.environment`.execute(db)
  return new Map(rows.map(({ environment, due_at }) => [environment, due_at]))
}
