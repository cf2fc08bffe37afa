import type { CompiledQuery } from 'kysely'
import { newId } from '../lib/ids.ts'
import { ellipsize } from '../lib/truncate.ts'
import type { Actor } from './caller.ts'
import type { AppContext } from './context.ts'
import { ApiError } from './errors.ts'
import type { AdminWrite, Tx } from './operation.ts'

export const DONE = 'done'

/** Whose doing something is. */
export interface Origin {
  actor: Pick<Actor, 'userId' | 'name'>
  requestId: string
}

/** What an operator did, or tried to. */
export interface AuditRecord extends Origin {
  /** The operation's name. */
  operation: string
  subject: string | null
  input: object
  /** Absent when it was done. */
  error?: { code: string; message: string }
}

const MAX_TEXT = 1_000
const MAX_ITEMS = 20
/** Also the code of a transfer, and what connects to a registrar. */
const SECRET = /password|secret|token|^(?:code|config)$/i

/** What an operation was about: the field that it declares, or the first of its path. */
export function subjectOf(
  { subject, path }: Pick<AdminWrite, 'subject' | 'path'>,
  input: object,
  output: unknown,
): string | null {
  const [, parameter = ''] = /\{(\w+)\}/.exec(path) ?? []
  const fields: Record<string, unknown> = { ...(output as object), ...input }
  const value = fields[subject ?? parameter]
  return typeof value === 'string' ? value : null
}

/** The statement that writes an act down: in the transaction of what it did, or by itself when rejected. */
export function auditEntry(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  { actor, operation, subject, input, requestId, error: refusal }: AuditRecord,
): CompiledQuery {
  return tx
    .insertInto('audit_entries')
    .values({
      id: newId('aud', now),
      at: now,
      actor: actor.name,
      user_id: actor.userId,
      operation,
      subject,
      input: JSON.stringify(summarize(input)),
      outcome: refusal?.code ?? DONE,
      message: refusal?.message ?? null,
      request_id: requestId,
    })
    .compile()
}

/** Writes down what was rejected, after it was undone. The rejection stands whether or not this can be recorded. */
export async function recordRejection(
  { db, clock, log }: Pick<AppContext, 'db' | 'clock' | 'log'>,
  record: Omit<AuditRecord, 'error'>,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError) || error.status >= 500) return
  const { operation } = record
  await db
    .executeQuery(auditEntry(db, clock.now(), { ...record, error }))
    .catch((err: unknown) => log.warn({ err, operation }, 'audit: not recorded'))
}

/** The input without secrets, and no longer than a person reads. */
function summarize(value: unknown): unknown {
  if (typeof value === 'string') return ellipsize(value, MAX_TEXT)
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_ITEMS).map(summarize)
    const left = value.length - shown.length
    return left > 0 ? [...shown, `… and ${left} more`] : shown
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, SECRET.test(key) ? '(not kept)' : summarize(part)]),
  )
}
