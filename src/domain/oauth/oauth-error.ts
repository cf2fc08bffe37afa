/** A response in the form of RFC 6749 (5.2), RFC 7591 (3.2.2) and RFC 8707 (2). */
export class OAuthError extends Error {
  readonly error: OAuthErrorCode
  readonly status: number

  constructor(error: OAuthErrorCode, description: string) {
    super(description)
    this.error = error
    this.status = error === 'invalid_client' ? 401 : 400
  }
}

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

/** What is read at some endpoint, beside `resource`. */
const RECOGNIZED = new Set([
  'client_id',
  'client_secret',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'token',
  'token_type_hint',
])

/**
 * The parameters of a request, each once at most; an empty one is absent, and what nobody here recognizes is
 * ignored (RFC 6749, 3.1 and 3.2).
 */
export function singleParameters(pairs: URLSearchParams): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (!RECOGNIZED.has(name)) continue
    if (parameters.has(name)) {
      throw new OAuthError('invalid_request', `${name} is given more than once.`)
    }
    if (value.includes('\u0000')) {
      throw new OAuthError('invalid_request', `${name} holds a character that is no text.`)
    }
    parameters.set(name, value)
  }
  return new Map([...parameters].filter(([, value]) => value !== ''))
}

/** Below them everything is the one resource that this service is, whatever path names it (RFC 9728, 3). */
const RESOURCE_PATHS = /^\/(?:mcp|api(?:\/[\w.{}-]+)*)$/

/** Whether a path of ours may be asked for as a resource of its own. */
export function isResourcePath(path: string): boolean {
  return path === '' || RESOURCE_PATHS.test(path)
}

/** The audience: everything here is one resource, the service itself (RFC 8707). */
export function checkResource(pairs: URLSearchParams, baseUrl: string): void {
  for (const resource of pairs.getAll('resource')) {
    if (resource === '') continue
    const named = resource.replace(/\/$/, '')
    if (!named.startsWith(baseUrl) || !isResourcePath(named.slice(baseUrl.length))) {
      throw new OAuthError('invalid_target', `resource must be ${baseUrl} or ${baseUrl}/mcp.`)
    }
  }
}
