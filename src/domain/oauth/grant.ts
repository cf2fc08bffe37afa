import { type RawBuilder, sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { prepared } from '../../db/prepared.ts'
import { inTransaction } from '../../db/transaction.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import { OAuthError } from './oauth-error.ts'
import { OAUTH_SCOPE } from './oauth-scope.ts'

const CODE_MS = 60 * SECOND
const ACCESS_MS = 30 * MINUTE
const REFRESH_MS = 30 * DAY
/** How exactly it is known when a consent and an app were last used. */
const NOTED_EVERY_MS = HOUR

/** What the token endpoint answers (RFC 6749, 5.1). */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** Records a user's consent and answers the code for it. */
export async function grantCode(
  { server, clock, settings }: Pick<AppContext, 'server' | 'clock' | 'settings'>,
  userId: string,
  request: { clientId: string; redirectUri: string; codeChallenge: string },
): Promise<string> {
  const { token, hash } = newToken('mkt_code')
  const now = clock.now()
  const grantId = newId('grt', now)
  await inTransaction({ server }, async (tx) => {
    await tx
      .insertInto('oauth_grants')
      .values({
        id: grantId,
        client_id: request.clientId,
        user_id: userId,
        scope: OAUTH_SCOPE,
        resource: settings.baseUrl,
        created_at: now,
        last_used_at: now,
        revoked_at: null,
      })
      .execute()
    await tx
      .insertInto('oauth_codes')
      .values({
        code_hash: hash,
        grant_id: grantId,
        redirect_uri: request.redirectUri,
        code_challenge: request.codeChallenge,
        expires_at: after(now, CODE_MS),
        used_at: null,
      })
      .execute()
  })
  return token
}

/** Exchanges a code for tokens; a code that comes twice ends all that came of it (RFC 9700, 4.5). */
export async function exchangeCode(
  { db, clock, settings }: Pick<AppContext, 'db' | 'clock' | 'settings'>,
  given: { clientId: string; code: string; verifier: string; redirectUri: string | undefined },
): Promise<TokenResponse> {
  const now = clock.now()
  const hash = sha256(given.code)
  const challenge = challengeOf(given.verifier)
  const { redirectUri = null, clientId } = given
  const issued = newTokens(now)
  const resource = settings.baseUrl
  const using = exchange({ ...issued.kept, hash, clientId, challenge, redirectUri, resource })
  if ((await db.executeQuery(using)).rows.length > 0) return issued.answer

  const code = await db
    .selectFrom('oauth_codes')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_codes.grant_id')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .select(['grant_id', 'redirect_uri', 'expires_at', 'used_at'])
    .select(['client_id', 'revoked_at', 'resource', 'users.disabled_at'])
    .where('code_hash', '=', hash)
    .executeTakeFirst()
  // Whoever sends it: it has leaked.
  if (code && code.used_at !== null) {
    await revokeFamily(db, now, code.grant_id)
    throw rejected('code was used before.')
  }
  if (code?.client_id !== clientId) throw rejected('code is not one of this client.')
  if (code.revoked_at !== null || code.disabled_at !== null) {
    throw rejected('The consent was taken back.')
  }
  if (code.expires_at <= now) throw rejected('code has expired.')
  if (code.resource !== resource) throw rejected('code is for another resource.')
  if (redirectUri !== null && redirectUri !== code.redirect_uri) {
    throw rejected('redirect_uri is not the one that the code was sent to.')
  }
  throw rejected('code_verifier does not fit the code_challenge.')
}

/** Exchanges a refresh token for the next pair; one that comes twice ends the family (RFC 9700, 4.14). */
export async function refreshTokens(
  { db, clock, settings }: Pick<AppContext, 'db' | 'clock' | 'settings'>,
  given: { clientId: string; refreshToken: string },
): Promise<TokenResponse> {
  const now = clock.now()
  const hash = sha256(given.refreshToken)
  const { clientId } = given
  const issued = newTokens(now)
  const resource = settings.baseUrl
  const using = refresh({ ...issued.kept, hash, clientId, resource })
  if ((await db.executeQuery(using)).rows.length > 0) return issued.answer

  const token = await db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
    .select(['grant_id', 'client_id', 'expires_at', 'used_at', 'resource'])
    .where('token_hash', '=', hash)
    .where('kind', '=', 'refresh')
    .executeTakeFirst()
  if (token && token.used_at !== null) {
    await revokeFamily(db, now, token.grant_id)
    throw rejected('refresh_token was used before.')
  }
  if (token?.client_id !== clientId) throw rejected('refresh_token is not one of this client.')
  if (token.expires_at <= now) throw rejected('refresh_token has expired.')
  if (token.resource !== resource) throw rejected('refresh_token is for another resource.')
  throw rejected('The consent was taken back.')
}

function rejected(reason: string): OAuthError {
  return new OAuthError('invalid_grant', reason)
}

/** What is kept of a new pair of tokens. */
interface Pair {
  now: Date
  access: Uint8Array
  accessUntil: Date
  refresh: Uint8Array
  refreshUntil: Date
  notedBefore: Date
}

function newTokens(now: Date): { answer: TokenResponse; kept: Pair } {
  const access = newToken('mkt_access')
  const refresh = newToken('mkt_refresh')
  return {
    answer: {
      access_token: access.token,
      token_type: 'Bearer',
      expires_in: ACCESS_MS / SECOND,
      refresh_token: refresh.token,
      scope: OAUTH_SCOPE,
    },
    kept: {
      now,
      access: access.hash,
      accessUntil: after(now, ACCESS_MS),
      refresh: refresh.hash,
      refreshUntil: after(now, REFRESH_MS),
      notedBefore: after(now, -NOTED_EVERY_MS),
    },
  }
}

interface CodeUse extends Pair {
  hash: Uint8Array
  clientId: string
  challenge: string
  redirectUri: string | null
  resource: string
}

/**
 * No row is used by two: the second finds it used once the first is committed. The challenge may be compared
 * by the database: it is a hash of what was sent, so how long that takes tells nothing of the one kept.
 */
const exchange = prepared(
  (db, { hash, clientId, challenge, redirectUri, resource, ...pair }: CodeUse) =>
    issueFor(
      sql`
      update oauth_codes c set used_at = ${pair.now}
      from oauth_grants g, users u
      where c.code_hash = ${hash} and c.used_at is null and c.expires_at > ${pair.now}
        and c.code_challenge = ${challenge}
        and c.redirect_uri = coalesce(${redirectUri}::text, c.redirect_uri)
        and g.id = c.grant_id and g.client_id = ${clientId} and g.revoked_at is null
        and g.resource = ${resource}
        and u.id = g.user_id and u.disabled_at is null
      returning g.id as grant_id, g.client_id`,
      pair,
    ).compile(db),
)

interface RefreshUse extends Pair {
  hash: Uint8Array
  clientId: string
  resource: string
}

const refresh = prepared((db, { hash, clientId, resource, ...pair }: RefreshUse) =>
  issueFor(
    sql`
      update oauth_tokens t set used_at = ${pair.now}
      from oauth_grants g, users u
      where t.token_hash = ${hash} and t.kind = 'refresh' and t.used_at is null
        and t.expires_at > ${pair.now}
        and g.id = t.grant_id and g.client_id = ${clientId} and g.revoked_at is null
        and g.resource = ${resource}
        and u.id = g.user_id and u.disabled_at is null
      returning g.id as grant_id, g.client_id`,
    pair,
  ).compile(db),
)

/**
 * Writes the pair for the grant that `used` answers, if any. An app's first use is noted, and then one an
 * hour: else all its users would wait for each other.
 */
function issueFor(used: RawBuilder<unknown>, pair: Pair): RawBuilder<{ grant_id: string }> {
  const { now, notedBefore } = pair
  return sql`
    with used as (${used}), grants as (
      update oauth_grants g set last_used_at = ${now} from used
      where g.id = used.grant_id and last_used_at < ${notedBefore}
    ), clients as (
      update oauth_clients c set last_used_at = ${now} from used
      where c.client_id = used.client_id
        and (last_used_at < ${notedBefore} or last_used_at = created_at)
    ), issued as (
      insert into oauth_tokens (token_hash, kind, grant_id, expires_at)
      select t.hash, t.kind, used.grant_id, t.expires_at
      from used, (values
        (${pair.access}::bytea, 'access', ${pair.accessUntil}::timestamptz),
        (${pair.refresh}, 'refresh', ${pair.refreshUntil})
      ) as t (hash, kind, expires_at)
    )
    select grant_id from used`
}

/** Every code and token of a consent works no more. */
export async function revokeFamily(
  tx: Pick<Tx, 'updateTable'>,
  now: Date,
  grantId: string,
): Promise<void> {
  await tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('id', '=', grantId)
    .where('revoked_at', 'is', null)
    .execute()
}

function challengeOf(verifier: string): string {
  return sha256(verifier).toString('base64url')
}
