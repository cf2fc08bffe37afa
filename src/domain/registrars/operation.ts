import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Environment } from '../../core/caller.ts'
import { createdAt, domainView, idField, iso, timestamp } from '../../core/fields.ts'
import type { WriteContext } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { REGISTRAR_OPS, type RegistrarCommand } from './driver.ts'

export const OPERATION_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'unknown'] as const
export type OperationStatus = (typeof OPERATION_STATUSES)[number]

export type RegistrarOperation = Selectable<Schema['registrar_operations']>

/** Whether an operator is to do it by hand: it was tried, and there is nothing to wait for or to try again. */
export const isByHand = sql<boolean>`finished_at is null and status = 'queued' and attempts > 0 and error is null`

/** What a command is without its secret, which is sealed beside it. */
export type OperationParams =
  | Exclude<RegistrarCommand, { op: 'set_auth_code' } | { op: 'renew' }>
  | { op: 'set_auth_code' }
  | {
      op: 'renew'
      years: number
      expiresAt: string | null
      maxFee: { cents: number; currency: string } | null
    }

export const REGISTRAR_REMOVED = 'registrar_removed'
export const NOT_IN_ACCOUNT = 'not_in_account'
export const UNREACHABLE = 'registrar_unreachable'
export const RESPONSE_LOST = 'response_lost'
export const WITHDRAWN = 'withdrawn'
export const NOT_DONE_IN_TIME = 'not_done_in_time'

/** Why an operation failed, or did not succeed yet. */
export interface OperationError {
  /** The registrar's result code, or one of ours, such as `not_in_account`. */
  code: string
  message: string
  reason: string | null
}

export const OperationView = z
  .object({
    operation_id: idField('rop').describe('The id of the operation.'),
    domain: domainView,
    op: z.enum(REGISTRAR_OPS).describe('What the registrar is asked to do.'),
    registrar: z.string().meta({
      description: 'The name of the registrar connection, or `simulated`.',
      example: 'example-registrar',
    }),
    status: z
      .enum(OPERATION_STATUSES)
      .describe(
        '`queued` and `running` are under way. `unknown`: a response was lost, and the state of the domain ' +
          'is read before anything is repeated. `succeeded` and `failed` are final.',
      ),
    attempts: z.int().meta({ description: 'How often it was tried.', example: 1 }),
    error: z
      .object({
        code: z
          .string()
          .describe('The result code of the registrar, such as `2304`, or one of ours.'),
        message: z.string().describe('What went wrong, in words.'),
        reason: z.string().nullable().describe('What the registrar added to its words, or null.'),
      })
      .nullable()
      .meta({
        description: "The registrar's result code and words, or what kept us from asking it.",
        example: null,
      }),
    created_at: createdAt,
    finished_at: timestamp
      .nullable()
      .meta({ description: 'When it succeeded or failed, or null.', example: null }),
  })
  .meta({
    id: 'RegistrarOperation',
    description: 'Something that a registrar is asked to do with a domain.',
  })

export function viewOperation(row: RegistrarOperation): z.output<typeof OperationView> {
  return {
    operation_id: row.operation_id,
    domain: row.domain,
    op: row.op,
    registrar: row.registrar,
    status: row.status,
    attempts: row.attempts,
    error: row.error,
    created_at: iso(row.created_at),
    finished_at: iso(row.finished_at),
  }
}

/** The simulated registrar takes its time, as real ones do. */
const SIMULATED_DELAY_MS = 2 * SECOND
export const SIMULATED = 'simulated'

export interface WantedOperation {
  environment: Environment
  domain: string
  command: RegistrarCommand
  /** The connection that has the domain; null: the simulated registrar. */
  registrar: { id: string; name: string } | null
  /** What wants it, such as `order:ord_…:push`: wanted again, it is the same operation. Absent: it is another. */
  source?: string
  /** The order that it belongs to, or the user who asked for it. */
  publicId?: string
  userId?: string
}

/**
 * Writes an operation in the transaction that wants it; a worker performs it after the commit. One that its
 * source wanted before is not written again.
 *
 * @returns its id, also of the one that was there
 */
export async function queueOperation(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now'> & { app?: { secrets: SecretBox } },
  { environment, domain, command, registrar, source, publicId, userId }: WantedOperation,
): Promise<string> {
  const operation_id = newId('rop', now)
  const { params, secret } = partsOf(command)
  const inserted = await tx
    .insertInto('registrar_operations')
    .values({
      operation_id,
      environment,
      domain,
      op: command.op,
      registrar: registrar?.name ?? SIMULATED,
      registrar_id: registrar?.id ?? null,
      params: JSON.stringify(params),
      secret: secret === null ? null : sealed(app, secret, operation_id),
      source: source ?? null,
      public_id: publicId ?? null,
      user_id: userId ?? null,
      status: 'queued',
      attempts: 0,
      protection_removed: false,
      error: null,
      result: null,
      due_at: registrar ? now : after(now, SIMULATED_DELAY_MS),
      lease: null,
      leased_until: null,
      created_at: now,
      updated_at: now,
      finished_at: null,
    })
    .onConflict((known) => known.column('source').doNothing())
    .returning('operation_id')
    .executeTakeFirst()
  if (inserted || source === undefined) return operation_id
  const known = await tx
    .selectFrom('registrar_operations')
    .select('operation_id')
    .where('source', '=', source)
    .executeTakeFirstOrThrow()
  return known.operation_id
}

function sealed(
  app: { secrets: SecretBox } | undefined,
  secret: string,
  operationId: string,
): Buffer {
  if (!app) throw new Error('a command with a secret needs something to seal it')
  return app.secrets.seal(secret, secretPurpose(operationId))
}

/** What the sealed code of an operation is sealed for. */
export function secretPurpose(operationId: string): string {
  return `registrar operation ${operationId}`
}

function partsOf(command: RegistrarCommand): { params: OperationParams; secret: string | null } {
  switch (command.op) {
    case 'set_auth_code':
      return { params: { op: command.op }, secret: command.authCode }
    case 'renew':
      return { params: { ...command, expiresAt: iso(command.expiresAt) }, secret: null }
    default:
      return { params: command, secret: null }
  }
}
