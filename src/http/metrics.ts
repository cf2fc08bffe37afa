import { withDeadline } from 'domain-marketplace-safe-fetch'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ENVIRONMENTS } from '../core/caller.ts'
import type { AppContext, SearchEmbeddings } from '../core/context.ts'
import { countFailedRefunds } from '../domain/checkout/failed-refunds.ts'
import { oldestDue } from '../domain/events/oldest-due.ts'
import { countDisputes, DISPUTE_STATUSES } from '../domain/payments/dispute.ts'
import { SECOND } from '../lib/clock.ts'
import { kindsOf, readCounts } from './admin/overview.ts'
import { MONITORED } from './health.ts'
import { asksForFault } from './partner/fault.ts'

export interface Metrics {
  contentType: string
  render(): Promise<string>
  /** The same figures, as they are counted. */
  collect(): ReturnType<Registry['getMetricsAsJSON']>
  observe(fastify: FastifyInstance): void
  webhookAttempt(delivered: boolean): void
  watchEmbeddings(embeddings: SearchEmbeddings): void
  watchDatabase(app: Pick<AppContext, 'db' | 'clock' | 'server'>): void
}

/** Prometheus gives up after ten seconds, by default, and would have no figure at all. */
const RESPONSE_BUCKETS_MS = 3 * SECOND

/** What the database returns; undefined when it is away or busy, since the process has figures of its own. */
function inTime<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return withDeadline({ timeoutMs: RESPONSE_BUCKETS_MS }, ask).catch(() => undefined)
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, by operation or page and by status; without those for health and metrics.',
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

  /** Figures that the database is asked for at each look. */
  function watch<Label extends string>(
    gauge: { name: string; help: string; labelNames: Label[] },
    figures: () => Promise<(readonly [Partial<Record<Label, string>>, number])[]>,
  ): void {
    registry.registerMetric(
      new Gauge({
        ...gauge,
        registers: [],
        async collect() {
          const found = await inTime(figures)
          this.reset()
          for (const [labels, figure] of found ?? []) this.set(labels, figure)
        },
      }),
    )
  }

  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    collect: () => registry.getMetricsAsJSON(),
    observe(fastify) {
      fastify.addHook('onResponse', async (request, reply) => {
        const { url = '', config } = request.routeOptions
        // Checks several times a second would hide how a small market does.
        if (MONITORED.has(url) || asksForFault(request)) return
        const page = config.isPatient ? `upload ${url}` : `page ${url}`
        const operation = config.operation ?? (config.page ? page : 'other')
        requests.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000)
      })
    },
    watchEmbeddings({ model, fallbacks, progress, check }) {
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
      registry.registerMetric(counted)
      watch(
        {
          name: 'search_labels',
          help: 'Different words of listed labels, by whether they have a vector.',
          labelNames: ['state'],
        },
        async () => {
          if (check()?.is_used === false) return []
          const { embedded, waiting } = await progress()
          return [
            [{ state: 'embedded' }, embedded],
            [{ state: 'waiting' }, waiting],
          ]
        },
      )
      watch(
        {
          name: 'search_embedding_model_used',
          help: 'Whether the embedding model helps on the self-check, so that searches use it; absent until checked.',
          labelNames: ['model'],
        },
        async () => {
          const checked = check()
          return checked ? [[{ model }, checked.is_used ? 1 : 0] as const] : []
        },
      )
      watch(
        {
          name: 'search_embedding_check_recall',
          help: 'Recall at 5 on the self-check, by the lexicon alone and with the embedding model.',
          labelNames: ['with'],
        },
        async () => {
          const checked = check()
          if (!checked) return []
          return [
            [{ with: 'lexicon' }, checked.recall_without],
            [{ with: 'model' }, checked.recall_with],
          ] as const
        },
      )
    },
    // Asked of the database, so that every instance says the same, and a restart forgets nothing.
    watchDatabase({ db, clock, server }) {
      watch(
        {
          name: 'operator_tasks',
          help: 'What waits for a person, by environment and kind: docs/OPERATING.md lists the kinds. 1,000 stands for as many or more.',
          labelNames: ['environment', 'kind'],
        },
        async () => {
          const now = clock.now()
          const counted = ENVIRONMENTS.map(async (environment) => {
            const counts = await readCounts(db, environment, now)
            return kindsOf(environment).map(
              (kind) => [{ environment, kind }, counts[kind]] as const,
            )
          })
          return (await Promise.all(counted)).flat()
        },
      )
      watch(
        {
          name: 'webhook_backlog_seconds',
          help: 'How long the oldest delivery to an endpoint that works has been due, by environment; 0 when none is.',
          labelNames: ['environment'],
        },
        async () => {
          const now = clock.now()
          const due = await oldestDue(db, now)
          return ENVIRONMENTS.map((environment) => {
            const since = due.get(environment) ?? now
            return [{ environment }, (now.getTime() - since.getTime()) / SECOND] as const
          })
        },
      )
      watch(
        {
          name: 'payment_disputes',
          help: 'Disputes over payments, by how they stand.',
          labelNames: ['environment', 'status'],
        },
        async () => [
          ...ENVIRONMENTS.flatMap((environment) =>
            DISPUTE_STATUSES.map((status) => [{ environment, status }, 0] as const),
          ),
          ...(await countDisputes(db)).map(({ count, ...labels }) => [labels, count] as const),
        ],
      )
      watch(
        {
          name: 'payment_refunds_failed',
          help: 'Payments with a refund that no card took, and that waits for an operator.',
          labelNames: ['environment'],
        },
        async () => [
          ...ENVIRONMENTS.map((environment) => [{ environment }, 0] as const),
          ...(await countFailedRefunds(db)).map(({ count, ...labels }) => [labels, count] as const),
        ],
      )
      registry.registerMetric(
        new Gauge({
          name: 'database_connections',
          help: "This instance's connections for transactions that are in use and idle, transactions that wait for one, and DATABASE_POOL_SIZE as the limit.",
          labelNames: ['state'],
          registers: [],
          collect() {
            const now = server.connections?.()
            if (!now) return
            this.set({ state: 'in_use' }, now.inUse)
            this.set({ state: 'idle' }, now.idle)
            this.set({ state: 'waiting' }, now.waiting)
            this.set({ state: 'limit' }, now.limit)
          },
        }),
      )
      registry.registerMetric(
        new Counter({
          name: 'database_connections_refused_total',
          help: 'Connections that PostgreSQL refused to this instance because it, or the role, had as many as it may.',
          registers: [],
          collect() {
            this.reset()
            this.inc(server.connections?.().refused ?? 0)
          },
        }),
      )
      registry.registerMetric(
        new Gauge({
          name: 'database_up',
          help: 'Whether the database responds to this instance in time.',
          registers: [],
          async collect() {
            const result = await inTime(() => sql`select 1`.execute(db))
            this.set(result ? 1 : 0)
          },
        }),
      )
    },
    webhookAttempt: (delivered) => attempts.inc({ result: delivered ? 'delivered' : 'failed' }),
  }
}
