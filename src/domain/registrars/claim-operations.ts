import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Database } from '../../db/dialect.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import { NotPerformed, type Protection } from './driver.ts'
import { isByHand, type OperationParams, type RegistrarOperation } from './operation.ts'

/** Longer than the calls of one attempt may take together: until then nobody else has the operation. */
export const LEASE_MS = 5 * MINUTE

/** The connections that have something to do now; null is the simulated registrar. */
export async function registrarsWithWork(db: Database, now: Date): Promise<(string | null)[]> {
  const { rows } = await sql<{ registrar_id: string | null }>`
    select distinct registrar_id from registrar_operations
    where finished_at is null and due_at <= ${now}
      and (leased_until is null or leased_until <= ${now})`.execute(db)
  return rows.map(({ registrar_id }) => registrar_id)
}

/**
 * Takes operations that are due, of each domain the oldest that is not finished; what an operator does by hand holds
 * up no other. One that somebody had before and did not finish is `unknown`: nobody can say how far they came.
 */
export async function claimOperations(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  registrarId: string | null,
  count: number,
): Promise<RegistrarOperation[]> {
  const now = clock.now()
  const { rows } = await sql<RegistrarOperation>`
    update registrar_operations set lease = ${randomUUID()}, leased_until = ${after(now, LEASE_MS)},
      attempts = attempts + 1, updated_at = ${now},
      status = case status when 'queued' then 'running' else 'unknown' end
    where operation_id in (
      select o.operation_id from registrar_operations o
      where o.registrar_id is not distinct from ${registrarId} and o.finished_at is null
        and o.due_at <= ${now} and (o.leased_until is null or o.leased_until <= ${now})
        and not exists (select 1 from registrar_operations earlier
          where earlier.domain = o.domain and earlier.environment = o.environment
            and earlier.finished_at is null and earlier.operation_id < o.operation_id
            and not (${isByHand}))
      order by o.due_at, o.operation_id limit ${count} for update skip locked)
    returning *`.execute(db)
  return rows
}

/**
 * Says that the command is sent now, and makes sure that the operation is still ours: whoever finds it later
 * without an end reads the domain's state first.
 */
export async function markSent(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  { operation_id, lease }: RegistrarOperation,
  params: OperationParams,
): Promise<boolean> {
  const now = clock.now()
  const marked = await db
    .updateTable('registrar_operations')
    .set({
      params: JSON.stringify(params),
      status: 'running',
      leased_until: after(now, LEASE_MS),
      updated_at: now,
    })
    .where('operation_id', '=', operation_id)
    .where('lease', '=', lease)
    .where('finished_at', 'is', null)
    .returning('operation_id')
    .executeTakeFirst()
  return marked !== undefined
}

/** What an operation remembers of the protection of its domain. */
export function protectionOf(
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  { operation_id, lease, protection_removed }: RegistrarOperation,
): Protection {
  let isRemoved = protection_removed
  return {
    get isRemoved() {
      return isRemoved
    },
    async remember(is) {
      const held = await db
        .updateTable('registrar_operations')
        .set({ protection_removed: is, updated_at: clock.now() })
        .where('operation_id', '=', operation_id)
        .where('lease', '=', lease)
        .returning('operation_id')
        .executeTakeFirst()
      if (!held) throw new NotPerformed('Another instance has taken it over.')
      isRemoved = is
    },
  }
}
