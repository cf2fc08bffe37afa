import type { AppContext } from '../../core/context.ts'
import { readAuthorizeRequest } from '../../domain/oauth/authorize-request.ts'
import { OAuthError } from '../../domain/oauth/oauth-error.ts'
import type { RequestingApp } from '../../web/account/forms.tsx'

export const AUTHORIZE_PATH = '/oauth/authorize'

/** The app for which somebody signs in, when that is what they are here for. */
export async function appBehind(app: AppContext, next: string): Promise<RequestingApp | null> {
  if (!next.startsWith(`${AUTHORIZE_PATH}?`)) return null
  try {
    const query = new URLSearchParams(next.slice(AUTHORIZE_PATH.length))
    const { client, redirectUri } = await readAuthorizeRequest(app, query)
    return { name: client.name, host: hostOf(redirectUri) }
  } catch (error) {
    if (error instanceof OAuthError) return null
    throw error
  }
}

/** What a person can judge of an address: its host, or the app's own scheme. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : `${protocol}//`
}
