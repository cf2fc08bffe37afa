import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Refusal } from '../kernel/errors.ts'
import type { House } from '../kernel/house.ts'
import type { Metrics } from './metrics.ts'
import { bringsOneOf } from './tokens.ts'

/** Whether to restart the process (live), and whether to send it requests (ready). */
export function serveHealth(app: FastifyInstance, house: House, isStopping: () => boolean): void {
  app.get('/health/live', async () => ({ status: 'ok' }))
  app.get('/health/ready', async () => {
    if (isStopping())
      throw new Refusal('unavailable', 'The service is stopping.', { retryAfter: 1 })
    await sql`select 1`.execute(house.db)
    return { status: 'ok', database: house.server.kind }
  })
}

/** Prometheus's text format, for whoever has the metrics token or the admin token. */
export function serveMetrics(app: FastifyInstance, metrics: Metrics, tokens: string[]): void {
  app.get('/metrics', async (request, reply) => {
    if (!bringsOneOf(request, tokens)) {
      throw new Refusal('unauthorized', 'Metrics are not public: send a bearer token.')
    }
    return reply.header('content-type', metrics.contentType).send(await metrics.render())
  })
}

/** The public half of the key that signs quote tokens (RFC 7517). */
export function serveKeys(app: FastifyInstance, house: House): void {
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' })
      .send(house.signingKey.jwks),
  )
}
