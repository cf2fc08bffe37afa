import { randomUUID } from 'node:crypto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import type { Log } from './core/context.ts'
import type { Settings } from './core/settings.ts'
import type { Metrics } from './http/metrics.ts'
import { otlpMetrics } from './http/otlp-metrics.ts'
import { type Clock, MINUTE, SECOND } from './lib/clock.ts'
import { packageVersion } from './version.ts'

/** How long a collector may take, at a stop as well. */
const EXPORT_TIMEOUT_MS = 2 * SECOND

export interface Telemetry {
  /** Exports these figures every minute, and at the end. */
  exportMetrics(metrics: Metrics): void
  /** Sends what is left, the figures of the database with it. To a collector that is away it is lost. */
  stop(): Promise<void>
}

/** Sends traces and metrics to a collector by OTLP over HTTP, with the batches and limits of OpenTelemetry's SDK. */
export function startTelemetry(
  { endpoint, headers, resource: given, sampled }: NonNullable<Settings['telemetry']>,
  clock: Clock,
  log: Log,
): Telemetry {
  const version = packageVersion()
  const resource = defaultResource().merge(
    resourceFromAttributes({
      'service.version': version,
      // Without it the counters of several instances are one series that goes up and down.
      'service.instance.id': randomUUID(),
      ...given,
    }),
  )
  const to = (path: string) => ({
    url: `${endpoint.replace(/\/$/, '')}${path}`,
    headers,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  // Callers join traces, and do not decide which are kept.
  const sampler = new TraceIdRatioBasedSampler(sampled)
  const tracing = new NodeTracerProvider({
    resource,
    sampler: new ParentBasedSampler({
      root: sampler,
      remoteParentSampled: sampler,
      remoteParentNotSampled: sampler,
    }),
    spanProcessors: [
      new BatchSpanProcessor(
        reportOutages(new OTLPTraceExporter(to('/v1/traces')), 'traces', log),
        {
          exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        },
      ),
    ],
  })
  tracing.register()
  let meters: MeterProvider | undefined

  return {
    exportMetrics(metrics) {
      const since = hrTime(clock)
      const reader = new PeriodicExportingMetricReader({
        exporter: reportOutages(new OTLPMetricExporter(to('/v1/metrics')), 'metrics', log),
        exportIntervalMillis: MINUTE,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        metricProducers: [
          {
            async collect() {
              const collected = otlpMetrics(await metrics.collect(), since, hrTime(clock))
              const scope = { name: 'domain-marketplace', version }
              const scopeMetrics = [{ scope, metrics: collected }]
              return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
            },
          },
        ],
      })
      meters = new MeterProvider({ resource, readers: [reader] })
    },
    async stop() {
      await Promise.allSettled([tracing.shutdown(), meters?.shutdown()])
    },
  }
}

/** The SDK reports each export that failed, and none that went well: a log needs where an outage begins and ends. */
function reportOutages<
  Exporter extends { export(items: unknown, done: (result: { error?: Error }) => void): void },
>(exporter: Exporter, what: 'traces' | 'metrics', log: Log): Exporter {
  const send = exporter.export.bind(exporter)
  let isAway = false
  exporter.export = (items, done) =>
    send(items, (result) => {
      const { error } = result
      if (error && !isAway) log.warn({ what, err: error }, 'telemetry: the collector takes nothing')
      if (!error && isAway) log.info({ what }, 'telemetry: the collector takes all again')
      isAway = error !== undefined
      done(result)
    })
  return exporter
}

function hrTime(clock: Clock): [number, number] {
  const milliseconds = clock.now().getTime()
  return [Math.floor(milliseconds / SECOND), (milliseconds % SECOND) * 1_000_000]
}
