import { type ApiError, conflict } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import {
  type Claim,
  claimedByOthers,
  countOpenClaims,
  lockClaims,
  openClaims,
} from '../claims/claim.ts'
import { alertConflict } from './claim-conflict.ts'

/** Claims of a user that are not proven: as many as a file has rows. */
const MAX_OPEN = 50_000

export interface Claimed {
  claims: Map<string, Claim>
  /** How many of them are open since now. */
  opened: number
  /** Why there is no claim of a name. */
  errors: Map<string, ApiError>
}

/** Claims names for a user; what was claimed before stays as it is. An operator hears of a name that another has proven. */
export async function claim(
  tx: Tx,
  now: Date,
  userId: string,
  names: readonly string[],
): Promise<Claimed> {
  const known = await lockClaims(tx, userId, names)
  const others = await claimedByOthers(tx, userId, names)
  const fresh = names.filter((domain) => !known.has(domain))
  const room = Math.max(MAX_OPEN - (await countOpenClaims(tx, userId)), 0)
  const opened = [...known.keys(), ...fresh.slice(0, room)]
  await openClaims(tx, now, userId, opened)
  const claims = await lockClaims(tx, userId, opened)
  const errors = new Map<string, ApiError>()
  for (const domain of fresh.slice(room)) {
    const message = `You have ${MAX_OPEN} claims that are not proven. Prove or wait for some first.`
    errors.set(domain, conflict('limit_reached', message))
  }
  for (const [domain, { isVerified }] of others) {
    if (!isVerified) continue
    const message = `${domain} is verified by another user. An operator decides whose it is.`
    errors.set(domain, conflict('owned_by_other', message))
  }
  const contested = names.find((domain) => others.get(domain)?.isVerified)
  // Anybody can claim any name: of one user's claims that nothing proves, operators hear once an hour.
  if (contested !== undefined) await alertConflict(tx, now, { domain: contested, userId }, userId)
  return { claims, opened: Math.min(fresh.length, room), errors }
}
