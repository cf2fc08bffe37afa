import { type RawBuilder, sql } from 'kysely'
import type { AppScope } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { prepared } from '../../db/prepared.ts'
import { inTransaction } from '../../db/transaction.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'
import { mustFindUser, noteNewAccess } from '../accounts/user.ts'
import { findClient } from './client.ts'
import { issueFor, newTokens, type Pair, responseOf, type TokenResponse } from './issue-tokens.ts'
import { appLetInMail } from './mails/app-let-in.ts'
import type { Mandate } from './mandate.ts'
import { OAuthError } from './oauth-error.ts'
import { assertGranted } from './scope.ts'

const CODE_MS = 60 * SECOND

/** Records a user's consent and returns the code for it. */
export async function grantCode(
  { server, clock, settings }: Pick<AppContext, 'server' | 'clock' | 'settings'>,
  userId: string,
  request: {
    clientId: string
    redirectUri: string
    codeChallenge: string
    scopes: readonly AppScope[]
    /** Of an app that may buy, and of no other. */
    mandate: Mandate | null
  },
): Promise<string> {
  const { token, hash } = newToken('mkt_code')
  const now = clock.now()
  const grantId = newId('grt', now)
  await inTransaction({ server }, async (tx) => {
    await tellUser(tx, now, userId, request, settings.baseUrl)
    await tx
      .insertInto('oauth_grants')
      .values({
        id: grantId,
        client_id: request.clientId,
        user_id: userId,
        scope: request.scopes.join(' '),
        resource: settings.baseUrl,
        created_at: now,
        last_used_at: now,
        revoked_at: null,
      })
      .execute()
    if (request.mandate) {
      await tx
        .insertInto('mandates')
        .values({ grant_id: grantId, ...request.mandate })
        .execute()
    }
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

/** An app that may do more than look is told of by mail, and what is listed soon after is held back. */
async function tellUser(
  tx: Tx,
  now: Date,
  userId: string,
  { clientId, scopes, mandate }: Parameters<typeof grantCode>[2],
  baseUrl: string,
): Promise<void> {
  const manages = scopes.includes('domains:manage')
  if (!manages && mandate === null) return
  if (manages) await noteNewAccess(tx, now, userId)
  const { email } = await mustFindUser(tx, userId)
  const name = (await findClient(tx, clientId))?.name ?? 'An app'
  const url = `${baseUrl}/account/access`
  const mail = appLetInMail({ name, mandate, manages, url })
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
}

/** Exchanges a code for tokens; a code that comes twice ends all that came of it (RFC 9700, 4.5). */
export async function exchangeCode(
  { db, clock, settings }: Pick<AppContext, 'db' | 'clock' | 'settings'>,
  given: {
    clientId: string
    code: string
    verifier: string
    redirectUri: string | undefined
    /** No wider than what was granted; null is all of that. */
    scope: string | null
  },
): Promise<TokenResponse> {
  const now = clock.now()
  const hash = sha256(given.code)
  const challenge = challengeOf(given.verifier)
  const { redirectUri = null, clientId, scope } = given
  const issued = newTokens(now)
  const resource = settings.baseUrl
  const using = exchange({
    ...issued.kept,
    hash,
    clientId,
    challenge,
    redirectUri,
    resource,
    scope,
  })
  const [used] = (await db.executeQuery(using)).rows
  if (used) return responseOf(issued.tokens, used, scope)

  const code = await db
    .selectFrom('oauth_codes')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_codes.grant_id')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .select(['grant_id', 'redirect_uri', 'expires_at', 'used_at'])
    .select(['client_id', 'revoked_at', 'resource', 'users.disabled_at', 'oauth_grants.scope'])
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
  assertGranted(code.scope, scope)
  throw rejected('code_verifier does not fit the code_challenge.')
}

/** Exchanges a refresh token for the next pair; one that comes twice ends the family (RFC 9700, 4.14). */
export async function refreshTokens(
  { db, clock, settings }: Pick<AppContext, 'db' | 'clock' | 'settings'>,
  given: { clientId: string; refreshToken: string; scope: string | null },
): Promise<TokenResponse> {
  const now = clock.now()
  const hash = sha256(given.refreshToken)
  const { clientId, scope } = given
  const issued = newTokens(now)
  const resource = settings.baseUrl
  const using = refresh({ ...issued.kept, hash, clientId, resource, scope })
  const [used] = (await db.executeQuery(using)).rows
  if (used) return responseOf(issued.tokens, used, scope)

  const token = await db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
    .select(['grant_id', 'client_id', 'expires_at', 'used_at', 'resource', 'revoked_at'])
    .select('oauth_grants.scope')
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
  if (token.revoked_at === null) assertGranted(token.scope, scope)
  throw rejected('The consent was taken back.')
}

function rejected(reason: string): OAuthError {
  return new OAuthError('invalid_grant', reason)
}

interface CodeUse extends Pair {
  hash: Uint8Array
  clientId: string
  challenge: string
  redirectUri: string | null
  resource: string
  scope: string | null
}

/**
 * No row is used by two: the second finds it used once the first is committed. The challenge may be compared
 * by the database: it is a hash of what was sent, so how long that takes tells nothing of the one kept.
 */
const exchange = prepared(
  (db, { hash, clientId, challenge, redirectUri, resource, scope, ...pair }: CodeUse) =>
    issueFor(
      sql`
      update oauth_codes c set used_at = ${pair.now}
      from oauth_grants g, users u
      where c.code_hash = ${hash} and c.used_at is null and c.expires_at > ${pair.now}
        and c.code_challenge = ${challenge}
        and c.redirect_uri = coalesce(${redirectUri}::text, c.redirect_uri)
        and g.id = c.grant_id and g.client_id = ${clientId} and g.revoked_at is null
        and g.resource = ${resource}
        and u.id = g.user_id and u.disabled_at is null and ${within(scope)}
      returning g.id as grant_id, g.client_id, g.scope`,
      pair,
      scope,
    ).compile(db),
)

interface RefreshUse extends Pair {
  hash: Uint8Array
  clientId: string
  resource: string
  scope: string | null
}

const refresh = prepared((db, { hash, clientId, resource, scope, ...pair }: RefreshUse) =>
  issueFor(
    sql`
      update oauth_tokens t set used_at = ${pair.now}
      from oauth_grants g, users u
      where t.token_hash = ${hash} and t.kind = 'refresh' and t.used_at is null
        and t.expires_at > ${pair.now}
        and g.id = t.grant_id and g.client_id = ${clientId} and g.revoked_at is null
        and g.resource = ${resource}
        and u.id = g.user_id and u.disabled_at is null and ${within(scope)}
      returning g.id as grant_id, g.client_id, g.scope`,
    pair,
    scope,
  ).compile(db),
)

/** What is asked for is no more than what was granted. */
function within(scope: string | null): RawBuilder<unknown> {
  return sql`(${scope}::text is null
    or string_to_array(${scope}, ' ') <@ string_to_array(g.scope, ' '))`
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
