import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../core/context.ts'
import { verifyPersonalToken } from '../domain/accounts/personal-token.ts'
import { verifyAccessToken } from '../domain/oauth/access.ts'
import { equalInConstantTime } from '../lib/signature.ts'
import type { VerifyToken } from './public/authenticate.ts'

/** Whether a request brings one of the tokens that an operator set. */
export function bringsOneOf({ headers }: FastifyRequest, tokens: readonly string[]): boolean {
  const token = bearerOf({ headers })
  return token !== undefined && tokens.some((known) => equalInConstantTime(known, token))
}

/** What a request brings as its bearer token. */
export function bearerOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
}

/** The tokens that the public API takes: an app's access token, and one that a user made. */
export function tokenVerifier({ db, clock, settings }: AppContext): VerifyToken {
  return async (token) => {
    const now = clock.now()
    if (token.startsWith('mkt_access_')) {
      const found = await verifyAccessToken(db, now, token, settings.baseUrl)
      return found && { kind: 'user', subject: found.userId, via: 'app', app: found.app }
    }
    if (token.startsWith('mkt_pat_')) {
      const found = await verifyPersonalToken(db, now, token)
      if (!found) return null
      const manages = found.scopes.includes('domains:manage')
      return { kind: 'user', subject: found.userId, via: 'personal_token', manages }
    }
    return null
  }
}
