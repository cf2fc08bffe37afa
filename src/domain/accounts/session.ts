import { sql } from 'kysely'
import type { Presence } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import type { User } from './user.ts'

export const SESSION_MS = 30 * DAY
/** Of operators: a working day, and no longer than an hour without a request. */
const OPERATOR_SESSION_MS = 12 * HOUR
const OPERATOR_IDLE_MS = HOUR
/** How exactly a session's last use is known. */
const LAST_SEEN_RESOLUTION_MS = 5 * MINUTE
const MAX_AGENT_LENGTH = 300

/** Somebody who has signed in, and by which session. */
export interface SignedIn {
  user: User
  sessionId: string
  presence: Presence
}

export async function openSession(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  userId: string,
  { userAgent, address }: { userAgent: string; address: string },
): Promise<string> {
  const { token, hash } = newToken('mkt_session')
  await tx
    .insertInto('sessions')
    .values({
      id: newId('ses', now),
      token_hash: hash,
      user_id: userId,
      user_agent: userAgent.slice(0, MAX_AGENT_LENGTH),
      address,
      created_at: now,
      last_seen_at: now,
      expires_at: after(now, SESSION_MS),
      confirmed_at: now,
    })
    .execute()
  return token
}

export async function findSession(
  db: Database,
  now: Date,
  token: string,
): Promise<SignedIn | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .select(['sessions.id as session_id', 'sessions.last_seen_at', 'sessions.confirmed_at'])
    .select('sessions.created_at as began_at')
    .select((row) =>
      row
        .exists(
          row
            .selectFrom('second_factors as f')
            .select('f.factor_id')
            .whereRef('f.user_id', '=', 'users.id')
            .where('f.confirmed_at', 'is not', null),
        )
        .as('has_second_factor'),
    )
    .where('sessions.token_hash', '=', sha256(token))
    .where('sessions.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { session_id, began_at, last_seen_at, confirmed_at, has_second_factor, ...user } = row
  const isOver =
    began_at < after(now, -OPERATOR_SESSION_MS) || last_seen_at < after(now, -OPERATOR_IDLE_MS)
  if (user.is_operator && isOver) return null
  if (last_seen_at < after(now, -LAST_SEEN_RESOLUTION_MS)) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('id', '=', session_id)
      .execute()
  }
  const presence = {
    hasSecondFactor: Boolean(has_second_factor),
    confirmedAt: confirmed_at,
    since: began_at,
  }
  return { user, sessionId: session_id, presence }
}

export async function listSessions(db: Database, now: Date, userId: string) {
  return await db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'address', 'created_at', 'last_seen_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .limit(100)
    .execute()
}

/** Ends one session of this user. */
export async function endSession(db: Database, userId: string, sessionId: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .execute()
}

/** Ends all sessions of this user and the sign-ins that wait for a second factor; returns how many sessions there were. */
export async function endSessions(tx: Pick<Tx, 'deleteFrom'>, userId: string): Promise<number> {
  await tx.deleteFrom('presence_checks').where('user_id', '=', userId).execute()
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Removes what nobody can sign in with any more: sessions, links, checks and tokens that have lapsed. */
export async function purgeSignIns(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  for (const table of [
    'sessions',
    'mailed_links',
    'partner_invitations',
    'presence_checks',
    'personal_tokens',
    'admin_tokens',
  ] as const) {
    await purge(db, table, sql`expires_at <= ${now}`, signal)
  }
}

/** They have shown again that they are there. */
export async function confirmSession(
  tx: Pick<Tx, 'updateTable'>,
  now: Date,
  sessionId: string,
): Promise<void> {
  await tx.updateTable('sessions').set({ confirmed_at: now }).where('id', '=', sessionId).execute()
}
