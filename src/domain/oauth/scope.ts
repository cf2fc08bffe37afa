import { APP_SCOPES, type AppScope } from '../../core/caller.ts'
import { OAuthError } from './oauth-error.ts'

/** What an app asks for when it names no scope. */
const DEFAULT_SCOPE: AppScope = 'pricing:read'

/**
 * The scopes that an authorization request asks for, in our order. `offline_access`, as OpenID Connect has it, asks for
 * what every app gets here: a refresh token.
 */
export function readScope(scope: string | undefined): AppScope[] {
  if (scope === undefined) return [DEFAULT_SCOPE]
  // Spaces that separate nothing leave an empty scope, which is unknown.
  const asked = scope.split(' ').filter((one) => one !== 'offline_access')
  const known = APP_SCOPES.filter((one) => asked.includes(one))
  if (known.length > 0 && asked.every((one) => (APP_SCOPES as readonly string[]).includes(one))) {
    return known
  }
  throw new OAuthError(
    'invalid_scope',
    `The scopes are ${APP_SCOPES.join(', ')}: send one or more of them, separated by spaces, or leave scope out for ${DEFAULT_SCOPE}.`,
  )
}

/** The scopes of a grant or token, as the database keeps them. */
export function scopesIn(scope: string): AppScope[] {
  return APP_SCOPES.filter((one) => scope.split(' ').includes(one))
}

/** Whether something wider than the consent is asked for; that is never granted (RFC 6749, 6). */
export function assertGranted(granted: string, asked: string | null): void {
  if (asked === null || asked.split(' ').every((one) => granted.split(' ').includes(one))) return
  throw new OAuthError(
    'invalid_scope',
    `The user granted ${granted}, and nothing else: ask for no more than that, or leave scope out.`,
  )
}
