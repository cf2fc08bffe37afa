import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  cleanUp,
  clientFor,
  freePort,
  preparedFolder,
  printedCredential,
  type Running,
  start,
} from '../support/process.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

interface Value {
  stringValue?: string
  intValue?: number
}
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: Value }[]
}
interface Metric {
  name: string
  unit: string
  sum?: { isMonotonic: boolean; dataPoints: unknown[] }
  gauge?: { dataPoints: { asDouble: number }[] }
  histogram?: { dataPoints: { count: number; bucketCounts: number[]; explicitBounds: number[] }[] }
}

/** A collector that keeps what it is sent. */
const received: { path: string; key: string | undefined; body: string }[] = []
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
let collector: Server
let spans: Span[]
let metrics: Metric[]
let logs: string

function collectorUrl(): string {
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
}

async function call(service: Running): Promise<void> {
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  const { status } = await clientFor(service, credential).get('/orders')
  expect(status).toBe(200)
  const found = await fetch(`${service.baseUrl}/api/domain/search`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${CALLER}-00`,
    },
    body: JSON.stringify({ q: 'hush-coffee' }),
  })
  expect(found.status).toBe(200)
  await found.text()
}

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ path: request.url ?? '', key: request.headers['api-key'] as string, body })
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const service = await start({
    DATA_DIR: await preparedFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(),
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-secret',
    OTEL_SERVICE_NAME: 'test-market',
  })
  await call(service)
  const ended = await service.stop()
  expect(ended.code).toBe(0)
  logs = ended.stdout
  const sent = (path: string) =>
    received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body))
  spans = sent('/v1/traces').flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  )
  metrics = sent('/v1/metrics').flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: { metrics: Metric[] }[] }) =>
      scopeMetrics.flatMap((scope) => scope.metrics),
    ),
  )
})
afterAll(async () => {
  collector.close()
  await cleanUp()
})

const attribute = (span: Span | undefined, name: string) =>
  span?.attributes.find(({ key }) => key === name)?.value

test('a request joins the trace of its caller, and what it does is within it', () => {
  const ofCaller = spans.filter(({ traceId }) => traceId === TRACE)
  const request = ofCaller.find(({ parentSpanId }) => parentSpanId === CALLER)
  expect(request?.name).toBe('POST /api/domain/search')
  expect(attribute(request, 'http.response.status_code')).toEqual({ intValue: 200 })
  expect(attribute(request, 'marketplace.operation')).toEqual({ stringValue: 'search_domain' })
  const within = ofCaller.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
  expect(within.map(({ name }) => name)).toContain('search_domain')
})

test('a signed call has a span of its operation, and of its statements', () => {
  const request = spans.find(({ name }) => name === 'GET /api/partner/v1/orders')
  const inTrace = spans.filter(({ traceId }) => traceId === request?.traceId)
  const operation = inTrace.find(({ parentSpanId }) => parentSpanId === request?.spanId)
  expect(operation).toBeDefined()
  const statement = inTrace.find((span) => attribute(span, 'db.query.text'))
  expect(statement?.name).toMatch(/^(?:SELECT|WITH|INSERT)$/)
})

test('a job and a statement of its own has a trace, and polling has none', () => {
  expect(spans.some(({ name }) => name.startsWith('job '))).toBe(true)
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId)
  expect(roots.filter((span) => attribute(span, 'db.query.text'))).toEqual([])
})

test('no query, token, secret or parameter is sent', () => {
  const all = received.map(({ body }) => body).join('\n')
  expect(all).not.toMatch(/hush-coffee|collector-secret|whsec_|Bearer/)
  expect(received.every(({ key }) => key === 'collector-secret')).toBe(true)
  expect(all).toContain('test-market')
})

test('all that an instance sends names that instance', () => {
  const instances = received.flatMap(({ body }) => {
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body)
    return [...resourceSpans, ...resourceMetrics].map(({ resource }) =>
      resource.attributes.find(({ key }: { key: string }) => key === 'service.instance.id'),
    )
  })
  expect(new Set(instances.map((one) => one?.value.stringValue)).size).toBe(1)
  expect(instances[0]?.value.stringValue).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
})

test('the figures of /metrics are sent as they are', () => {
  const named = (name: string) => metrics.find((metric) => metric.name === name)
  expect(named('database_up')?.gauge?.dataPoints).toEqual([
    expect.objectContaining({ asDouble: 1 }),
  ])
  expect(named('process_cpu_seconds_total')?.sum?.isMonotonic).toBe(true)
  const requests = named('http_request_duration_seconds')
  expect(requests?.unit).toBe('s')
  for (const { count, bucketCounts, explicitBounds } of requests?.histogram?.dataPoints ?? []) {
    expect(bucketCounts.reduce((sum, each) => sum + each, 0)).toBe(count)
    expect(bucketCounts).toHaveLength(explicitBounds.length + 1)
  }
  expect(requests?.histogram?.dataPoints.length).toBeGreaterThan(0)
})

test('log lines name the trace that they were written in', () => {
  const line = logs.split('\n').find((each) => each.includes(TRACE))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ trace_id: TRACE })
})

test('a collector that is away holds up nothing', async () => {
  const service = await start({
    DATA_DIR: await preparedFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  })
  await call(service)
  expect((await service.stop()).code).toBe(0)
})
