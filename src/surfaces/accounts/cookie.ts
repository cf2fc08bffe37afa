import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import { SECOND } from '../../lib/clock.ts'
import { isLoopbackUrl } from '../../lib/loopback.ts'
import { findSession, SESSION_MS, type SignedIn } from '../../modules/accounts/session.ts'

/** A browser takes `__Host-` only over https or from its own machine; elsewhere the name says so too. */
function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:') || isLoopbackUrl(baseUrl)
}

function nameOf(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-session' : 'insecure-session'
}

export function setSessionCookie(reply: FastifyReply, baseUrl: string, token: string | null): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: nameOf(baseUrl),
      value: token ?? '',
      path: '/',
      httpOnly: true,
      secure: isSecure(baseUrl),
      sameSite: 'lax',
      maxAge: token === null ? 0 : SESSION_MS / SECOND,
    }),
  )
}

function sessionToken(request: FastifyRequest, baseUrl: string): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[nameOf(baseUrl)]
}

/** Who has signed in on the pages, by the cookie alone: writes check their origin beside it. */
export async function readSession(
  request: FastifyRequest,
  { db, clock, settings }: Pick<House, 'db' | 'clock' | 'settings'>,
): Promise<SignedIn | null> {
  const token = sessionToken(request, settings.baseUrl)
  return token === undefined ? null : await findSession(db, clock.now(), token)
}
