import { SpanStatusCode } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import { startServerSpan } from '../lib/tracing.ts'

/** A span for each request, named by its route: paths may hold names and tokens, and queries are left out. */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request
    const { url: route, config } = request.routeOptions
    const { span, run } = startServerSpan(route ? `${method} ${route}` : method, headers, {
      'http.request.method': method,
      'http.route': route,
      'marketplace.operation': config.operation,
      'marketplace.request_id': request.id,
    })
    // Also when the client has disconnected.
    reply.raw.once('close', () => {
      span.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    run(done)
  })
}
