import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { BadSetting, type Settings } from '../../core/settings.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { MONITORED } from '../health.ts'
import { ADMIN_BASE } from './serve.ts'

/**
 * With `ADMIN_PORT`, the admin API is on that port alone and nothing else is: a firewall then decides who reaches
 * it. By the route that was matched, since a path may be spelled in more than one way.
 */
export function separateAdmin(fastify: FastifyInstance, { admin }: Settings): void {
  if (admin === null) return
  fastify.addHook('onRequest', async ({ raw, routeOptions: { url = '' } }) => {
    // On either listener.
    if (MONITORED.has(url)) return
    const isAdminRoute = url.startsWith(`${ADMIN_BASE}/`)
    if ((raw.socket.localPort === admin.port) === isAdminRoute) return
    throw new ApiError('not_found', 'There is nothing at this path.')
  })
}

/** Opens the listener of the admin API. Its connections are the server's, with the same limits and the same end. */
export async function listenForAdmin(
  fastify: FastifyInstance,
  { admin }: Settings,
): Promise<Server | null> {
  if (admin === null) return null
  const listener = createServer((socket) => fastify.server.emit('connection', socket))
  listener.listen(admin.port, admin.host)
  await once(listener, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new BadSetting(
      error.code === 'EADDRINUSE'
        ? `ADMIN_PORT: the port ${admin.port} is taken, set it to a free one.`
        : `The admin API cannot listen there, see ADMIN_HOST and ADMIN_PORT: ${errorMessage(error)}`,
    )
  })
  return listener
}
