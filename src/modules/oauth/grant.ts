import { type CompiledQuery, sql } from 'kysely'
import { prepared } from '../../kernel/database/prepared.ts'
import { transact } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx } from '../../kernel/operation.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { equalInConstantTime, sha256 } from '../../lib/signature.ts'
import { OAuthError } from './oauth-error.ts'
import { OAUTH_SCOPE } from './tables.ts'

const CODE_MS = 60 * SECOND
const ACCESS_MS = 30 * MINUTE
const REFRESH_MS = 30 * DAY
/** How exactly it is known when a consent and an app were last used. */
const NOTED_EVERY_MS = HOUR

/** What the token endpoint answers (RFC 6749, 5.1). */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** Records a user's consent and answers the code for it. */
export async function grantCode(
  { server, clock, settings }: Pick<House, 'server' | 'clock' | 'settings'>,
  userId: string,
  request: { clientId: string; redirectUri: string; codeChallenge: string },
): Promise<string> {
  const { token, hash } = newToken('mkt_code')
  const now = clock.now()
  const grantId = newId('grt', now)
  await transact(server, async (tx) => {
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
  house: Pick<House, 'server' | 'clock'>,
  given: { clientId: string; code: string; verifier: string; redirectUri: string | undefined },
): Promise<TokenAnswer> {
  return await useOnce(house, async (tx, now) => {
    const hash = sha256(given.code)
    const [found, use] = await Promise.all([
      tx.executeQuery(lockCode({ hash })),
      // Read under the grant's lock: an exchange that ran meanwhile has marked it.
      tx.executeQuery(codeUse({ hash })),
    ])
    const code = found.rows[0]
    if (!code || code.client_id !== given.clientId)
      return refused('code is not one of this client.')
    if (use.rows[0]?.used_at !== null) {
      return { revoke: code.grant_id, reason: 'code was used before.' }
    }
    if (code.revoked_at !== null) return refused('The consent was taken back.')
    if (code.expires_at <= now) return refused('code has expired.')
    if (given.redirectUri !== undefined && given.redirectUri !== code.redirect_uri) {
      return refused('redirect_uri is not the one that the code was sent to.')
    }
    if (!equalInConstantTime(challengeOf(given.verifier), code.code_challenge)) {
      return refused('code_verifier does not fit the code_challenge.')
    }
    return issueTokens(now, code, useCode({ hash, now }))
  })
}

const lockCode = prepared((db, { hash }: { hash: Uint8Array }) =>
  db
    .selectFrom('oauth_codes')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_codes.grant_id')
    .select(['grant_id', 'redirect_uri', 'code_challenge', 'expires_at', 'client_id', 'revoked_at'])
    .where('code_hash', '=', hash)
    .forUpdate('oauth_grants')
    .compile(),
)

const codeUse = prepared((db, { hash }: { hash: Uint8Array }) =>
  db.selectFrom('oauth_codes').select('used_at').where('code_hash', '=', hash).compile(),
)

const useCode = prepared((db, { hash, now }: { hash: Uint8Array; now: Date }) =>
  db.updateTable('oauth_codes').set({ used_at: now }).where('code_hash', '=', hash).compile(),
)

/** Exchanges a refresh token for the next pair; one that comes twice ends the family (RFC 9700, 4.14). */
export async function refreshTokens(
  house: Pick<House, 'server' | 'clock'>,
  given: { clientId: string; refreshToken: string },
): Promise<TokenAnswer> {
  return await useOnce(house, async (tx, now) => {
    const hash = sha256(given.refreshToken)
    const [found, use] = await Promise.all([
      tx.executeQuery(lockRefreshToken({ hash })),
      // Under the grant's lock, as above.
      tx.executeQuery(tokenUse({ hash })),
    ])
    const token = found.rows[0]
    if (!token || token.client_id !== given.clientId) {
      return refused('refresh_token is not one of this client.')
    }
    if (use.rows[0]?.used_at !== null) {
      return { revoke: token.grant_id, reason: 'refresh_token was used before.' }
    }
    if (token.revoked_at !== null || token.disabled_at !== null) {
      return refused('The consent was taken back.')
    }
    if (token.expires_at <= now) return refused('refresh_token has expired.')
    return issueTokens(now, token, useToken({ hash, now }))
  })
}

const lockRefreshToken = prepared((db, { hash }: { hash: Uint8Array }) =>
  db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .select(['grant_id', 'client_id', 'revoked_at', 'oauth_tokens.expires_at', 'disabled_at'])
    .where('token_hash', '=', hash)
    .where('kind', '=', 'refresh')
    .forUpdate('oauth_grants')
    .compile(),
)

const tokenUse = prepared((db, { hash }: { hash: Uint8Array }) =>
  db.selectFrom('oauth_tokens').select('used_at').where('token_hash', '=', hash).compile(),
)

const useToken = prepared((db, { hash, now }: { hash: Uint8Array; now: Date }) =>
  db.updateTable('oauth_tokens').set({ used_at: now }).where('token_hash', '=', hash).compile(),
)

/** Tokens to answer with, and the statements that make them good. */
interface Issued {
  answer: TokenAnswer
  statements: CompiledQuery[]
}

interface Refused {
  revoke: string | null
  reason: string
}

function refused(reason: string): Refused {
  return { revoke: null, reason }
}

/** A reuse must leave its mark, so the transaction is committed before it is refused. */
async function useOnce(
  { server, clock }: Pick<House, 'server' | 'clock'>,
  work: (tx: Tx, now: Date) => Promise<Issued | Refused>,
): Promise<TokenAnswer> {
  const now = clock.now()
  const outcome = await transact(server, async (tx, commit) => {
    const result = await work(tx, now)
    if ('answer' in result) await commit(result.statements)
    else if (result.revoke !== null) await revokeFamily(tx, now, result.revoke)
    return result
  })
  if ('answer' in outcome) return outcome.answer
  throw new OAuthError('invalid_grant', outcome.reason)
}

function issueTokens(
  now: Date,
  { grant_id, client_id }: { grant_id: string; client_id: string },
  use: CompiledQuery,
): Issued {
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
    statements: [
      use,
      issue({
        grant_id,
        client_id,
        now,
        access: access.hash,
        access_until: after(now, ACCESS_MS),
        refresh: refresh.hash,
        refresh_until: after(now, REFRESH_MS),
        noted_before: after(now, -NOTED_EVERY_MS),
      }),
    ],
  }
}

interface Pair {
  grant_id: string
  client_id: string
  now: Date
  access: Uint8Array
  access_until: Date
  refresh: Uint8Array
  refresh_until: Date
  noted_before: Date
}

/** An app's first use is noted, and then one an hour: else all its users would wait for each other. */
const issue = prepared((db, pair: Pair) =>
  sql`
    with grants as (
      update oauth_grants set last_used_at = ${pair.now}
      where id = ${pair.grant_id} and last_used_at < ${pair.noted_before}
    ), clients as (
      update oauth_clients set last_used_at = ${pair.now}
      where client_id = ${pair.client_id}
        and (last_used_at < ${pair.noted_before} or last_used_at = created_at)
    )
    insert into oauth_tokens (token_hash, kind, grant_id, expires_at)
    values (${pair.access}, 'access', ${pair.grant_id}, ${pair.access_until}),
      (${pair.refresh}, 'refresh', ${pair.grant_id}, ${pair.refresh_until})`.compile(db),
)

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
