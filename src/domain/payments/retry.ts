import { MINUTE, SECOND } from '../../lib/clock.ts'

const FIRST_RETRY_MS = 5 * SECOND
const LONGEST_RETRY_MS = 60 * MINUTE

/** How long a provider that did not respond is left alone: ever longer, an hour at most. */
export function retryDelay(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** attempts, LONGEST_RETRY_MS)
}
