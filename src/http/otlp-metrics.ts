import { ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricDescriptor,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'

type Collected = MetricObjectWithValues<MetricValue<string> & { metricName?: string }>
type HrTime = DataPoint<unknown>['startTime']

/**
 * The figures of `/metrics` as OpenTelemetry has them, so that both are the same ones. Counters and histograms
 * are cumulative since `since`.
 */
export function otlpMetrics(collected: Collected[], since: HrTime, now: HrTime): MetricData[] {
  return collected.flatMap((metric): MetricData[] => {
    const descriptor = descriptorOf(metric)
    const cumulative = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
    const times = { startTime: since, endTime: now }
    const points = metric.values.map(({ labels, value }) => ({
      ...times,
      attributes: labels as Record<string, string>,
      value,
    }))
    switch (String(metric.type)) {
      case 'counter':
        return [
          {
            ...cumulative,
            dataPointType: DataPointType.SUM,
            isMonotonic: true,
            dataPoints: points,
          },
        ]
      case 'gauge':
        return [{ ...cumulative, dataPointType: DataPointType.GAUGE, dataPoints: points }]
      case 'histogram':
        return [
          {
            ...cumulative,
            dataPointType: DataPointType.HISTOGRAM,
            dataPoints: histograms(metric).map((point) => ({ ...times, ...point })),
          },
        ]
      default:
        // Summaries, which the service has none of.
        return []
    }
  })
}

function descriptorOf({ name, help }: Collected): MetricDescriptor {
  const [, measured = ''] = /_(seconds|bytes)(?:_total)?$/.exec(name) ?? []
  // None for counts: of `1`, collectors make a ratio.
  const unit = { seconds: 's', bytes: 'By' }[measured] ?? ''
  return { name, description: help, unit, valueType: ValueType.DOUBLE }
}

/** Prometheus counts up to each bound, OpenTelemetry between bounds. */
function histograms({
  name,
  values,
}: Collected): Pick<DataPoint<Histogram>, 'attributes' | 'value'>[] {
  const series = new Map<string, Collected['values']>()
  for (const value of values) {
    const { le: _bound, ...labels } = value.labels
    const key = JSON.stringify(labels)
    series.set(key, [...(series.get(key) ?? []), value])
  }
  return [...series].map(([labels, parts]) => {
    const of = (suffix: string) => parts.filter(({ metricName }) => metricName === name + suffix)
    const upTo = of('_bucket').toSorted((a, b) => bound(a) - bound(b))
    return {
      attributes: JSON.parse(labels),
      value: {
        buckets: {
          boundaries: upTo.map(bound).filter(Number.isFinite),
          counts: upTo.map(({ value }, index) => value - (upTo[index - 1]?.value ?? 0)),
        },
        sum: of('_sum')[0]?.value ?? 0,
        count: of('_count')[0]?.value ?? 0,
      },
    }
  })
}

function bound({ labels: { le } }: MetricValue<string>): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
}
