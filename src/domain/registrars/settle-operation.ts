import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, MINUTE, SECOND } from '../../lib/clock.ts'
import type { CommandResult, RegistrarDomain } from './driver.ts'
import {
  isByHand,
  NOT_IN_ACCOUNT,
  type OperationError,
  type RegistrarOperation,
  WITHDRAWN,
} from './operation.ts'
import { forgetDomain, recordCommand, recordDomain } from './registrar-domain.ts'

/** What an attempt came to. `later`: nothing took effect. `unknown`: it may have. */
export type Attempt =
  | { kind: 'succeeded'; result: CommandResult; seen: RegistrarDomain | null }
  | { kind: 'failed'; error: OperationError }
  | { kind: 'later'; error: OperationError }
  | { kind: 'unknown'; error: OperationError }
  /** An operator does it, and says so; by `until`, where there is such a time. */
  | { kind: 'by_hand'; until: Date | null }

/** What hears of the end of operations, in the transaction that writes it. */
export interface Finisher {
  concerns(operation: RegistrarOperation): boolean
  /** `operation` has its final status; `result` is what a successful command brought. */
  finish(
    context: Pick<WriteContext, 'tx' | 'now' | 'app'>,
    operation: RegistrarOperation,
    result: CommandResult,
  ): Promise<void>
}

const FIRST_RETRY_MS = 2 * SECOND
const LONGEST_RETRY_MS = 5 * MINUTE

function retryDelay(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS)
}

/** Writes what became of an attempt, unless somebody else has taken the operation over. */
export async function settleOperation(
  app: AppContext,
  operation: RegistrarOperation,
  attempt: Attempt,
  finishers: readonly Finisher[],
): Promise<void> {
  const now = app.clock.now()
  await inTransaction(app, async (tx) => {
    const held = await tx
      .selectFrom('registrar_operations')
      .selectAll()
      .where('operation_id', '=', operation.operation_id)
      .forUpdate()
      .executeTakeFirst()
    if (!held || held.finished_at || held.lease !== operation.lease) return
    await endAttempt({ tx, now, app }, held, attempt, finishers)
  })
}

/** The same for an operation that this transaction holds. */
export async function endAttempt(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  operation: RegistrarOperation,
  attempt: Attempt,
  finishers: readonly Finisher[],
): Promise<RegistrarOperation> {
  const result = attempt.kind === 'succeeded' ? attempt.result : {}
  const error = 'error' in attempt ? attempt.error : null
  const isFinal = attempt.kind === 'succeeded' || attempt.kind === 'failed'
  const status = attempt.kind === 'later' || attempt.kind === 'by_hand' ? 'queued' : attempt.kind
  const due_at =
    attempt.kind === 'by_hand'
      ? attempt.until
      : isFinal
        ? null
        : after(now, retryDelay(operation.attempts))
  const shown = result.expiresAt ? { expires_at: result.expiresAt.toISOString() } : null
  const ended: RegistrarOperation = {
    ...operation,
    status,
    error,
    due_at,
    result: shown,
    lease: null,
    leased_until: null,
    updated_at: now,
    finished_at: isFinal ? now : null,
  }
  await tx
    .updateTable('registrar_operations')
    .set({
      status,
      error: error && JSON.stringify(error),
      result: shown && JSON.stringify(shown),
      due_at,
      lease: null,
      leased_until: null,
      updated_at: now,
      finished_at: ended.finished_at,
    })
    .where('operation_id', '=', operation.operation_id)
    .execute()
  if (!isFinal) return ended
  if (error?.code === NOT_IN_ACCOUNT && operation.registrar_id) {
    await forgetDomain(tx, operation.registrar_id, operation.domain)
  }
  if (attempt.kind === 'succeeded' && operation.registrar_id) {
    if (attempt.seen)
      await recordDomain(tx, now, operation.registrar_id, operation.domain, attempt.seen)
    await recordCommand(tx, now, operation.domain, operation.params, result)
  }
  for (const finisher of finishers) {
    if (finisher.concerns(ended)) await finisher.finish({ tx, now, app }, ended, result)
  }
  return ended
}

/**
 * What wanted an operation wants it no more: one that was not sent ends as failed, and no finisher hears of it. Returns
 * false where it may have taken effect, or an operator may be doing it.
 *
 * Whoever settles an operation locks it first and then what wanted it, which is held here: so this waits for no lock.
 */
export async function withdrawOperation(
  context: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  source: string,
  reason: string,
): Promise<boolean> {
  const unfinished = context.tx
    .selectFrom('registrar_operations')
    .selectAll()
    .where('source', '=', source)
    .where('finished_at', 'is', null)
  // What an operator is to do by hand may have been done.
  const unsent = await unfinished
    .where('status', '=', 'queued')
    .where(sql<boolean>`not (${isByHand})`)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (unsent) {
    const error = { code: WITHDRAWN, message: reason, reason: null }
    await endAttempt(context, unsent, { kind: 'failed', error }, [])
    return true
  }
  // Nothing is behind the simulated registrar, whatever it is asked.
  const asked = await unfinished.where('registrar_id', 'is not', null).executeTakeFirst()
  return asked === undefined
}

/**
 * An operator has done by hand what `source` asked for, so it ends as succeeded, and no finisher hears of it. While the
 * registrar is being asked, it may still do it itself.
 */
export async function endDoneByHand(
  context: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  source: string,
): Promise<void> {
  const { tx, now } = context
  const open = await tx
    .selectFrom('registrar_operations')
    .selectAll()
    .where('source', '=', source)
    .where('finished_at', 'is', null)
    .where((row) => row.or([row('leased_until', 'is', null), row('leased_until', '<=', now)]))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (open) await endAttempt(context, open, { kind: 'succeeded', result: {}, seen: null }, [])
}

/** Whether an operation that was asked of a real registrar may have taken effect, or an operator may be doing it. */
export async function mayBeSent(tx: Tx, source: string): Promise<boolean> {
  const asked = await tx
    .selectFrom('registrar_operations')
    .select('operation_id')
    .where('source', '=', source)
    .where('finished_at', 'is', null)
    .where('registrar_id', 'is not', null)
    .where((row) => row.or([row('status', '!=', 'queued'), isByHand]))
    .executeTakeFirst()
  return asked !== undefined
}
