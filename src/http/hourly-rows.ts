import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../core/context.ts'
import { assertUnderLimit, rateCounter, uncount } from '../core/rate-limits.ts'
import { HOUR } from '../lib/clock.ts'
import { clientOf, siteOf } from './client-address.ts'

/** What anybody can make a row of. */
type CountedRow = 'session' | 'registration' | 'offer'

/** How many times as many rows as one client the clients of an IPv6 site, and all clients, may make together. */
const ONE_SITE = 5
const ALL_CLIENTS = 50

export type MakeRow = <T>(
  request: FastifyRequest,
  what: CountedRow,
  now: Date,
  make: () => Promise<T>,
  wasMade?: (made: T) => boolean,
) => Promise<T>

/**
 * Makes rows within what an hour allows. Of a client every request counts; of what clients share only what was made, or
 * a few of them could use it up with requests that are rejected.
 */
export function hourlyRows({ db, settings }: Pick<AppContext, 'db' | 'settings'>): MakeRow {
  const count = rateCounter(db, HOUR)

  return async (request, what, now, make, wasMade = () => true) => {
    const { publicPerMinute, registrationPerMinute } = settings.rateLimits
    const limits = {
      session: publicPerMinute,
      registration: 10 * registrationPerMinute,
      offer: registrationPerMinute,
    } satisfies Record<CountedRow, number>
    const take = async (subject: string, times: number) =>
      assertUnderLimit(await count({ subject, limit: limits[what] * times, now }), now)
    await take(`${what}s:address:${clientOf(request.ip)}`, 1)
    const site = siteOf(request.ip)
    const shared: string[] = []
    const takeShared = async (subject: string, times: number) => {
      shared.push(subject)
      await take(subject, times)
    }
    let isMade = false
    try {
      if (site !== null) await takeShared(`${what}s:site:${site}`, ONE_SITE)
      await takeShared(`all ${what}s`, ALL_CLIENTS)
      const made = await make()
      isMade = wasMade(made)
      return made
    } finally {
      if (!isMade) await uncount(db, shared, now)
    }
  }
}
