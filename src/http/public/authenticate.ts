import type { FastifyRequest } from 'fastify'
import type { PublicCaller, UserCaller } from '../../core/caller.ts'
import { ApiError } from '../../core/errors.ts'

/** Returns whose token this is, or null when it is none that is good now. */
export type VerifyToken = (token: string) => Promise<UserCaller | null>

/** RFC 6750, section 2.1: the scheme in any case, then a b64token. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i

/**
 * Who calls the public API. A request that brings credentials is that user's or rejected: prices are
 * never masked silently because a token has expired (contract, section 13).
 */
export async function authenticateCaller(
  request: FastifyRequest,
  verify: VerifyToken,
): Promise<PublicCaller> {
  const { rawHeaders } = request.raw
  const given = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  )
  if (given.length === 0) return { kind: 'anonymous' }
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  const user = given.length === 1 && token !== undefined ? await verify(token) : null
  if (user) return user
  throw new ApiError(
    'invalid_token',
    'The Authorization header holds no valid bearer token. Send a fresh one, or no such header.',
    { challenge: true },
  )
}
