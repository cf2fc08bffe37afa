import { transact } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import type { Tx } from '../../kernel/operation.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, MINUTE, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { equalInConstantTime, sha256 } from '../../lib/signature.ts'
import { OAuthError } from './oauth-error.ts'
import { OAUTH_SCOPE } from './tables.ts'

const CODE_MS = 60 * SECOND
const ACCESS_MS = 30 * MINUTE
const REFRESH_MS = 30 * DAY

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
    const code = await tx
      .selectFrom('oauth_codes')
      .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_codes.grant_id')
      .selectAll('oauth_codes')
      .select(['client_id', 'revoked_at'])
      .where('code_hash', '=', hash)
      .forUpdate('oauth_grants')
      .executeTakeFirst()
    if (!code || code.client_id !== given.clientId)
      return refused('code is not one of this client.')
    // Read under the grant's lock: an exchange that ran meanwhile has marked it.
    const { used_at } = await tx
      .selectFrom('oauth_codes')
      .select('used_at')
      .where('code_hash', '=', hash)
      .executeTakeFirstOrThrow()
    if (used_at !== null) return { revoke: code.grant_id, reason: 'code was used before.' }
    if (code.revoked_at !== null) return refused('The consent was taken back.')
    if (code.expires_at <= now) return refused('code has expired.')
    if (given.redirectUri !== undefined && given.redirectUri !== code.redirect_uri) {
      return refused('redirect_uri is not the one that the code was sent to.')
    }
    if (!equalInConstantTime(challengeOf(given.verifier), code.code_challenge)) {
      return refused('code_verifier does not fit the code_challenge.')
    }
    await tx
      .updateTable('oauth_codes')
      .set({ used_at: now })
      .where('code_hash', '=', hash)
      .execute()
    return await issueTokens(tx, now, code.grant_id)
  })
}

/** Exchanges a refresh token for the next pair; one that comes twice ends the family (RFC 9700, 4.14). */
export async function refreshTokens(
  house: Pick<House, 'server' | 'clock'>,
  given: { clientId: string; refreshToken: string },
): Promise<TokenAnswer> {
  return await useOnce(house, async (tx, now) => {
    const hash = sha256(given.refreshToken)
    const token = await tx
      .selectFrom('oauth_tokens')
      .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
      .innerJoin('users', 'users.id', 'oauth_grants.user_id')
      .select(['grant_id', 'client_id', 'revoked_at', 'oauth_tokens.expires_at', 'disabled_at'])
      .where('token_hash', '=', hash)
      .where('kind', '=', 'refresh')
      .forUpdate('oauth_grants')
      .executeTakeFirst()
    if (!token || token.client_id !== given.clientId) {
      return refused('refresh_token is not one of this client.')
    }
    const { used_at } = await tx
      .selectFrom('oauth_tokens')
      .select('used_at')
      .where('token_hash', '=', hash)
      .executeTakeFirstOrThrow()
    if (used_at !== null)
      return { revoke: token.grant_id, reason: 'refresh_token was used before.' }
    if (token.revoked_at !== null || token.disabled_at !== null) {
      return refused('The consent was taken back.')
    }
    if (token.expires_at <= now) return refused('refresh_token has expired.')
    await tx
      .updateTable('oauth_tokens')
      .set({ used_at: now })
      .where('token_hash', '=', hash)
      .execute()
    return await issueTokens(tx, now, token.grant_id)
  })
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
  work: (tx: Tx, now: Date) => Promise<TokenAnswer | Refused>,
): Promise<TokenAnswer> {
  const now = clock.now()
  const outcome = await transact(server, async (tx) => {
    const result = await work(tx, now)
    if ('revoke' in result && result.revoke !== null) await revokeFamily(tx, now, result.revoke)
    return result
  })
  if ('revoke' in outcome) throw new OAuthError('invalid_grant', outcome.reason)
  return outcome
}

async function issueTokens(tx: Tx, now: Date, grantId: string): Promise<TokenAnswer> {
  const access = newToken('mkt_access')
  const refresh = newToken('mkt_refresh')
  await tx
    .insertInto('oauth_tokens')
    .values([
      {
        token_hash: access.hash,
        kind: 'access',
        grant_id: grantId,
        expires_at: after(now, ACCESS_MS),
        used_at: null,
      },
      {
        token_hash: refresh.hash,
        kind: 'refresh',
        grant_id: grantId,
        expires_at: after(now, REFRESH_MS),
        used_at: null,
      },
    ])
    .execute()
  const { client_id } = await tx
    .updateTable('oauth_grants')
    .set({ last_used_at: now })
    .where('id', '=', grantId)
    .returning('client_id')
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('oauth_clients')
    .set({ last_used_at: now })
    .where('client_id', '=', client_id)
    .execute()
  return {
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: ACCESS_MS / SECOND,
    refresh_token: refresh.token,
    scope: OAUTH_SCOPE,
  }
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
