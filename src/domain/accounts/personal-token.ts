import { z } from 'zod'
import { conflict, notFound } from '../../core/errors.ts'
import { iso, textField, timestamp } from '../../core/fields.ts'
import { adminWrite, pageWrite, type Tx } from '../../core/operation.ts'
import { advisoryLock } from '../../db/advisory-lock.ts'
import type { Database } from '../../db/dialect.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import { accountEmailField, userByEmail } from './user.ts'

/** How exactly a token's last use is known. */
const USED_MS = HOUR
/** So many that one page shows them all. */
const MAX_TOKENS = 100

export const labelField = textField(100).min(1)

/** A user makes a token of their own; the response is the one place that shows it. */
export const createOwnToken = pageWrite({
  name: 'create_own_token',
  input: z.object({ label: labelField }),
  output: z.object({ id: z.string(), token: z.string() }),
  handler: ({ tx, now, caller }, { label }) =>
    insertPersonalToken(tx, now, caller.user?.id ?? '', label),
})

/** Makes a token; `conflict` when the user has as many as they may. */
async function insertPersonalToken(
  tx: Tx,
  now: Date,
  userId: string,
  label: string,
): Promise<{ id: string; token: string }> {
  await advisoryLock(tx, `personal tokens ${userId}`)
  const { count } = await tx
    .selectFrom('personal_tokens')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_TOKENS) {
    throw conflict(
      'limit_reached',
      `There are ${MAX_TOKENS} tokens, as many as may be. Revoke one that is not used.`,
    )
  }
  const { token, hash } = newToken('mkt_pat')
  const id = newId('pat', now)
  await tx
    .insertInto('personal_tokens')
    .values({ id, token_hash: hash, user_id: userId, label, created_at: now, last_used_at: null })
    .execute()
  return { id, token }
}

/** Whose token this is, or null. */
export async function verifyPersonalToken(
  db: Database,
  now: Date,
  token: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('personal_tokens')
    .innerJoin('users', 'users.id', 'personal_tokens.user_id')
    .select(['personal_tokens.id', 'personal_tokens.last_used_at', 'users.id as user_id'])
    .where('token_hash', '=', sha256(token))
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  if (row.last_used_at === null || row.last_used_at < after(now, -USED_MS)) {
    await db
      .updateTable('personal_tokens')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .execute()
  }
  return row.user_id
}

export async function listPersonalTokens(db: Database, userId: string) {
  return await db
    .selectFrom('personal_tokens')
    .select(['id', 'label', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute()
}

export async function revokePersonalToken(
  db: Database,
  userId: string,
  tokenId: string,
): Promise<void> {
  await db
    .deleteFrom('personal_tokens')
    .where('user_id', '=', userId)
    .where('id', '=', tokenId)
    .execute()
}

export async function revokePersonalTokens(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('personal_tokens').where('user_id', '=', userId).execute()
}

/** Makes a token for a user, for scripts; the token is shown in this response only. */
export const createUserToken = adminWrite({
  name: 'create_user_token',
  summary: 'Make a personal access token for a user',
  method: 'POST',
  path: '/user-tokens',
  subject: 'user_id',
  input: z.object({ email: accountEmailField, label: labelField.default('made by an operator') }),
  output: z.object({
    token_id: z.string(),
    user_id: z.string(),
    email: z.string(),
    token: z.string(),
    created_at: timestamp,
  }),
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { email, label }) {
    const user = await userByEmail(tx, email)
    if (!user) throw notFound('user')
    if (user.disabled_at !== null) {
      throw conflict('not_allowed_now', 'The account is disabled. Enable it first.', {
        status: 'disabled',
      })
    }
    const { id, token } = await insertPersonalToken(tx, now, user.id, label)
    return { token_id: id, user_id: user.id, email, token, created_at: iso(now) }
  },
})
