import type { Settings } from './settings.ts'

/** Whether an amount is above FOUR_EYES_CENTS, so that it needs a second person (contract, section 17). */
export function needsSecondPerson(
  { fourEyesCents }: Pick<Settings, 'fourEyesCents'>,
  cents: number,
): boolean {
  return fourEyesCents !== undefined && cents > fourEyesCents
}
