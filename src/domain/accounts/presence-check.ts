import type { Tx } from '../../core/operation.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import { sha256 } from '../../lib/signature.ts'

const LIFETIME_MS = 10 * MINUTE

/**
 * Begins to ask somebody for a second factor. Whoever brings the token has got so far; it is used once.
 *
 * @param challenge what a passkey signs, in base64url
 * @param expiresAt when the check that this one takes the place of lapses, after a wrong code
 */
export async function beginCheck(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  userId: string,
  challenge: string,
  expiresAt: Date = after(now, LIFETIME_MS),
): Promise<string> {
  const { token, hash } = newToken('mkt_check')
  await tx
    .insertInto('presence_checks')
    .values({
      token_hash: hash,
      user_id: userId,
      challenge,
      expires_at: expiresAt,
    })
    .execute()
  return token
}

/** Whose check it is, its challenge and its end; null where it was used or has lapsed. It stays until it is ended. */
export async function findCheck(
  tx: Pick<Tx, 'selectFrom'>,
  now: Date,
  token: string,
): Promise<{ userId: string; challenge: string; expiresAt: Date } | null> {
  const found = await tx
    .selectFrom('presence_checks as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .select(['c.user_id as userId', 'c.challenge', 'c.expires_at as expiresAt'])
    .where('c.token_hash', '=', sha256(token))
    .where('c.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst()
  return found ?? null
}

/** False where another request has used it meanwhile. */
export async function endCheck(tx: Pick<Tx, 'deleteFrom'>, token: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('presence_checks')
    .where('token_hash', '=', sha256(token))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
