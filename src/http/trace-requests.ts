import { SpanStatusCode } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import { startServerSpan } from '../lib/tracing.ts'
import { MONITORED } from './health.ts'

/** Those that OpenTelemetry knows; of any other, the caller would choose the name. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']

/**
 * A span for each request that no monitor makes, named by its route. Its path is the route, too: paths may hold names
 * and tokens, and queries are left out.
 */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { url: route, config } = request.routeOptions
    if (MONITORED.has(route ?? '')) return done()
    const isKnown = METHODS.includes(request.method)
    const method = isKnown ? request.method : 'HTTP'
    const name = route ? `${method} ${route}` : method
    const { span, run } = startServerSpan(name, request.headers, {
      'http.request.method': isKnown ? method : '_OTHER',
      'http.request.method_original': isKnown ? undefined : request.method,
      'http.route': route,
      'url.path': route,
      'url.scheme': request.protocol,
      'marketplace.operation': config.operation,
      'marketplace.request_id': request.id,
    })
    // Also when the client has disconnected.
    reply.raw.once('close', () => {
      const { statusCode } = reply
      span.setAttribute('http.response.status_code', statusCode)
      if (statusCode >= 500) {
        span.setAttribute('error.type', String(statusCode))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    })
    run(done)
  })
}
