import { sql } from 'kysely'
import type { AppGrant } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'
import { sha256 } from '../../lib/signature.ts'
import { revokeFamily } from './grant.ts'
import { scopesIn } from './scope.ts'

/** Whose access token this is, and by which consent, for this resource; null when it is none that is good now. */
export async function verifyAccessToken(
  db: Database,
  now: Date,
  token: string,
  resource: string,
): Promise<{ userId: string; app: AppGrant } | null> {
  const row = await db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .select(['users.id', 'grant_id', 'client_id'])
    .select((token) => token.fn.coalesce('oauth_tokens.scope', 'oauth_grants.scope').as('scope'))
    .where('token_hash', '=', sha256(token))
    .where('kind', '=', 'access')
    .where('oauth_tokens.expires_at', '>', now)
    .where('oauth_grants.revoked_at', 'is', null)
    .where('oauth_grants.resource', '=', resource)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { id, grant_id, client_id, scope } = row
  return {
    userId: id,
    app: { grantId: grant_id, clientId: client_id, scopes: scopesIn(scope) },
  }
}

/** RFC 7009: a refresh token ends its whole family, an access token itself. Unknown ones are no error. */
export async function revokeToken(
  db: Database,
  now: Date,
  given: { clientId: string; token: string },
): Promise<void> {
  const hash = sha256(given.token)
  const row = await db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
    .select(['kind', 'grant_id'])
    .where('token_hash', '=', hash)
    .where('client_id', '=', given.clientId)
    .executeTakeFirst()
  if (!row) return
  if (row.kind === 'refresh') await revokeFamily(db, now, row.grant_id)
  else await db.deleteFrom('oauth_tokens').where('token_hash', '=', hash).execute()
}

/** The apps that a user has let in. */
export async function listGrants(db: Database, userId: string) {
  return await db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_grants.client_id')
    .select(['oauth_grants.id', 'oauth_clients.name', 'oauth_clients.client_id', 'kind'])
    .select(['oauth_grants.created_at', 'oauth_grants.last_used_at', 'oauth_grants.scope'])
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where((grant) =>
      grant.exists(
        grant
          .selectFrom('oauth_tokens')
          .whereRef('oauth_tokens.grant_id', '=', 'oauth_grants.id')
          .select('grant_id'),
      ),
    )
    .orderBy('oauth_grants.id', 'desc')
    .limit(100)
    .execute()
}

/** Takes one of a user's consents back, or all of them. */
export async function revokeGrants(
  db: Pick<Tx, 'updateTable'>,
  now: Date,
  userId: string,
  grantId?: string,
): Promise<void> {
  let grants = db
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
  if (grantId !== undefined) grants = grants.where('id', '=', grantId)
  await grants.execute()
}

/** Used tokens stay as long as they could have lived, so that a reuse is known for one. */
export async function purgeGrants(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(db, 'oauth_tokens', sql`expires_at <= ${now}`, signal)
  await purge(db, 'oauth_grants', sql`last_used_at < ${after(now, -31 * DAY)}`, signal)
}
