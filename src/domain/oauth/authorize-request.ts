import type { AppScope } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { findOrFetchClient, type MakeClient, type OAuthClient } from './client.ts'
import { checkResource, OAuthError, singleParameters } from './oauth-error.ts'
import { isRegistered } from './redirect-uri.ts'
import { readScope } from './scope.ts'

/** A request that a user can be asked about. */
export interface AuthorizeRequest {
  client: OAuthClient
  redirectUri: string
  codeChallenge: string
  scopes: AppScope[]
  state: string | undefined
}

/** The client gets its response by sending the user's browser back to it. */
export interface SentBack {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
  error: OAuthError
}

/**
 * Checks an authorization request. Until client and redirect URI are known to belong together nobody is
 * redirected, so those errors are thrown; the others go back to the client (RFC 6749, 4.1.2.1).
 */
export async function readAuthorizeRequest(
  app: Pick<AppContext, 'db' | 'clock' | 'http' | 'settings' | 'log'>,
  query: URLSearchParams,
  makeClient: MakeClient,
): Promise<AuthorizeRequest | SentBack> {
  for (const name of ['client_id', 'redirect_uri']) {
    if (query.getAll(name).length > 1) {
      throw new OAuthError('invalid_request', `${name} is given more than once.`)
    }
  }
  const clientId = query.get('client_id') ?? ''
  if (clientId === '') throw new OAuthError('invalid_request', 'client_id is missing.')
  const client = clientId.includes('\u0000')
    ? undefined
    : await findOrFetchClient(app, clientId, makeClient)
  if (!client) {
    throw new OAuthError(
      'invalid_client',
      'client_id is unknown here. The app must register first.',
    )
  }
  const redirectUri = redirectTarget(client, query.get('redirect_uri'))
  const state = query.getAll('state').length === 1 ? (query.get('state') ?? undefined) : undefined
  try {
    return { client, redirectUri, state, ...readRest(query, app.settings.baseUrl) }
  } catch (error) {
    if (error instanceof OAuthError) return { client, redirectUri, state, error }
    throw error
  }
}

function redirectTarget({ redirect_uris }: OAuthClient, given: string | null): string {
  const [only] = redirect_uris
  if (!given && redirect_uris.length === 1 && only !== undefined) return only
  if (!given) throw new OAuthError('invalid_request', 'redirect_uri is missing.')
  if (isRegistered(redirect_uris, given)) return given
  throw new OAuthError('invalid_request', 'redirect_uri is not one that the app has registered.')
}

/** The code challenge (RFC 7636, 4.3), of which an absent method is read as S256, and the scopes. */
function readRest(
  query: URLSearchParams,
  baseUrl: string,
): Pick<AuthorizeRequest, 'codeChallenge' | 'scopes'> {
  const parameters = singleParameters(query)
  const responseType = parameters.get('response_type')
  if (responseType === undefined) {
    throw new OAuthError('invalid_request', 'response_type is missing: it must be code.')
  }
  if (responseType !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  }
  const responseMode = parameters.get('response_mode') ?? 'query'
  if (responseMode !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query.')
  }
  if ((parameters.get('code_challenge_method') ?? 'S256') !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.')
  }
  const challenge = parameters.get('code_challenge')
  if (challenge === undefined || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthError(
      'invalid_request',
      'code_challenge must be the SHA-256 of the verifier in base64url, which has 43 characters.',
    )
  }
  const scopes = readScope(parameters.get('scope'))
  checkResource(query, baseUrl)
  return { codeChallenge: challenge, scopes }
}

/** Where the browser goes with a response; `iss` says whose it is (RFC 9207). */
export function responseUrl(
  { redirectUri, state }: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  issuer: string,
  result: Record<string, string>,
): string {
  const added = new URLSearchParams(result)
  if (state !== undefined) added.set('state', state)
  added.set('iss', issuer)
  // Not by URL's own parser, which would spell what was registered in another way.
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${added}`
}
