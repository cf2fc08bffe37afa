import { z } from 'zod'
import { conflict, notFound } from '../../core/errors.ts'
import { iso, textField, timestamp } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import { adminWrite, pageWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { advisoryLock } from '../../db/advisory-lock.ts'
import type { Database } from '../../db/dialect.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import { tokenMadeMail } from './mails/token-made.ts'
import { accountEmailField, mustFindUser, noteNewAccess, userByEmail } from './user.ts'

/** How exactly a token's last use is known. */
const USED_MS = HOUR
/** So many that one page shows them all. */
const MAX_TOKENS = 100

export const labelField = textField(100).min(1)

/** What a token is for: it shows prices, and may change its user's domains. */
const TOKEN_SCOPES = ['pricing:read', 'domains:manage'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

const lifetimeField = z.int().min(1).max(366).describe('How many days it works, 366 at most.')

/** A user makes a token of their own; the response is the one place that shows it. */
export const createOwnToken = pageWrite({
  name: 'create_own_token',
  input: z.object({ label: labelField, manage: z.boolean(), days: lifetimeField }),
  output: z.object({ id: z.string(), token: z.string() }),
  async handler({ tx, now, caller }, input) {
    const { id, token } = await insertPersonalToken(tx, now, caller.user?.id ?? '', input)
    return { id, token }
  },
})

/** Makes a token; `conflict` when the user has as many that work as they may. */
async function insertPersonalToken(
  tx: Tx,
  now: Date,
  userId: string,
  { label, manage, days }: { label: string; manage: boolean; days: number },
): Promise<{ id: string; token: string; expiresAt: Date; scopes: TokenScope[] }> {
  await advisoryLock(tx, `personal tokens ${userId}`)
  const { count } = await tx
    .selectFrom('personal_tokens')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  if (count >= MAX_TOKENS) {
    throw conflict(
      'limit_reached',
      `There are ${MAX_TOKENS} tokens, as many as may be. Revoke one that is not used.`,
    )
  }
  const { token, hash } = newToken('mkt_pat')
  const id = newId('pat', now)
  const scopes: TokenScope[] = manage ? ['pricing:read', 'domains:manage'] : ['pricing:read']
  const expiresAt = after(now, days * DAY)
  await tx
    .insertInto('personal_tokens')
    .values({
      id,
      token_hash: hash,
      user_id: userId,
      label,
      scopes: scopes.join(' '),
      created_at: now,
      last_used_at: null,
      expires_at: expiresAt,
    })
    .execute()
  if (manage) await noteNewAccess(tx, now, userId)
  const { email } = await mustFindUser(tx, userId)
  await tx.executeQuery(
    queueMail(tx, now, { to: email, ...tokenMadeMail({ label, manage, expiresAt }) }),
  )
  return { id, token, expiresAt, scopes }
}

/** Whose token this is, or null. */
export async function verifyPersonalToken(
  db: Database,
  now: Date,
  token: string,
): Promise<{ userId: string; scopes: TokenScope[] } | null> {
  const row = await db
    .selectFrom('personal_tokens')
    .innerJoin('users', 'users.id', 'personal_tokens.user_id')
    .select(['personal_tokens.id', 'personal_tokens.last_used_at', 'users.id as user_id'])
    .select('personal_tokens.scopes')
    .where('token_hash', '=', sha256(token))
    .where((row) =>
      row.or([
        row('personal_tokens.expires_at', 'is', null),
        row('personal_tokens.expires_at', '>', now),
      ]),
    )
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
  return { userId: row.user_id, scopes: row.scopes.split(' ') as TokenScope[] }
}

export async function listPersonalTokens(db: Database, userId: string) {
  return await db
    .selectFrom('personal_tokens')
    .select(['id', 'label', 'scopes', 'created_at', 'last_used_at', 'expires_at'])
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

export async function revokePersonalTokens(tx: Tx, userId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('personal_tokens')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Makes a token for a user, for scripts; the token is shown in this response only. */
export const createUserToken = adminWrite({
  name: 'create_user_token',
  recent: true,
  roles: ADMINS,
  summary: 'Make a personal access token for a user',
  method: 'POST',
  path: '/user-tokens',
  subject: 'user_id',
  input: z.object({
    email: accountEmailField,
    label: labelField.default('made by an operator'),
    manage: z
      .boolean()
      .default(true)
      .describe('Whether it may change domains; else it reads prices.'),
    days: lifetimeField.default(365),
  }),
  output: z.object({
    token_id: z.string(),
    user_id: z.string(),
    email: z.string(),
    token: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    created_at: timestamp,
    expires_at: timestamp,
  }),
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { email, label, manage, days }) {
    const user = await userByEmail(tx, email)
    if (!user) throw notFound('user')
    if (user.disabled_at !== null) {
      throw conflict('not_allowed_now', 'The account is disabled. Enable it first.', {
        status: 'disabled',
      })
    }
    const made = await insertPersonalToken(tx, now, user.id, { label, manage, days })
    const { id, token, scopes, expiresAt } = made
    return {
      token_id: id,
      user_id: user.id,
      email,
      token,
      scopes,
      created_at: iso(now),
      expires_at: iso(expiresAt),
    }
  },
})
