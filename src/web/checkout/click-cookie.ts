import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import {
  CLICK_LIFETIME_MS,
  type Click,
  readClick,
  writeClick,
} from '../../domain/referrals/click.ts'
import { ownCookie } from '../../http/session-cookie.ts'
import { SECOND } from '../../lib/clock.ts'

/** What 0.1.0 called it, in either environment: a click outlives an upgrade. */
const OLDER_NAME = 'click'

/** The visitor's last click on a tracked link, from our own cookie; null when there is none that counts. */
export function clickOf(
  app: AppContext,
  environment: Environment,
  { headers }: FastifyRequest,
  now: Date,
): Click | null {
  const { name } = cookieOf(app, environment)
  const cookies = parseCookie(headers.cookie ?? '')
  return readClick(app, cookies[name] ?? cookies[OLDER_NAME], now)
}

export function clickCookie(app: AppContext, environment: Environment, click: Click): string {
  return stringifySetCookie({
    ...cookieOf(app, environment),
    value: writeClick(app, click),
    maxAge: CLICK_LIFETIME_MS / SECOND,
  })
}

/** One for each environment: a click in the sandbox takes no live sale from anybody. */
function cookieOf({ settings }: AppContext, environment: Environment) {
  return ownCookie(settings.baseUrl, environment === 'live' ? 'click' : 'sandbox-click')
}
