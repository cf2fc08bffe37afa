import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../core/context.ts'
import { findSession, SESSION_MS, type SignedIn } from '../domain/accounts/session.ts'
import { SECOND } from '../lib/clock.ts'

/**
 * What is the same of all our cookies. Over plain http not every program sends back what is only for https,
 * from its own machine or not, and the name says so.
 */
export function ownCookie(baseUrl: string, name: string) {
  const secure = baseUrl.startsWith('https:')
  return {
    name: secure ? `__Host-${name}` : `insecure-${name}`,
    path: '/',
    httpOnly: true,
    secure,
    sameSite: 'lax',
  } as const
}

export function setSessionCookie(reply: FastifyReply, baseUrl: string, token: string | null): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({
      ...ownCookie(baseUrl, 'session'),
      value: token ?? '',
      maxAge: token === null ? 0 : SESSION_MS / SECOND,
    }),
  )
}

function sessionToken(request: FastifyRequest, baseUrl: string): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[ownCookie(baseUrl, 'session').name]
}

/** Who has signed in on the pages, by the cookie alone: writes check their origin beside it. */
export async function readSession(
  request: FastifyRequest,
  { db, clock, settings }: Pick<AppContext, 'db' | 'clock' | 'settings'>,
): Promise<SignedIn | null> {
  const token = sessionToken(request, settings.baseUrl)
  return token === undefined ? null : await findSession(db, clock.now(), token)
}
