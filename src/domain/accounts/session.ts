import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, MINUTE } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import type { User } from './user.ts'

export const SESSION_MS = 30 * DAY
/** How exactly a session's last use is known. */
const LAST_SEEN_RESOLUTION_MS = 5 * MINUTE
const MAX_AGENT_LENGTH = 300

/** Somebody who has signed in, and by which session. */
export interface SignedIn {
  user: User
  sessionId: string
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
    .select(['sessions.id as session_id', 'sessions.last_seen_at'])
    .where('sessions.token_hash', '=', sha256(token))
    .where('sessions.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { session_id, last_seen_at, ...user } = row
  if (last_seen_at < after(now, -LAST_SEEN_RESOLUTION_MS)) {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('id', '=', session_id)
      .execute()
  }
  return { user, sessionId: session_id }
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

/** Ends all sessions of this user, and answers how many there were. */
export async function endSessions(tx: Pick<Tx, 'deleteFrom'>, userId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function purgeSessions(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  for (const table of ['sessions', 'mailed_links', 'partner_invitations'] as const) {
    await purge(db, table, sql`expires_at <= ${now}`, signal)
  }
}
