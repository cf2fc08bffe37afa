import { sql } from 'kysely'
import type { z } from 'zod'
import { after, MINUTE } from '../lib/clock.ts'
import type { Actor } from './caller.ts'
import type { AppContext } from './context.ts'
import { ApiError } from './errors.ts'
import type { AdminOperation } from './operation.ts'
import type { Roles } from './roles.ts'

/** How long somebody who has shown that it is them is believed, before money, secrets and roles. */
export const RECENT_MS = 10 * MINUTE

/** The operator has to show again that it is them; pages ask them to, and programs cannot. */
export class ConfirmationNeeded extends ApiError {
  constructor() {
    super('forbidden', 'Confirm that it is you: sign in again, or do this in the console.')
  }
}

type Guarded = Pick<AdminOperation, 'name' | 'roles'>

/** Reads the input of an operation that the operator's role opens (contract, section 17). */
export function inRole<I extends z.ZodObject>(
  { name, roles }: Guarded,
  actor: Pick<Actor, 'role'>,
  read: () => z.output<I>,
): z.output<I> {
  if (!('of' in roles)) assertRole(name, roles, actor)
  const input = read()
  if ('of' in roles) assertRole(name, roles.of(input), actor)
  return input
}

/** The same, where a rejection is kept: `reject` gets as much of the input as can be read. */
export async function readInRole<I extends z.ZodObject>(
  operation: Guarded,
  actor: Pick<Actor, 'role'>,
  read: () => z.output<I>,
  reject: (input: object, error: unknown) => Promise<never>,
): Promise<z.output<I>> {
  try {
    return inRole(operation, actor, read)
  } catch (error) {
    if (!(error instanceof RoleRejected)) throw error
    return await reject(readable(read) ?? {}, error)
  }
}

function readable<I>(read: () => I): I | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** The operator's role does not open this. */
class RoleRejected extends ApiError {
  constructor(name: string, role: Actor['role'], open: Roles) {
    super('forbidden', `Operators with the role ${role} cannot do this: ${name}.`, {
      details: { role, roles: open },
    })
  }
}

export function assertRole(name: string, open: Roles, { role }: Pick<Actor, 'role'>): void {
  if (open.includes(role)) return
  throw new RoleRejected(name, role, open)
}

/**
 * Operators who act on the live environment have a second factor, and have shown within ten minutes that it is them
 * where money, secrets or roles are changed.
 */
export async function assertPresence(
  { db, settings }: Pick<AppContext, 'db' | 'settings'>,
  { recent }: { recent?: true },
  { presence }: Actor,
  input: Record<string, unknown>,
  now: Date,
): Promise<void> {
  if (!presence || !settings.operatorSecondFactor) return
  if (await isOfSandbox(db, input)) return
  if (!presence.hasSecondFactor) {
    throw new ApiError(
      'forbidden',
      'Operators need a second factor to act on the live market: add a passkey or an authenticator app to your account.',
      { details: { second_factor: 'missing' } },
    )
  }
  if (recent && presence.confirmedAt < after(now, -RECENT_MS)) throw new ConfirmationNeeded()
}

/** The tables of what an operation may be about, by the field of its input that names it. */
const SUBJECTS = [
  ['public_id', 'orders', 'public_id', 'ord_'],
  ['case_id', 'brokerage_cases', 'case_id', 'case_'],
  ['id', 'payouts', 'id', 'po_'],
  ['id', 'settlements', 'id', 'stl_'],
  ['id', 'payments', 'id', 'pay_'],
  ['session_id', 'checkout_sessions', 'id', 'cs_'],
] as const

async function isOfSandbox(db: AppContext['db'], input: Record<string, unknown>): Promise<boolean> {
  if (typeof input.environment === 'string') return input.environment === 'sandbox'
  for (const [field, table, key, prefix] of SUBJECTS) {
    const id = input[field]
    if (typeof id !== 'string' || !id.startsWith(prefix)) continue
    const { rows } = await sql<{ environment: string }>`
      select environment from ${sql.table(table)} where ${sql.ref(key)} = ${id}`.execute(db)
    return rows[0]?.environment === 'sandbox'
  }
  return false
}
