import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { readAuthorizeRequest } from '../../domain/oauth/authorize-request.ts'
import { OAuthError } from '../../domain/oauth/oauth-error.ts'
import type { RequestingApp } from '../../web/account/forms.tsx'
import type { Web } from '../web.ts'
import { registrationsOf } from './make-registration.ts'

export const AUTHORIZE_PATH = '/oauth/authorize'

/** The app for which somebody signs in, when that is what they are here for. They sign in without it, too. */
export async function appBehind(
  app: AppContext,
  web: Web,
  request: FastifyRequest,
  next: string,
): Promise<RequestingApp | null> {
  if (!next.startsWith(`${AUTHORIZE_PATH}?`)) return null
  try {
    const query = new URLSearchParams(next.slice(AUTHORIZE_PATH.length))
    const makeClient = registrationsOf(app, web, request)
    const { client, redirectUri } = await readAuthorizeRequest(app, query, makeClient)
    return { name: client.name, host: hostOf(redirectUri) }
  } catch (error) {
    if (error instanceof OAuthError) return null
    if (error instanceof ApiError && error.code === 'rate_limited') return null
    throw error
  }
}

/** What a person can judge of an address: its host, or the app's own scheme. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : `${protocol}//`
}
