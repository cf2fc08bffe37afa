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
 * Whether who acts now is who asked before. A person is one by whatever session they act, and by the tokens that they made;
 * the installation's token is one person, and so is each token that was made with it (contract, section 17).
 *
 * @param asked what is stored of who asked: the name is null where nobody did, the person is null of older rows
 */
export function isSamePerson(
  asked: { name: string | null; person: string | null },
  actor: Pick<Actor, 'name' | 'person'>,
): boolean {
  const { name, person } = asked
  return person === null ? name === actor.name : person === actor.person
}
