import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { conflict, notAllowedNow, notFound } from '../../core/errors.ts'
import { domainField, idField, paging, textField, timestampField } from '../../core/fields.ts'
import { adminRead, adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import { driverOf } from './drivers.ts'
import {
  OPERATION_STATUSES,
  OperationView,
  type RegistrarOperation,
  viewOperation,
} from './operation.ts'
import { type Attempt, endAttempt, type Finisher } from './settle-operation.ts'

const operationId = z.string().describe('The id of the operation.')

export const listOperations = adminRead({
  name: 'list_registrar_operations',
  roles: READERS,
  summary: 'List what registrars were asked to do, newest first',
  method: 'GET',
  path: '/registrar-operations',
  input: z.object({
    domain: domainField.optional(),
    status: z.enum(OPERATION_STATUSES).optional(),
    public_id: idField('ord').optional().describe('Only those of this order.'),
    ...paging,
  }),
  output: z.object({
    operations: z.array(OperationView),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'registrar_operations', ...filters }
    let query = db.selectFrom('registrar_operations').selectAll()
    if (filters.domain) query = query.where('domain', '=', filters.domain)
    if (filters.public_id) query = query.where('public_id', '=', filters.public_id)
    if (filters.status) query = query.where('status', '=', filters.status)
    const { rows, next_cursor } = await readPage(query, 'operation_id', { cursor, limit, bound })
    return { operations: rows.map(viewOperation), next_cursor }
  },
})

export const retryOperation = adminWrite({
  name: 'retry_registrar_operation',
  roles: ADMINS,
  summary: 'Try a registrar operation again now',
  description:
    'One that waits is tried at once. One that failed is tried anew, unless an order or a payment has gone on ' +
    'without it: start the transfer or order the renewal again instead. What takes a transfer code back is tried ' +
    'anew unless another transfer of the domain is in progress.',
  method: 'POST',
  path: '/registrar-operations/{operation_id}/retry',
  input: z.object({ operation_id: operationId }),
  output: OperationView,
  status: 202,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now }, { operation_id }) {
    const operation = await lockOperation(tx, operation_id)
    const { status, op, public_id, registrar_id } = operation
    if (status === 'succeeded' || status === 'running') {
      throw notAllowedNow('operation', status, `The operation is ${status}.`)
    }
    if (op === 'clear_auth_code') await assertNoTransfer(tx, operation)
    else if (status === 'failed' && (op === 'renew' || public_id !== null)) {
      const instead = op === 'renew' ? 'Order the renewal again.' : 'Start the transfer again.'
      throw notAllowedNow(
        'operation',
        status,
        `What wanted it was ended when it failed. ${instead}`,
      )
    }
    if (op === 'set_for_sale') await assertStillAsked(tx, operation)
    if (registrar_id === null && operation.registrar !== 'simulated') {
      throw notAllowedNow('operation', status, 'Its registrar connection was removed.')
    }
    const change = { status: status === 'failed' ? 'queued' : status, due_at: now } as const
    await tx
      .updateTable('registrar_operations')
      .set({ ...change, finished_at: null, updated_at: now })
      .where('operation_id', '=', operation_id)
      .execute()
    return viewOperation({ ...operation, ...change, finished_at: null })
  },
})

/** It would take back the code of the next order. */
async function assertNoTransfer(
  tx: Tx,
  { environment, domain, status }: RegistrarOperation,
): Promise<void> {
  const running = await tx
    .selectFrom('orders')
    .select('public_id')
    .where('environment', '=', environment)
    .where('domain', '=', domain)
    .where('status', '=', 'TRANSFER_IN_PROGRESS')
    .executeTakeFirst()
  if (!running) return
  throw notAllowedNow('operation', status, 'Another transfer of the domain is in progress.')
}

/** The domain may have been sold since: a record that was asked for then would say otherwise. */
async function assertStillAsked(
  tx: Tx,
  { operation_id, status }: RegistrarOperation,
): Promise<void> {
  const record = await tx
    .selectFrom('for_sale_records')
    .select('domain')
    .where('operation_id', '=', operation_id)
    .executeTakeFirst()
  if (record) return
  throw notAllowedNow('operation', status, 'Another operation for this record has followed it.')
}

/** For a connection at which operators act by hand, and for what a registrar does not tell any more. */
export function settleByHand(finishers: readonly Finisher[]) {
  return adminWrite({
    name: 'settle_registrar_operation',
    roles: ADMINS,
    summary:
      'Say what became of an operation that you did by hand, or whose registrar does not tell',
    method: 'POST',
    path: '/registrar-operations/{operation_id}/settle',
    input: z.object({
      operation_id: operationId,
      outcome: z.enum(['succeeded', 'failed']),
      reason: textField(1_000)
        .optional()
        .describe(
          'Why it failed, or how you know what became of an operation that is `unknown`. Required then.',
        ),
      expires_at: timestampField
        .optional()
        .describe('The expiry that the registrar shows after a renewal. Required then.'),
    }),
    output: OperationView,
    status: 200,
    errors: ['validation_error', 'not_found', 'conflict'],
    async handler({ tx, now, app }, { operation_id, outcome, reason, expires_at }) {
      const operation = await lockOperation(tx, operation_id)
      if (operation.finished_at) {
        throw notAllowedNow('operation', operation.status, `The operation has ${operation.status}.`)
      }
      if (operation.status === 'unknown') assertKnown(now, operation, reason)
      else await assertByHand(tx, operation)
      const attempt = attemptOf(operation, outcome, reason, expires_at)
      return viewOperation(await endAttempt({ tx, now, app }, operation, attempt, finishers))
    },
  })
}

function attemptOf(
  { op }: RegistrarOperation,
  outcome: 'succeeded' | 'failed',
  reason: string | undefined,
  expiresAt: Date | undefined,
): Attempt {
  if (outcome === 'failed') {
    if (!reason) throw conflict('not_applicable', 'Say with `reason` why it failed.')
    return { kind: 'failed', error: { code: 'by_hand', message: reason, reason: null } }
  }
  // Registrars make codes themselves, too: which one is good, only its giver can say.
  if (op === 'set_auth_code') {
    throw conflict('not_applicable', 'Give the code with `order set-code`, which ends this.')
  }
  if (op === 'renew' && !expiresAt) {
    throw conflict('not_applicable', 'Say with `expires_at` what the registrar shows now.')
  }
  return { kind: 'succeeded', result: { expiresAt }, seen: null }
}

/** An operator has asked the registrar otherwise. While it is being asked by us, it may tell itself. */
function assertKnown(
  now: Date,
  { leased_until, status }: RegistrarOperation,
  reason: string | undefined,
): void {
  if (leased_until !== null && leased_until > now) {
    throw notAllowedNow('operation', status, 'The registrar is being asked. Try again in a minute.')
  }
  if (!reason) throw conflict('not_applicable', 'Say with `reason` how you know of it.')
}

async function assertByHand(tx: Tx, { registrar_id }: RegistrarOperation): Promise<void> {
  const registrar = await tx
    .selectFrom('registrars')
    .select('driver')
    .where('id', '=', registrar_id)
    .executeTakeFirst()
  if (registrar && driverOf(registrar.driver).capabilities.includes('by_hand')) return
  throw conflict('not_applicable', 'The registrar says itself what becomes of this operation.')
}

async function lockOperation(tx: Tx, operationId: string): Promise<RegistrarOperation> {
  const operation = await tx
    .selectFrom('registrar_operations')
    .selectAll()
    .where('operation_id', '=', operationId)
    .forUpdate()
    .executeTakeFirst()
  if (!operation) throw notFound('registrar operation')
  return operation
}
