import type { FastifyRequest } from 'fastify'
import type { PublicCaller, UserCaller } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { PublicContract } from '../../core/contract.ts'
import { tokenNeeded } from '../../core/errors.ts'
import { assertSameOrigin } from '../same-origin.ts'
import { readSession } from '../session-cookie.ts'

/**
 * Who calls what is for users: the holder of a token, or the session of our own pages, which manages domains and does
 * not buy here. What the token allows is the executor's to check.
 */
export async function identifyOwner(
  app: AppContext,
  request: FastifyRequest,
  caller: PublicCaller,
  { scope }: Pick<PublicContract, 'scope'>,
): Promise<UserCaller> {
  if (caller.kind === 'user') return caller
  if (scope === 'orders:create') {
    throw tokenNeeded(`Send an access token with the scope ${scope}.`, scope)
  }
  const session = await readSession(request, app)
  if (!session) {
    throw tokenNeeded('Sign in, or send an access token: Authorization: Bearer <TOKEN>.', scope)
  }
  assertSameOrigin(request, app.settings.baseUrl)
  return { kind: 'user', subject: session.user.id, via: 'session' }
}
