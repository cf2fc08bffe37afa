import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readSettings } from '../../src/core/settings.ts'
import { packageVersion } from '../../src/version.ts'
import type { PartnerClient } from '../support/client.ts'
import { must } from '../support/market.ts'
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
  kind: number
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
let collectorStatus = 200
let spans: Span[]
let metrics: Metric[]
let logs: string

function collectorUrl(): string {
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
}

function partnerOf(service: Running): PartnerClient {
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  return clientFor(service, credential)
}

/** A webhook to an address here. */
async function deliverTo(url: string, service: Running): Promise<void> {
  const client = partnerOf(service)
  must(await client.put('/api/partner/webhooks', { url, secret: 's'.repeat(32) }), 200)
  must(await client.post('/api/partner/webhooks/test', {}), 202)
  await vi.waitFor(() => expect(received.map(({ path }) => path)).toContain('/hook'), 20_000)
}

async function call(service: Running): Promise<void> {
  const client = partnerOf(service)
  expect((await client.get('/orders')).status).toBe(200)
  const fault = { 'x-sandbox-fault': '503' }
  expect((await client.get('/orders?limit=1', { headers: fault })).status).toBe(503)
  await fetch(`${service.baseUrl}/no/such/page`, { method: 'PURGE' })
  for (const monitored of ['/health/ready', '/health/live', '/metrics']) {
    await fetch(`${service.baseUrl}${monitored}`)
  }
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
    response.writeHead(collectorStatus, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const service = await start({
    DATA_DIR: await preparedFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(),
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-secret',
    OTEL_SERVICE_NAME: 'test-market',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other, deployment.environment.name=st%61ging',
  })
  await call(service)
  await deliverTo(`${collectorUrl()}/hook`, service)
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
  const exports = received.filter(({ path }) => path.startsWith('/v1/'))
  expect(exports.every(({ key }) => key === 'collector-secret')).toBe(true)
  expect(all).toContain('test-market')
})

test('all that an instance sends names that instance, its version and what the settings add', () => {
  const resources = received.flatMap(({ body }) => {
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body)
    return [...resourceSpans, ...resourceMetrics].map(({ resource }) => resource.attributes)
  })
  expect(new Set(resources.map((each) => JSON.stringify(each))).size).toBe(1)
  const named = Object.fromEntries(
    resources[0].map(({ key, value }: Span['attributes'][0]) => [key, value.stringValue]),
  )
  expect(named).toMatchObject({
    'service.name': 'test-market',
    'service.version': packageVersion(),
    'service.instance.id': expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
    'deployment.environment.name': 'staging',
    'telemetry.sdk.language': 'nodejs',
  })
})

test.each(['environment', 'a=b=c', 'a=%zz', '=b'])(
  'OTEL_RESOURCE_ATTRIBUTES=%s is rejected by name',
  (OTEL_RESOURCE_ATTRIBUTES) => {
    expect(() => readSettings({ OTEL_RESOURCE_ATTRIBUTES })).toThrow(
      /^OTEL_RESOURCE_ATTRIBUTES: must [^\n;]+$/,
    )
  },
)

test('spans say of which kind they are, as the semantic conventions have it', () => {
  const SERVER = 2
  const CLIENT = 3
  const INTERNAL = 1
  const ofOrders = spans.filter(({ name }) => name === 'GET /api/partner/v1/orders')
  for (const span of ofOrders) {
    expect(span.kind).toBe(SERVER)
    expect(attribute(span, 'url.scheme')).toEqual({ stringValue: 'http' })
    expect(attribute(span, 'url.path')).toEqual({ stringValue: '/api/partner/v1/orders' })
  }
  const errors = ofOrders.map((span) => attribute(span, 'error.type')?.stringValue)
  expect(new Set(errors)).toEqual(new Set([undefined, '503']))
  expect(spans.find(({ name }) => name === 'list_orders')?.kind).toBe(INTERNAL)
  expect(spans.find((span) => attribute(span, 'db.query.text'))?.kind).toBe(CLIENT)
  const { port } = collector.address() as AddressInfo
  const posted = spans.find(({ name, kind }) => name === 'POST' && kind === CLIENT)
  expect(attribute(posted, 'server.address')).toEqual({ stringValue: '127.0.0.1' })
  expect(attribute(posted, 'server.port')).toEqual({ intValue: port })
})

test('a method that is not in them is another, and monitors make no trace', () => {
  const purge = spans.find(({ name }) => name === 'HTTP')
  expect(attribute(purge, 'http.request.method')).toEqual({ stringValue: '_OTHER' })
  expect(attribute(purge, 'http.request.method_original')).toEqual({ stringValue: 'PURGE' })
  expect(spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([])
})

test('the figures of /metrics are sent as they are', () => {
  const named = (name: string) => metrics.find((metric) => metric.name === name)
  expect(named('database_up')?.gauge?.dataPoints).toEqual([
    expect.objectContaining({ asDouble: 1 }),
  ])
  expect(named('process_cpu_seconds_total')).toMatchObject({
    unit: 's',
    sum: { isMonotonic: true },
  })
  expect(named('process_resident_memory_bytes')?.unit).toBe('By')
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

const said = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"telemetry: '))
    .map((line) => JSON.parse(line))

test('a collector that is away holds up nothing, and the log says so once', async () => {
  const service = await start({
    DATA_DIR: await preparedFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  })
  await call(service)
  const { code, stdout } = await service.stop()
  expect(code).toBe(0)
  expect(said(stdout).map(({ level, what }) => [level, what])).toEqual(
    expect.arrayContaining([
      [40, 'traces'],
      [40, 'metrics'],
    ]),
  )
})

test('an outage of the collector is one line in the log, and its end another', async () => {
  collectorStatus = 401
  received.length = 0
  const service = await start({
    DATA_DIR: await preparedFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(),
  })
  // Batches leave every five seconds, since jobs have spans all the time.
  await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThan(1)
  collectorStatus = 200
  await expect.poll(() => said(service.stdout()).length, { timeout: 60_000 }).toBe(2)
  const { stdout } = await service.stop()
  expect(said(stdout)).toMatchObject([
    {
      level: 40,
      what: 'traces',
      msg: 'telemetry: the collector takes nothing',
      err: { code: 401 },
    },
    { level: 30, what: 'traces', msg: 'telemetry: the collector takes all again' },
  ])
})
