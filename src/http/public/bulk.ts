import type { FastifyRequest } from 'fastify'
import type { PublicCaller, UserCaller } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError, tokenNeeded } from '../../core/errors.ts'
import { assertSameOrigin } from '../same-origin.ts'
import { readSession } from '../session-cookie.ts'

/**
 * Who changes domains: the holder of a personal token, or the session of our own pages. An app that was
 * let in to see prices may not.
 */
export async function identifyOwner(
  app: AppContext,
  request: FastifyRequest,
  caller: PublicCaller,
): Promise<UserCaller> {
  if (caller.kind === 'user') {
    if (caller.manages === false) {
      throw new ApiError('forbidden', 'This token may not change domains: make one that may.')
    }
    if (caller.via !== 'app') return caller
    throw tokenNeeded(
      'This token only shows prices. Use a personal access token, made in your account.',
    )
  }
  const session = await readSession(request, app)
  if (!session) {
    throw tokenNeeded('Sign in, or send a personal access token: Authorization: Bearer <TOKEN>.')
  }
  assertSameOrigin(request, app.settings.baseUrl)
  return { kind: 'user', subject: session.user.id, via: 'session' }
}
