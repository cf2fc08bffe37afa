import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import type { Web } from './web.ts'

/** Rejects what no route serves; the router takes nothing at all for a parameter, too: /orders/ would be an order. */
export function rejectUnknownPaths(
  fastify: FastifyInstance,
  { clock }: Pick<AppContext, 'clock'>,
  web: Web,
): void {
  fastify.addHook('onRequest', async (request) => {
    const parts = Object.entries(request.params ?? {})
    if (!request.is404 && !parts.some(([name, part]) => part === '' && name !== '*')) return
    await web.countUnauthenticated(request, clock.now())
    throw new ApiError('not_found', 'There is nothing at this path.')
  })
}
