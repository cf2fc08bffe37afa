import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import { SECOND } from '../../lib/clock.ts'
import { SESSION_LIFETIME_MS, type Session } from '../../modules/checkout/session.ts'
import { ownCookie } from '../accounts/cookie.ts'

/** Stands for the details that a checkout has now, and leads back to none of them. */
export function markOfDetails({ secrets }: House, { id, registrant }: Session): string {
  return secrets.digest(JSON.stringify([id, registrant]), 'checkout details').toString('base64url')
}

/** Whether this browser filled them in: the link alone may be in more hands than one. */
export function gaveDetails(house: House, { headers }: FastifyRequest, session: Session): boolean {
  const { name } = ownCookie(house.settings.baseUrl, 'details')
  return parseCookie(headers.cookie ?? '')[name] === markOfDetails(house, session)
}

export function detailsCookie(house: House, session: Session): string {
  return stringifySetCookie({
    ...ownCookie(house.settings.baseUrl, 'details'),
    value: markOfDetails(house, session),
    maxAge: SESSION_LIFETIME_MS / SECOND,
  })
}
