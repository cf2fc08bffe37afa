import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { Environment } from '../../kernel/operation.ts'
import { SECOND } from '../../lib/clock.ts'
import {
  CLICK_LIFETIME_MS,
  type Click,
  readClick,
  writeClick,
} from '../../modules/referrals/click.ts'
import { ownCookie } from '../accounts/cookie.ts'

/** What 0.1.0 called it, in either environment: a click outlives an upgrade. */
const OLDER_NAME = 'click'

/** The visitor's last click on a tracked link, from our own cookie; null when there is none that counts. */
export function clickOf(
  house: House,
  environment: Environment,
  { headers }: FastifyRequest,
  now: Date,
): Click | null {
  const { name } = cookieOf(house, environment)
  const cookies = parseCookie(headers.cookie ?? '')
  return readClick(house, cookies[name] ?? cookies[OLDER_NAME], now)
}

export function clickCookie(house: House, environment: Environment, click: Click): string {
  return stringifySetCookie({
    ...cookieOf(house, environment),
    value: writeClick(house, click),
    maxAge: CLICK_LIFETIME_MS / SECOND,
  })
}

/** One for each environment: a click in the sandbox takes no live sale from anybody. */
function cookieOf({ settings }: House, environment: Environment) {
  return ownCookie(settings.baseUrl, environment === 'live' ? 'click' : 'sandbox-click')
}
