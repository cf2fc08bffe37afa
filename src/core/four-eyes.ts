import type { Actor } from './caller.ts'
import type { Settings } from './settings.ts'

/** The token of the installation: its name in the audit log, and the person that it counts as. */
export const ADMIN_TOKEN = 'admin token'

/** Whether an amount is above FOUR_EYES_CENTS, so that it needs a second person (contract, section 17). */
export function needsSecondPerson(
  { fourEyesCents }: Pick<Settings, 'fourEyesCents'>,
  cents: number,
): boolean {
  return fourEyesCents !== undefined && cents > fourEyesCents
}

/**
 * Whether who acts now may be who asked before. A person is one by whatever session or token they act. Whoever has the
 * installation's token may have made or used any other token, so that tokens of which one is the installation's count as
 * one person (contract, section 17).
 *
 * @param asked what is stored of who asked: the name is null where nobody did, the person is null of older rows
 */
export function mayBeSamePerson(
  asked: { name: string | null; person: string | null },
  actor: Pick<Actor, 'name' | 'person'>,
): boolean {
  const { name, person } = asked
  if (name === null) return false
  if (person === null ? name === actor.name : person === actor.person) return true
  if (!isToken(name) || !isToken(actor.name)) return false
  return person === null || person === ADMIN_TOKEN || actor.person === ADMIN_TOKEN
}

/** Operators who sign in are named by their e-mail address, which has no space. */
function isToken(name: string): boolean {
  return name === ADMIN_TOKEN || name.startsWith('token ')
}
