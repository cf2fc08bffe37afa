import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import type { MakeClient } from '../../domain/oauth/client.ts'
import { addressOf, type Web } from '../web.ts'

/** Makes the row of a client within the limits of registrations, whether it registers or its document is fetched. */
export function registrationsOf(
  { settings, clock }: Pick<AppContext, 'settings' | 'clock'>,
  web: Web,
  request: FastifyRequest,
): MakeClient {
  return async (make, wasMade) => {
    const now = clock.now()
    const subject = `registration:${addressOf(request)}`
    const limit = settings.rateLimits.registrationPerMinute
    request.rate = await web.count({ subject, limit, now })
    assertUnderLimit(request.rate, now)
    return await web.makeRow(request, 'registration', now, make, wasMade)
  }
}
