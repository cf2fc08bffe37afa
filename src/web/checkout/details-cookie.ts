import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { SESSION_LIFETIME_MS, type Session } from '../../domain/checkout/session.ts'
import { ownCookie } from '../../http/session-cookie.ts'
import { SECOND } from '../../lib/clock.ts'

/** Stands for the details that a checkout has now, and leads back to none of them. */
export function markOfDetails(
  { secrets }: AppContext,
  { id, registrant, delivery }: Session,
): string {
  // By name: once it is paid, the session has them in the order in which the payment kept them.
  const named = registrant && Object.entries(registrant).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const details = JSON.stringify([id, named, delivery])
  return secrets.digest(details, 'checkout details').toString('base64url')
}

/** Whether this browser filled them in: the link alone may be in more hands than one. */
export function gaveDetails(
  app: AppContext,
  { headers }: FastifyRequest,
  session: Session,
): boolean {
  const { name } = ownCookie(app.settings.baseUrl, 'details')
  return parseCookie(headers.cookie ?? '')[name] === markOfDetails(app, session)
}

export function detailsCookie(app: AppContext, session: Session): string {
  return stringifySetCookie({
    ...ownCookie(app.settings.baseUrl, 'details'),
    value: markOfDetails(app, session),
    maxAge: SESSION_LIFETIME_MS / SECOND,
  })
}
