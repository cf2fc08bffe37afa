import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { Attempt } from '../../kernel/idempotency.ts'
import type { Actor, AdminWrite } from '../../kernel/operation.ts'
import type { User } from '../../modules/accounts/user.ts'
import { type Act, auditEntry, type Origin } from '../../modules/audit/entry.ts'
import type { Performed, Write } from '../perform.ts'
import type { Web } from '../web.ts'

/**
 * Runs an operator's write, whichever door it came by: the act and its entry in the audit log commit
 * together. A refusal undoes the act, and is written down after it. A repeat of an attempt does nothing and
 * gets the first answer.
 */
export async function act(
  house: House,
  web: Web,
  operation: AdminWrite,
  input: Record<string, unknown>,
  { actor, requestId }: Origin,
  attempt: Attempt | null = null,
): Promise<Performed> {
  const now = house.clock.now()
  const entry = { actor, requestId, operation: operation.name, input }
  try {
    const prepared = await operation.prepare?.({ db: house.db, now, house }, input)
    const write: Write = async (context) => {
      const answer = await operation.handler({ ...context, actor, prepared }, input)
      const subject = subjectOf(operation, input, answer)
      context.defer(auditEntry(context.tx, now, { ...entry, subject }))
      return answer
    }
    return await web.perform(operation, now, attempt, write, { sealed: true })
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) {
      await noteRefusal(house, { ...entry, subject: subjectOf(operation, input, {}) }, error)
    }
    throw error
  }
}

/** An operator by their session. */
export function operatorOf({ id, email }: Pick<User, 'id' | 'email'>): Actor {
  return { userId: id, name: email }
}

/** The refusal stands whether or not it can be written down. */
async function noteRefusal(house: House, entry: Act, refusal: Refusal): Promise<void> {
  const statement = auditEntry(house.db, house.clock.now(), { ...entry, refusal })
  await house.db.executeQuery(statement).catch((error: unknown) => {
    house.log.warn({ err: error, operation: entry.operation }, 'audit: a refusal was not noted')
  })
}

function subjectOf({ subject, path }: AdminWrite, input: object, answer: unknown): string | null {
  const [, parameter = ''] = /\{(\w+)\}/.exec(path) ?? []
  const known: Record<string, unknown> = { ...(answer as object), ...input }
  const value = known[subject ?? parameter]
  return typeof value === 'string' ? value : null
}
