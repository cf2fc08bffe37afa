import pLimit from 'p-limit'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { SECOND } from '../../lib/clock.ts'
import { type RegistrarDomain, RegistrarRejected } from './driver.ts'
import { forgetDomain, recordDomain } from './registrar-domain.ts'
import type { Sync } from './sync-domains.ts'
import { workEach } from './work-each.ts'

/** Hears what a registrar says of a domain, in the transaction that keeps it. */
export type Observer = (
  context: { tx: Tx; now: Date },
  domain: string,
  said: RegistrarDomain,
) => Promise<void>

const EVERY_MS = 2 * SECOND
const BATCH = 100
const AT_ONCE = 8
const MAX_ATTEMPTS = 5
const TIMEOUT_MS = 60_000

/** Reads the domains of syncs, as fast as each registrar lets us; what was read stays read. */
export function workSyncs(observe: Observer): Job {
  return {
    name: 'sync_registrars',
    everyMs: EVERY_MS,
    queriesUpstream: true,
    async run(app, signal) {
      await workEach(app, signal, {
        everyMs: EVERY_MS,
        find: () => runningSyncs(app),
        keyOf: ({ sync_id }) => sync_id,
        work: (sync) => workSync(app, sync, observe, signal),
      })
    },
  }
}

async function runningSyncs({ db }: AppContext): Promise<Sync[]> {
  return await db
    .selectFrom('registrar_syncs')
    .selectAll()
    .where('status', '=', 'running')
    .execute()
}

async function workSync(
  app: AppContext,
  sync: Sync,
  observe: Observer,
  stopping: AbortSignal,
): Promise<void> {
  const slots = pLimit(AT_ONCE)
  while (!stopping.aborted) {
    const pending = await app.db
      .selectFrom('registrar_sync_domains')
      .select(['domain', 'attempts'])
      .where('sync_id', '=', sync.sync_id)
      .where('outcome', '=', 'pending')
      .orderBy('attempts')
      .orderBy('domain')
      .limit(BATCH)
      .execute()
    if (pending.length === 0) return await end(app, sync)
    const outcomes = await Promise.all(
      pending.map(({ domain, attempts }) =>
        slots(() => (stopping.aborted ? true : read(app, sync, domain, attempts, observe))),
      ),
    )
    // A registrar that does not respond is asked again with the next look.
    if (outcomes.every((isRead) => !isRead)) return
  }
}

async function read(
  app: AppContext,
  sync: Sync,
  domain: string,
  attempts: number,
  observe: Observer,
): Promise<boolean> {
  const open = await app.registrars.byId(sync.registrar_id)
  if (!open) return false
  try {
    const said = await open.connection.info(domain, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      reference: `${sync.sync_id}-${domain}`.slice(0, 64),
    })
    const now = app.clock.now()
    await inTransaction(app, async (tx) => {
      if (said) {
        await recordDomain(tx, now, sync.registrar_id, domain, said)
        await observe({ tx, now }, domain, said)
      } else {
        await forgetDomain(tx, sync.registrar_id, domain)
      }
      await count(tx, sync, domain, said ? 'found' : 'missing', null)
    })
    return true
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'no response'
    const isLast = error instanceof RegistrarRejected || attempts + 1 >= MAX_ATTEMPTS
    await inTransaction(app, async (tx) => {
      if (isLast) await count(tx, sync, domain, 'failed', problem)
      else {
        await tx
          .updateTable('registrar_sync_domains')
          .set({ attempts: attempts + 1 })
          .where('sync_id', '=', sync.sync_id)
          .where('domain', '=', domain)
          .execute()
      }
    })
    return isLast
  }
}

/** Once for each domain, also when two instances read it. */
async function count(
  tx: Tx,
  { sync_id }: Sync,
  domain: string,
  outcome: 'found' | 'missing' | 'failed',
  problem: string | null,
): Promise<void> {
  const counted = await tx
    .updateTable('registrar_sync_domains')
    .set({ outcome })
    .where('sync_id', '=', sync_id)
    .where('domain', '=', domain)
    .where('outcome', '=', 'pending')
    .returning('domain')
    .executeTakeFirst()
  if (!counted) return
  await tx
    .updateTable('registrar_syncs')
    .set((row) => ({ [outcome]: row(outcome, '+', 1), ...(problem !== null && { problem }) }))
    .where('sync_id', '=', sync_id)
    .execute()
}

async function end(app: AppContext, { sync_id }: Sync): Promise<void> {
  await app.db
    .updateTable('registrar_syncs')
    .set((row) => ({
      status: row
        .case()
        .when('failed', '=', row.ref('total'))
        .then('failed' as const)
        .else('done' as const)
        .end(),
      finished_at: app.clock.now(),
    }))
    .where('sync_id', '=', sync_id)
    .execute()
}
