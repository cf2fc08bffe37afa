import type { FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import { SECOND } from '../../lib/clock.ts'
import {
  CLICK_LIFETIME_MS,
  type Click,
  readClick,
  writeClick,
} from '../../modules/referrals/click.ts'

const NAME = 'click'

/** The visitor's last click on a tracked link, from our own cookie; null when there is none that counts. */
export function clickOf(house: House, { headers }: FastifyRequest, now: Date): Click | null {
  const pair = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${NAME}=`))
  return readClick(house, pair?.slice(NAME.length + 1), now)
}

/** First-party, out of reach of scripts, and not sent along with other sites' forms. */
export function clickCookie(house: House, click: Click): string {
  const secure = house.settings.baseUrl.startsWith('https:') ? '; Secure' : ''
  const age = CLICK_LIFETIME_MS / SECOND
  return `${NAME}=${writeClick(house, click)}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}
