import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MINUTE } from '../../lib/clock.ts'
import type { OpenRegistrar } from './connections.ts'
import type { RegistrarMessage } from './driver.ts'

const TIMEOUT_MS = 60_000
/** Of one registrar in one run; what is left comes in a minute. */
const MOST = 1_000

/** Hears that a transfer of a domain has begun or ended, in the transaction that keeps the message. */
type OnTransfer = (tx: Tx, now: Date, domain: string) => Promise<void>

/**
 * Reads what registrars say of their own accord. Each message is kept before it is acknowledged, since an
 * acknowledged one is gone at the registrar (RFC 5730, section 2.9.2.3).
 */
export function pollRegistrars(onTransfer: OnTransfer): Job {
  return {
    name: 'poll_registrars',
    everyMs: MINUTE,
    queriesUpstream: true,
    async run(app, signal) {
      const registrars = await app.db.selectFrom('registrars').select(['id', 'name']).execute()
      const polled = await Promise.allSettled(
        registrars.map(({ id }) => poll(app, id, onTransfer, signal)),
      )
      for (const [index, outcome] of polled.entries()) {
        if (outcome.status === 'fulfilled') continue
        const { name } = registrars[index] ?? {}
        app.log.warn({ err: outcome.reason, registrar: name }, 'registrars: not polled')
      }
    },
  }
}

async function poll(
  app: AppContext,
  registrarId: string,
  onTransfer: OnTransfer,
  stopping: AbortSignal,
): Promise<void> {
  const open = await app.registrars.byId(registrarId)
  if (!open?.connection.poll) return
  for (let read = 0; read < MOST && !stopping.aborted; read++) {
    const now = app.clock.now()
    const reference = `poll-${now.getTime()}-${read}`
    const message = await open.connection.poll({
      signal: AbortSignal.timeout(TIMEOUT_MS),
      reference,
    })
    if (!message) return
    await keep(app, open, message, onTransfer)
    await open.connection.acknowledge?.(message.id, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      reference: `${reference}-ack`,
    })
    await app.db
      .updateTable('registrar_messages')
      .set({ acknowledged_at: app.clock.now() })
      .where('registrar_id', '=', registrarId)
      .where('message_id', '=', message.id)
      .execute()
  }
}

async function keep(
  app: AppContext,
  { registrar }: OpenRegistrar,
  { id, domain, kind, text, queuedAt }: RegistrarMessage,
  onTransfer: OnTransfer,
): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const kept = await tx
      .insertInto('registrar_messages')
      .values({
        registrar_id: registrar.id,
        message_id: id,
        domain,
        kind,
        text,
        queued_at: queuedAt,
        received_at: now,
        acknowledged_at: null,
      })
      .onConflict((known) => known.columns(['registrar_id', 'message_id']).doNothing())
      .returning('message_id')
      .executeTakeFirst()
    if (kept && domain && kind === 'transfer') await onTransfer(tx, now, domain)
  })
}
