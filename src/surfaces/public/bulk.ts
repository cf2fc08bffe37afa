import type { FastifyRequest } from 'fastify'
import { tokenNeeded } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { readSession } from '../accounts/cookie.ts'
import { refuseForeignOrigin } from '../pages/same-origin.ts'
import type { Call } from './run.ts'

/**
 * Who changes domains: the holder of a personal token, or the session of our own pages. An app that was
 * let in to see prices may not.
 */
export async function identifyOwner(
  house: House,
  request: FastifyRequest,
  call: Call,
): Promise<string> {
  if (call.caller.kind === 'user') {
    if (call.caller.via !== 'app') return call.caller.subject
    throw tokenNeeded(
      'This token only shows prices. Use a personal access token, made in your account.',
    )
  }
  const session = await readSession(request, house)
  if (!session) {
    throw tokenNeeded('Sign in, or send a personal access token: Authorization: Bearer <TOKEN>.')
  }
  refuseForeignOrigin(request, house.settings.baseUrl)
  call.caller = { kind: 'user', subject: session.user.id, via: 'session' }
  call.client = `user:${session.user.id}`
  return session.user.id
}
