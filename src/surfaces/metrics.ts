import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  contentType: string
  render(): Promise<string>
  observe(app: FastifyInstance): void
  webhookAttempt(delivered: boolean): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Webhook delivery attempts, by result.',
    labelNames: ['result'],
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    observe(app) {
      app.addHook('onResponse', async (request, reply) => {
        const operation = request.routeOptions.config.operation ?? 'other'
        requests.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000)
      })
    },
    webhookAttempt: (delivered) => attempts.inc({ result: delivered ? 'delivered' : 'failed' }),
  }
}
