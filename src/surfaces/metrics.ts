import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../kernel/database/dialect.ts'
import type { SearchEmbeddings } from '../kernel/house.ts'
import { ENVIRONMENTS } from '../kernel/operation.ts'
import { countDisputes, DISPUTE_STATUSES } from '../modules/payments/dispute.ts'
import { countFailedRefunds } from '../modules/payments/payment.ts'

export interface Metrics {
  contentType: string
  render(): Promise<string>
  observe(app: FastifyInstance): void
  webhookAttempt(delivered: boolean): void
  watchEmbeddings(embeddings: SearchEmbeddings): void
  watchPayments(db: Database): void
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
    watchEmbeddings({ fallbacks, progress }) {
      const counted = new Counter({
        name: 'search_embedding_fallbacks_total',
        help: 'Searches that did without the embeddings endpoint, by reason.',
        labelNames: ['reason'],
        registers: [],
        collect() {
          this.reset()
          for (const [reason, count] of fallbacks) this.inc({ reason }, count)
        },
      })
      const labels = new Gauge({
        name: 'search_labels',
        help: 'Different words of listed labels, by whether they have a vector.',
        labelNames: ['state'],
        registers: [],
        async collect() {
          const { embedded, waiting } = await progress()
          this.set({ state: 'embedded' }, embedded)
          this.set({ state: 'waiting' }, waiting)
        },
      })
      registry.registerMetric(counted)
      registry.registerMetric(labels)
    },
    // Asked of the database, so that every instance says the same, and a restart forgets nothing.
    watchPayments(db) {
      const disputes = new Gauge({
        name: 'payment_disputes',
        help: 'Disputes over payments, by how they stand.',
        labelNames: ['environment', 'status'],
        registers: [],
        async collect() {
          for (const environment of ENVIRONMENTS) {
            for (const status of DISPUTE_STATUSES) this.set({ environment, status }, 0)
          }
          for (const { count, ...labels } of await countDisputes(db)) this.set(labels, count)
        },
      })
      const refunds = new Gauge({
        name: 'payment_refunds_failed',
        help: 'Refunds that no card took, and that wait for an operator.',
        labelNames: ['environment'],
        registers: [],
        async collect() {
          for (const environment of ENVIRONMENTS) this.set({ environment }, 0)
          for (const { count, ...labels } of await countFailedRefunds(db)) this.set(labels, count)
        },
      })
      registry.registerMetric(disputes)
      registry.registerMetric(refunds)
    },
    webhookAttempt: (delivered) => attempts.inc({ result: delivered ? 'delivered' : 'failed' }),
  }
}
