import pLimit from 'p-limit'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { after, DAY, MINUTE, SECOND } from '../../lib/clock.ts'
import {
  claimOperations,
  LEASE_MS,
  markSent,
  protectionOf,
  registrarsWithWork,
} from './claim-operations.ts'
import {
  NotPerformed,
  type RegistrarCommand,
  type RegistrarConnection,
  type RegistrarDomain,
  type RegistrarOp,
  RegistrarRejected,
} from './driver.ts'
import {
  NOT_DONE_IN_TIME,
  NOT_IN_ACCOUNT,
  type OperationError,
  REGISTRAR_REMOVED,
  RESPONSE_LOST,
  type RegistrarOperation,
  SIMULATED,
  secretPurpose,
  UNREACHABLE,
} from './operation.ts'
import { type Attempt, type Finisher, settleOperation } from './settle-operation.ts'
import { workEach } from './work-each.ts'

/** Taken from one registrar at a time, and under way there at once. */
const BATCH = 16
const AT_ONCE = 4
/**
 * What is done by then or not at all. An authorization of a card ends after seven days. A record is worth no longer delay
 * of what the domain waits for behind it.
 */
const WITHIN_MS: Partial<Record<RegistrarOp, number>> = {
  renew: 3 * DAY,
  set_for_sale: 10 * MINUTE,
}

/** Performs registrar operations that are due, of each registrar for itself: a slow one delays no other. */
export function workOperations(finishers: readonly Finisher[]): Job {
  return {
    name: 'work_registrar_operations',
    everyMs: SECOND,
    queriesUpstream: true,
    async run(app, signal) {
      await workEach(app, signal, {
        everyMs: SECOND,
        find: () => registrarsWithWork(app.db, app.clock.now()),
        keyOf: (registrarId) => registrarId,
        work: (registrarId) => workRegistrar(app, registrarId, finishers, signal),
      })
    },
  }
}

async function workRegistrar(
  app: AppContext,
  registrarId: string | null,
  finishers: readonly Finisher[],
  signal: AbortSignal,
): Promise<void> {
  const slots = pLimit(AT_ONCE)
  for (;;) {
    if (signal.aborted) return
    const claimed = await claimOperations(app, registrarId, BATCH)
    if (claimed.length === 0) return
    await Promise.all(
      claimed.map((operation) =>
        slots(async () => {
          const attempt = await tryOperation(app, operation)
          await settleOperation(app, operation, attempt, finishers)
        }),
      ),
    )
  }
}

/**
 * One attempt. The domain's state is read first: what is so already needs no command, and what a lost response
 * left open is decided by it, so that nothing is done twice (contract, section 16).
 */
async function tryOperation(app: AppContext, operation: RegistrarOperation): Promise<Attempt> {
  const mayBeDone = operation.status === 'unknown'
  let isSent = false
  try {
    const connection = await connectionOf(app, operation)
    if (!connection) {
      return failed(REGISTRAR_REMOVED, 'The registrar connection was removed.')
    }
    const { capabilities } = connection
    if (capabilities.includes('by_hand')) return byHand(app, operation)
    const signal = AbortSignal.timeout(LEASE_MS)
    const seen = await readState(connection, operation, signal)
    if (seen === null) {
      return mayBeDone && operation.op === 'push'
        ? { kind: 'succeeded', result: {}, seen: null }
        : failed(NOT_IN_ACCOUNT, 'The domain is not in this account at the registrar.')
    }
    if (!capabilities.includes(operation.op)) {
      return failed('registrar_not_connected', 'The registrar connection cannot do this.')
    }
    const command = commandOf(app, operation, seen)
    // A domain that may have lost its protection gets it back first.
    if (seen && isSo(command, seen) && !operation.protection_removed) {
      return { kind: 'succeeded', result: resultSeen(command, seen), seen }
    }
    if (!(await markSent(app, operation, paramsOf(command)))) {
      return later('taken_over', 'Another instance has taken it over.')
    }
    isSent = true
    const result = await connection.perform(operation.domain, command, {
      signal,
      reference: operation.operation_id,
      protection: protectionOf(app, operation),
    })
    return { kind: 'succeeded', result, seen: seen ?? null }
  } catch (error) {
    return attemptOf(app, operation, error, isSent ? 'sent' : mayBeDone ? 'unknown' : 'unsent')
  }
}

/** An operator who has not done it by its time does not do it any more. */
function byHand(app: AppContext, operation: RegistrarOperation): Attempt {
  return isOver(app, operation)
    ? failed(NOT_DONE_IN_TIME, 'It was not done by hand in time.')
    : { kind: 'by_hand', until: deadlineOf(operation) }
}

type Timed = Pick<RegistrarOperation, 'op' | 'created_at'>

function deadlineOf({ op, created_at }: Timed): Date | null {
  const within = WITHIN_MS[op]
  return within === undefined ? null : after(created_at, within)
}

function isOver({ clock }: Pick<AppContext, 'clock'>, operation: Timed): boolean {
  const deadline = deadlineOf(operation)
  return deadline !== null && deadline <= clock.now()
}

async function connectionOf(
  app: AppContext,
  { registrar, registrar_id }: RegistrarOperation,
): Promise<RegistrarConnection | undefined> {
  if (registrar_id) return (await app.registrars.byId(registrar_id))?.connection
  return registrar === SIMULATED ? app.registrars.simulated : undefined
}

/** Undefined where the registrar cannot be asked. */
async function readState(
  connection: RegistrarConnection,
  { domain, operation_id }: RegistrarOperation,
  signal: AbortSignal,
): Promise<RegistrarDomain | null | undefined> {
  if (!connection.capabilities.includes('info')) return undefined
  return await connection.info(domain, { signal, reference: `${operation_id}-info` })
}

/** A renewal starts from the expiry that the registrar showed before it was first sent. */
function commandOf(
  app: AppContext,
  { operation_id, params, secret }: RegistrarOperation,
  seen: RegistrarDomain | undefined,
): RegistrarCommand {
  switch (params.op) {
    case 'set_auth_code': {
      if (!secret) throw new Error(`operation ${operation_id} has no code`)
      return { op: params.op, authCode: app.secrets.open(secret, secretPurpose(operation_id)) }
    }
    case 'renew': {
      const from = params.expiresAt === null ? seen?.expiresAt : new Date(params.expiresAt)
      return { ...params, expiresAt: from ?? null }
    }
    default:
      return params
  }
}

function paramsOf(command: RegistrarCommand): RegistrarOperation['params'] {
  switch (command.op) {
    case 'set_auth_code':
      return { op: command.op }
    case 'renew':
      return { ...command, expiresAt: command.expiresAt?.toISOString() ?? null }
    default:
      return command
  }
}

/** Whether the domain is as the command would make it. */
function isSo(command: RegistrarCommand, seen: RegistrarDomain): boolean {
  switch (command.op) {
    case 'renew':
      return (
        command.expiresAt !== null && seen.expiresAt !== null && seen.expiresAt > command.expiresAt
      )
    case 'lock':
    case 'unlock':
      return seen.locked === (command.op === 'lock')
    case 'set_nameservers':
      return sameSet(command.nameservers, seen.nameservers)
    case 'set_privacy':
      return seen.privacy === command.enabled
    default:
      // Codes cannot be read (RFC 9154, section 4.3), and setting one again changes nothing. A zone is read by its driver.
      return false
  }
}

function resultSeen(command: RegistrarCommand, { expiresAt }: RegistrarDomain) {
  return command.op === 'renew' && expiresAt ? { expiresAt } : {}
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const names = new Set(one.map((name) => name.toLowerCase()))
  return names.size === other.length && other.every((name) => names.has(name.toLowerCase()))
}

function attemptOf(
  app: AppContext,
  { operation_id, domain, op, created_at }: RegistrarOperation,
  problem: unknown,
  state: 'unsent' | 'sent' | 'unknown',
): Attempt {
  if (problem instanceof RegistrarRejected && state !== 'unknown') {
    const { code, message, reason } = problem
    return { kind: 'failed', error: { code, message, reason } }
  }
  const message = problem instanceof Error ? problem.message : 'failed'
  app.log.warn({ err: problem, operation_id, domain }, 'registrars: an attempt came to nothing')
  const isTooLate = isOver(app, { op, created_at })
  if (state === 'unsent' || (state === 'sent' && problem instanceof NotPerformed)) {
    return isTooLate ? failed(UNREACHABLE, message) : later(UNREACHABLE, message)
  }
  const code = problem instanceof NotPerformed ? UNREACHABLE : RESPONSE_LOST
  // What is asked next time begins by reading the zone, so nothing has to be known of this time.
  if (op === 'set_for_sale' && isTooLate) return failed(code, message)
  return { kind: 'unknown', error: { code, message, reason: null } }
}

function failed(code: string, message: string): Attempt {
  return { kind: 'failed', error: errorOf(code, message) }
}

function later(code: string, message: string): Attempt {
  return { kind: 'later', error: errorOf(code, message) }
}

function errorOf(code: string, message: string): OperationError {
  return { code, message, reason: null }
}
