import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { seedListings } from '../../src/modules/sandbox/seed.ts'
import type { PartnerClient } from '../support/client.ts'
import { environmentOf, installClient, runMarketplace } from '../support/client-package.ts'
import { freshName, must } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  await seedListings(service.house, 'live')
  folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  await installClient(folder)
}, 240_000)
afterEach(closeReceivers)
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

interface Outcome {
  title: string
  outcome: string
  reason: string | null
}

/** Runs the kit, and answers what did not pass beside how many did. */
async function verdict(args: string[], who: PartnerClient, address = service.baseUrl) {
  const env = environmentOf(folder, who, address)
  const all = ['conformance', '--json', ...args]
  const { stdout, code } = await runMarketplace(folder, all, env)
  const { checks, passed }: { checks: Outcome[]; passed: number } = JSON.parse(stdout)
  const titles = (wanted: string) =>
    checks.filter(({ outcome }) => outcome === wanted).map(({ title }) => title)
  return { code, passed, failed: titles('failed'), skipped: titles('skipped'), checks }
}

test('passes on this service, and leaves it as it was', async () => {
  const own = await service.partner({ affiliate: true })
  const { code, passed, skipped, checks } = await verdict([], own)
  expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(skipped).toEqual(['shows prices with a token'])
  expect(passed).toBeGreaterThan(70)
  expect(code).toBe(0)
  const { orders } = (await own.get('/orders?status=EXTERNALLY_PAID')).body
  expect(orders).toEqual([])
  const { cases } = (await own.get('/brokerage')).body
  expect(cases).toMatchObject([{ status: 'cancelled' }])
  expect((await own.get('/api/partner/webhooks')).body).toMatchObject({ active: false })
}, 120_000)

test('passes again beside what others did: a dead endpoint, and deliveries that wait', async () => {
  const own = await service.partner()
  const url = 'http://127.0.0.1:9/conformance-kit'
  must(await own.put('/api/partner/webhooks', { url, secret: 'a-secret-of-16-or-more' }), 200)
  for (let count = 0; count < 5; count++) await sold(own, await freshName(service))
  const events = ['--only', 'events']
  expect(await verdict(events, own)).toMatchObject({ failed: [], skipped: [] })

  const receiver = await startReceiver()
  const endpoint = { url: receiver.url, secret: 'a-secret-of-16-or-more' }
  must(await own.put('/api/partner/webhooks', endpoint), 200)
  receiver.answer(503)
  for (let count = 0; count < 5; count++) await sold(own, await freshName(service))
  expect((await verdict(events, own)).skipped).toHaveLength(1)
  const replacing = [...events, '--replace-webhook']
  expect(await verdict(replacing, own)).toMatchObject({ failed: [], skipped: [] })
}, 120_000)

test('waits where a limit is reached', async () => {
  let left = 2
  const own = await service.partner()
  const refusing = await brokenProxy(own, { refuse: () => left-- > 0 })
  const address = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
  const group = ['--only', 'answers']
  expect(await verdict(group, own, address)).toMatchObject({ failed: [] })
  refusing.closeAllConnections()
  refusing.close()
}, 60_000)

const reversed = (text: string) => {
  const page = JSON.parse(text)
  if (page.events) page.events.reverse()
  return JSON.stringify(page)
}

/** What each broken service in front of the right one is caught by. */
const BROKEN: [string, string, Change, string][] = [
  ['signing', 'checks no signature', { resign: true }, 'refuses another secret'],
  [
    'signing',
    'forgets nonces',
    { resign: true, onlyValid: true },
    'takes a nonce once, however many come together',
  ],
  [
    'signing',
    'forgets the nonces of orders',
    { on: /POST .*orders/, resign: true, onlyValid: true },
    'takes no replay of an order, not even with its key',
  ],
  [
    'signing',
    'takes orders that were altered',
    { on: /POST .*orders/, resign: true },
    'refuses an order whose buyer was altered after signing',
  ],
  [
    'idempotency',
    'forgets keys',
    { dropKey: true },
    'makes one order of requests that come together',
  ],
  [
    'idempotency',
    'forgets the keys of refunds',
    { on: /refunds/, dropKey: true },
    'honours a key on POST /refunds',
  ],
  [
    'idempotency',
    'forgets the keys of cases',
    { on: /brokerage/, dropKey: true },
    'honours a key on POST /brokerage',
  ],
  [
    'answers',
    'names no request that succeeds',
    { on: /GET .*availability/, drop: 'x-request-id' },
    'names each request, whatever the answer',
  ],
  [
    'answers',
    'shows no limit to the public',
    { on: /domain.search/, drop: 'ratelimit-remaining' },
    'shows everyone where they stand in their limit',
  ],
  [
    'answers',
    'says no policy',
    { drop: 'ratelimit-policy' },
    'shows everyone where they stand in their limit',
  ],
  [
    'answers',
    'keeps what it owes to itself',
    { answer: (text) => text.replaceAll('amount_owed_cents', 'owed') },
    'gives an order all its fields, wherever it shows one',
  ],
  [
    'events',
    'loses refunds from its history',
    { answer: (text) => text.replaceAll('order.refunded', 'order.unknown') },
    'tells of a refund',
  ],
  [
    'events',
    'tells its history from the end',
    { on: /events/, answer: reversed },
    'tells things in the order in which they happened',
  ],
  [
    'oauth',
    'shows prices to anyone',
    { answer: (text) => text.replaceAll('"price_masked":true', '"price_masked":false') },
    'masks prices without a token',
  ],
]
test.each(BROKEN)(
  '%s: fails a service that %s',
  async (group, _what, change, title) => {
    const own = await service.partner()
    const proxy = await brokenProxy(own, change)
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const { code, failed } = await verdict(['--only', group], own, address)
    proxy.closeAllConnections()
    proxy.close()
    expect(failed).toContain(title)
    expect(code).toBe(1)
  },
  120_000,
)

interface Change {
  /** The requests that it breaks, by method and path; all without it. */
  on?: RegExp
  /** Which of them it refuses, for a second. */
  refuse?(): boolean
  /** Leaves a header field out of its answers. */
  drop?: string
  /** Signs anew whatever comes, so that the service behind believes it. */
  resign?: boolean
  /** Only what was rightly signed. */
  onlyValid?: boolean
  /** Gives each request an Idempotency-Key of its own. */
  dropKey?: boolean
  answer?(text: string): string
}

/** Stands in front of the service, and makes it one that breaks a rule. */
async function brokenProxy(who: PartnerClient, broken: Change): Promise<Server> {
  const { hostname, port } = new URL(service.baseUrl)
  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming)
    const headers = { ...incoming.headers }
    const { method = 'GET', url = '/' } = incoming
    const change = broken.on?.test(`${method} ${url}`) === false ? {} : broken
    if (change.refuse?.()) {
      outgoing.writeHead(429, { 'retry-after': '1' }).end()
      return
    }
    const isSigned = headers['x-service-signature'] !== undefined
    if (change.resign && isSigned && (!change.onlyValid || isValid(who, incoming, body))) {
      Object.assign(headers, who.sign(method, url, body.toString()))
    }
    if (change.dropKey && headers['idempotency-key']) {
      Object.assign(headers, { 'idempotency-key': crypto.randomUUID() })
      Object.assign(headers, who.sign(method, url, body.toString()))
    }
    const forwarded = request({ hostname, port, method, path: url, headers }, async (answer) => {
      const text = (await bodyOf(answer)).toString()
      const given = change.answer ? change.answer(text) : text
      const { 'content-length': _length, ...rest } = answer.headers
      if (change.drop) delete rest[change.drop]
      outgoing.writeHead(answer.statusCode ?? 502, rest).end(given)
    })
    forwarded.on('error', () => outgoing.destroy())
    forwarded.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function isValid(who: PartnerClient, incoming: IncomingMessage, body: Buffer): boolean {
  const { method = 'GET', url = '/', headers } = incoming
  const right = who.sign(method, url, body.toString(), {
    timestamp: String(headers['x-service-timestamp']),
    nonce: String(headers['x-service-nonce']),
  })
  return right['x-service-signature'] === headers['x-service-signature']
}

async function bodyOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
