import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { AppContext } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import type { Metrics } from './metrics.ts'
import { bringsOneOf } from './tokens.ts'

/** What monitors and load balancers ask for all the time, by whatever name they know this instance. */
export const MONITORED = new Set(['/health/live', '/health/ready', '/metrics'])

/** Whether to restart the process (live), and whether to send it requests (ready). */
export function serveHealth(
  fastify: FastifyInstance,
  app: AppContext,
  isStopping: () => boolean,
): void {
  fastify.get('/health/live', async () => ({ status: 'ok' }))
  let isAway = false
  fastify.get('/health/ready', async ({ log }) => {
    if (isStopping())
      throw new ApiError('unavailable', 'The service is stopping.', { retryAfter: 1 })
    try {
      await sql`select 1`.execute(app.db)
    } catch (error) {
      if (!isAway) log.warn({ err: error }, 'health: the database is away')
      isAway = true
      throw error
    }
    if (isAway) log.info('health: the database is back')
    isAway = false
    return { status: 'ok', database: app.server.kind }
  })
}

/** Prometheus's text format, for whoever has the metrics token or the admin token. */
export function serveMetrics(fastify: FastifyInstance, metrics: Metrics, tokens: string[]): void {
  fastify.get('/metrics', async (request, reply) => {
    if (!bringsOneOf(request, tokens)) {
      throw new ApiError('unauthorized', 'Metrics are not public: send a bearer token.')
    }
    return reply.header('content-type', metrics.contentType).send(await metrics.render())
  })
}

/** The public halves of the keys that sign quote tokens and delivery receipts (RFC 7517). */
export function serveKeys(fastify: FastifyInstance, app: AppContext): void {
  fastify.get('/.well-known/jwks.json', async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' })
      .send(await app.signingKey.jwks()),
  )
}
