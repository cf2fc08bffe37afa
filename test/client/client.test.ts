import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS as PARTNER } from '../../client/src/generated/partner-operations.ts'
import { OPERATIONS as PUBLIC } from '../../client/src/generated/public-operations.ts'
import {
  ApiError,
  type Attempt,
  ConnectionError,
  canonicalString,
  MarketplaceError,
  PartnerClient,
  type PartnerClientOptions,
  PublicClient,
  signatureHeaders,
  TimeoutError,
} from '../../client/src/index.ts'
import { USER_OPERATIONS } from '../../src/http/public/operations.ts'
import { freshName } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let market: PartnerClient
beforeAll(async () => {
  service = await startService({ tokens: { 'good-token': 'usr_1' } })
  market = await client()
})
afterAll(() => service.stop())

async function client(options: Partial<PartnerClientOptions> = {}): Promise<PartnerClient> {
  const { credential } = await service.partner({ affiliate: true })
  return new PartnerClient({
    baseUrl: service.baseUrl,
    keyId: credential.key_id,
    secret: credential.secret,
    ...options,
  })
}

/** A client that notes its attempts and what it sent. */
async function watched(options: Partial<PartnerClientOptions> = {}) {
  const attempts: Attempt[] = []
  const sent: Record<string, string>[] = []
  const noted = await client({
    onAttempt: (idempotency) => attempts.push(idempotency),
    fetch: (url, init) => {
      sent.push(Object.fromEntries(new Headers(init?.headers)))
      return fetch(url, init)
    },
    ...options,
  })
  return { market: noted, attempts, sent }
}

async function bodyFor(from: PartnerClient) {
  const { domain, price_cents, quote_id } = await from.quotes.create({
    domain: await freshName(service),
  })
  return {
    domain,
    quote_id,
    sale_price_cents: price_cents,
    external_payment_ref: randomUUID(),
    buyer: { email: 'buyer@example.com' },
  }
}

const faulty = (fault: string) => ({ headers: { 'X-Sandbox-Fault': fault } })

interface Vector {
  name: string
  secret: string
  method: string
  path: string
  raw_query: string
  body_base64: string
  timestamp: string
  nonce: string
  canonical_string: string
  signature: string
}

describe('signing', () => {
  const { vectors }: { vectors: Vector[] } = JSON.parse(
    readFileSync(new URL('../../docs/signing-vectors.json', import.meta.url), 'utf8'),
  )

  test('agrees with every published vector', async () => {
    expect(vectors.length).toBeGreaterThan(300)
    for (const vector of vectors) {
      const parts = {
        ...vector,
        rawQuery: vector.raw_query,
        body: new Uint8Array(Buffer.from(vector.body_base64, 'base64')),
      }
      expect(await canonicalString(parts), vector.name).toBe(vector.canonical_string)
      const headers = await signatureHeaders({ keyId: 'pk', secret: vector.secret }, parts)
      expect(headers['X-Service-Signature'], vector.name).toBe(vector.signature)
    }
  })
})

describe('the partner client', () => {
  test('sells a domain', async () => {
    const domain = await freshName(service, 'sandbox', { priceCents: 12_300 })
    expect((await market.search({ q: domain })).results[0]?.domain).toBe(domain)
    expect(await market.domains.availability(domain)).toMatchObject({ available: true })
    const quote = await market.quotes.create({ domain, expected_price: 12_300 })
    const order = await market.orders.create({
      domain,
      sale_price_cents: quote.price_cents,
      quote_id: quote.quote_token,
      external_payment_ref: 'pay (1) + ü',
      buyer: { email: 'buyer@example.com' },
    })
    expect(order).toMatchObject({ status: 'EXTERNALLY_PAID', external_payment_ref: 'pay (1) + ü' })
    await market.sandbox.startTransfer(order.public_id)
    await market.sandbox.completeTransfer(order.public_id)
    const { settlements } = await market.sandbox.runSettlement()
    const id = settlements[0]?.id ?? ''
    expect((await market.settlements.get(id)).lines).toHaveLength(1)
    expect(await market.settlements.csv(id)).toContain(`${order.public_id},${domain}`)
  })

  test('has a method for every operation of the document, and a key for each that changes something', async () => {
    const asked = new Set<string>()
    const keyed = new Set<string>()
    const all = new PartnerClient({
      baseUrl: service.baseUrl,
      keyId: 'pk',
      secret: 'sk',
      maxRetries: 0,
      fetch: (url, init) => {
        const operation = `${init?.method} ${new URL(url as URL).pathname}`
        asked.add(operation)
        if (new Headers(init?.headers).has('idempotency-key')) keyed.add(operation)
        return Promise.resolve(new Response('{}', { status: 418 }))
      },
    })
    const call = async (method: (...args: unknown[]) => unknown) => {
      await Promise.resolve(method('id', 'id', {})).catch(() => {})
    }
    const visit = async (node: object): Promise<void> => {
      for (const part of Object.values(node)) {
        if (typeof part === 'function') await call(part)
        else if (typeof part === 'object') await visit(part)
      }
    }
    await visit(all)
    await all.search({ q: 'id' }).catch(() => {})
    await all.sandbox
      .answerOffer({ case_id: 'id', offer_id: 'id', answer: 'accept' })
      .catch(() => {})
    const paths = Object.values(PARTNER).map(
      ({ method, path }) =>
        `${method} ${path.replace('{answer}', 'accept').replace(/\{\w+\}/g, 'id')}`,
    )
    expect([...asked].toSorted()).toEqual([...new Set(paths)].toSorted())
  })

  test('walks lists page after page', async () => {
    const walker = await client()
    for (let count = 0; count < 5; count++) {
      await walker.orders.create(await bodyFor(walker))
    }
    const ids: string[] = []
    for await (const { public_id } of walker.orders.each({ limit: 2 })) ids.push(public_id)
    expect(ids).toHaveLength(5)
    expect(ids.toSorted().toReversed()).toEqual(ids)
    const events: string[] = []
    for await (const { type } of walker.events.each({ limit: 2 })) events.push(type)
    expect(events).toEqual(Array(5).fill('order.recorded'))
  })

  test('says what an error says, and does not try again', async () => {
    const { market: own, attempts } = await watched()
    const error = await own.orders.get('ord_none').catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toBeInstanceOf(MarketplaceError)
    expect(error).toMatchObject({ status: 404, code: 'not_found', retryAfter: null })
    expect((error as ApiError).requestId).toMatch(/^req_/)
    expect(service.logs.some((line) => line.includes((error as ApiError).requestId ?? '-'))).toBe(
      true,
    )
    expect(attempts).toMatchObject([{ method: 'GET', attempt: 1, status: 404, retryInMs: null }])
    const invalid = await own.quotes.create({ domain: 'no domain' }).catch((e: unknown) => e)
    expect(invalid).toMatchObject({ code: 'validation_error', details: [{ field: 'domain' }] })
  })

  test.each(['.', '..', ''])('rejects %j in a path, which a URL would swallow', async (id) => {
    await expect(market.orders.get(id)).rejects.toThrow(/public_id/)
  })

  test.each(['a/b', '%2e%2e', 'ü', "it's", 'a?b#c', 'a b'])('signs %j in a path', async (id) => {
    await expect(market.orders.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each([
    ['Idempotency-Key', /idempotencyKey/],
    ['idempotency-key', /idempotencyKey/],
    ['Content-Type', /the client sends it/],
    ['accept', /the client sends it/],
    ['x-service-nonce', /the client sends it/],
  ])('rejects %s in headers, which it sends by itself', async (name, why) => {
    const { market: own, sent } = await watched()
    const call = own.quotes.create({ domain: 'a.test' }, { headers: { [name]: 'mine' } })
    await expect(call).rejects.toMatchObject({ name: 'MarketplaceError', message: why })
    expect(sent).toEqual([])
  })

  test('sends the other headers, and an idempotencyKey', async () => {
    const { market: own, sent } = await watched()
    const domain = await freshName(service)
    const options = { headers: { 'X-Trace': 'mine' }, idempotencyKey: 'mine' }
    const quotes = [await own.quotes.create({ domain }, options)]
    quotes.push(await own.quotes.create({ domain }, options))
    expect(quotes[0]).toEqual(quotes[1])
    for (const header of sent) {
      expect(header).toMatchObject({ 'x-trace': 'mine', 'idempotency-key': 'mine' })
    }
  })

  test('says which header cannot be sent, and never with which value', async () => {
    const key = market.quotes.create({ domain: 'a.test' }, { idempotencyKey: '✓' })
    await expect(key).rejects.toMatchObject({
      name: 'MarketplaceError',
      message: /idempotency-key/,
    })
    const reader = new PublicClient({ baseUrl: service.baseUrl, accessToken: 'token\nof-mine' })
    const error = await reader.index().catch((problem: Error) => problem)
    expect(error).toMatchObject({ name: 'MarketplaceError', message: /authorization/ })
    expect(inspect(error)).not.toContain('of-mine')
  })

  test('takes no id for a secret, no secret with a newline, and no input that is not there', async () => {
    await expect(client({ keyId: 'sk_sandbox_1' })).rejects.toThrow('keyId is a secret')
    await expect(client({ secret: 'sk_sandbox_1\n' })).rejects.toThrow('newline')
    const order = market.orders.create(undefined as never)
    await expect(order).rejects.toMatchObject({ code: 'validation_error' })
  })

  test.each([
    ['{}', {}],
    ['a page that leads to itself', { orders: [], next_cursor: 'same' }],
  ])('walks no list of %s', async (_name, page) => {
    const own = await client({ fetch: async () => Response.json(page) })
    await expect(own.orders.each().next()).rejects.toThrow('A page of the list')
  })

  test('takes null for no response of the service', async () => {
    const own = await client({ fetch: async () => Response.json(null) })
    await expect(own.orders.get('ord_1')).rejects.toMatchObject({ status: 200, code: 'unknown' })
  })

  test('sends no secret', async () => {
    const { market: own, sent } = await watched()
    await own.events.list()
    expect(JSON.stringify(sent)).not.toContain('sk_')
  })
})

describe('retries', () => {
  test.each(['429', '503'])('get past a %s, after its Retry-After', async (fault) => {
    const { market: own, attempts, sent } = await watched()
    const order = await own.orders.create(await bodyFor(own), faulty(`${fault}; times=2`))
    expect(order.status).toBe('EXTERNALLY_PAID')
    const tries = attempts.filter(({ path }) => path.endsWith('/orders'))
    expect(tries.map(({ status }) => status)).toEqual([Number(fault), Number(fault), 201])
    for (const { retryInMs } of tries.slice(0, 2)) expect(retryInMs).toBeGreaterThanOrEqual(1_000)
    const headers = sent.slice(-3)
    expect(new Set(headers.map((header) => header['x-service-nonce'])).size).toBe(3)
    expect(new Set(headers.map((header) => header['idempotency-key'])).size).toBe(1)
  })

  test('of an order whose response was lost after the commit find the one order', async () => {
    const { market: own, attempts } = await watched()
    const order = await own.orders.create(await bodyFor(own), faulty('drop_after_commit'))
    expect(attempts.at(-2)).toMatchObject({ status: null })
    const { orders } = await own.orders.list()
    expect(orders.map(({ public_id }) => public_id)).toEqual([order.public_id])
  })

  test('of an order that took too long find the one order', async () => {
    const { market: own, attempts } = await watched({ timeoutMs: 700 })
    const order = await own.orders.create(await bodyFor(own), faulty('delay=2s'))
    expect(attempts.at(-2)).toMatchObject({ status: null })
    expect((await own.orders.list()).orders).toMatchObject([{ public_id: order.public_id }])
  })

  test('end, with the last error', async () => {
    const { market: own, attempts } = await watched({ maxRetries: 1 })
    await expect(own.events.list({ limit: 3 }, faulty('503; times=9'))).rejects.toMatchObject({
      code: 'unavailable',
      retryAfter: 1,
    })
    expect(attempts).toHaveLength(2)
    await expect(
      own.events.list({ limit: 4 }, { ...faulty('delay=2s; times=9'), timeoutMs: 100 }),
    ).rejects.toBeInstanceOf(TimeoutError)
  })

  test('are made when nobody responds at the address', async () => {
    const attempts: Attempt[] = []
    const nowhere = new PartnerClient({
      baseUrl: 'http://127.0.0.1:9',
      keyId: 'pk',
      secret: 'sk',
      maxRetries: 1,
      onAttempt: (idempotency) => attempts.push(idempotency),
    })
    const error = await nowhere.events.list().catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).not.toBeInstanceOf(TimeoutError)
    expect(attempts.map(({ status }) => status)).toEqual([null, null])
  })

  test('wait no longer than wanted', async () => {
    const own = await client({ maxRetryAfterMs: 500 })
    await expect(own.events.list({}, faulty('429'))).rejects.toMatchObject({ status: 429 })
  })

  test('stop when the caller does', async () => {
    const stop = new AbortController()
    const own = await client({ onAttempt: () => stop.abort(new Error('enough')) })
    await expect(
      own.events.list({ limit: 5 }, { ...faulty('503'), signal: stop.signal }),
    ).rejects.toThrow('enough')
  })

  test('are not made for what would go wrong again', async () => {
    for (const wrong of [{ keyId: '' }, { secret: '' }, { baseUrl: '' }, { baseUrl: 'market' }]) {
      const options = { baseUrl: service.baseUrl, keyId: 'pk', secret: 'sk', ...wrong }
      expect(() => new PartnerClient(options)).toThrow(Object.keys(wrong)[0])
    }
    expect(() => new PublicClient({ baseUrl: '' })).toThrow('baseUrl')

    const { market: unsendable, attempts } = await watched({ keyId: 'pk\n' })
    const error = await unsendable.events.list().catch((problem: unknown) => problem)
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(attempts).toHaveLength(1)
  })

  test('are not made for a redirect, which names its target', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(308, { location: 'https://market.example/' }).end(),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const attempts: Attempt[] = []
    const led = new PartnerClient({
      baseUrl: `http://127.0.0.1:${port}`,
      keyId: 'pk',
      secret: 'sk',
      onAttempt: (idempotency) => attempts.push(idempotency),
    })
    await expect(led.events.list()).rejects.toMatchObject({
      status: 308,
      message: expect.stringContaining('redirect to https://market.example/'),
    })
    expect(attempts).toMatchObject([{ status: 308, retryInMs: null }])
    server.close()
  })

  test('give a response that is not ours a code of its own', async () => {
    const server = createServer((_request, response) => response.writeHead(502).end('<html>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const reader = new PublicClient({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 1 })
    await expect(reader.batchOperations()).rejects.toMatchObject({
      status: 502,
      code: 'unknown',
      requestId: null,
    })
    server.close()
  })
})

describe('the public client', () => {
  test('reads, masked without a token and real with one', async () => {
    const domain = await freshName(service, 'live')
    const reader = new PublicClient({ baseUrl: service.baseUrl })
    const [result] = (await reader.search({ q: domain })).results
    expect(result?.listing).toMatchObject({ price_cents: null, price_masked: true })
    const known = new PublicClient({
      baseUrl: service.baseUrl,
      accessToken: () => Promise.resolve('good-token'),
    })
    const [real] = (await known.search({ q: domain })).results
    expect(real?.listing).toMatchObject({ price_cents: 10_000, price_masked: false })
    await expect(
      new PublicClient({ baseUrl: service.baseUrl, accessToken: 'bad' }).search({ q: domain }),
    ).rejects.toMatchObject({ code: 'invalid_token' })
  })

  test('gives rows as they come', async () => {
    const reader = new PublicClient({ baseUrl: service.baseUrl })
    const whole = await reader.search({ q: 'petpantry' })
    const rows = []
    for await (const row of reader.searchRows({ q: 'petpantry' })) rows.push(row)
    const names = (results: { domain: string }[]) => results.map(({ domain }) => domain).toSorted()
    expect(names(rows)).toEqual(names(whole.results))
    expect(Object.keys(rows[0] ?? {})).not.toContain('kind')
  })

  test('ends rows with what ended them', async () => {
    const row = '{"kind":"row","domain":"a.com"}\n'
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(row),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const reader = new PublicClient({ baseUrl: `http://127.0.0.1:${port}` })
    const stop = new AbortController()
    const stopped = async () => {
      for await (const { domain } of reader.searchRows({ q: 'a' }, { signal: stop.signal })) {
        stop.abort(new Error(`enough of ${domain}`))
      }
    }
    await expect(stopped()).rejects.toThrow('enough of a.com')
    const late = async () => {
      for await (const { domain } of reader.searchRows({ q: 'a' }, { timeoutMs: 300 })) {
        expect(domain).toBe('a.com')
      }
    }
    await expect(late()).rejects.toBeInstanceOf(TimeoutError)
    const cut = async () => {
      for await (const { domain } of reader.searchRows({ q: 'a' })) {
        expect(domain).toBe('a.com')
        server.closeAllConnections()
      }
    }
    const error = await cut().catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).not.toBeInstanceOf(TimeoutError)
    server.close()
  })

  test('walks the listings', async () => {
    for (let count = 0; count < 5; count++) await freshName(service, 'live')
    const reader = new PublicClient({ baseUrl: service.baseUrl })
    const names = new Set<string>()
    for await (const { domain } of reader.listings.each({ limit: 2, tld: 'test' }))
      names.add(domain)
    expect(names.size).toBe((await reader.listings.list({ tld: 'test' })).page.total)
    expect(names.size).toBeGreaterThanOrEqual(5)
    const rest: string[] = []
    for await (const { domain } of reader.listings.each({ limit: 2, offset: 1, tld: 'test' }))
      rest.push(domain)
    expect(rest).toEqual([...names].slice(1))
  })

  test('has a method for every operation of the document, and a key for each that changes something', async () => {
    const asked = new Set<string>()
    const keyed = new Set<string>()
    const all = new PublicClient({
      baseUrl: service.baseUrl,
      fetch: (url, init) => {
        const operation = `${init?.method} ${new URL(url as URL).pathname}`
        asked.add(operation)
        if (new Headers(init?.headers).has('idempotency-key')) keyed.add(operation)
        return Promise.resolve(new Response('{}'))
      },
    })
    await all.search({ q: 'a' })
    await all.whois({ domain: 'a.com' })
    await all.tldPrice({ tld: 'com' })
    await all.tldRequirements('com')
    await all.listings.list()
    await all.batch({ operations: [] })
    await all.batchOperations()
    await all.bulk({ op: 'lock', domains: [] })
    await all.operation({ operation_id: 'rop_1' })
    await all.claim({ domains: [] })
    await all.claims()
    await all.checkClaims({ domains: [] })
    await all.sell({ csv: 'domain' })
    await all.selling()
    await all.agent.names({ q: 'a' })
    await all.agent.quote({ domain: 'a.com' })
    await all.agent.buy({ domain: 'a.com' })
    await all.agent.order('ord_1')
    await all.agent.checkout({ domain: 'a.com' })
    await all.agent.offer({ domain: 'a.com', amount_cents: 1 })
    await all.agent.domains()
    await all.index()
    const target = ({ method, path }: { method: string; path: string }) =>
      `${method} ${path.replace('{op}', 'lock').replace('{tld}', 'com').replace('{operation_id}', 'rop_1').replace('{id}', 'ord_1')}`
    const paths = Object.values(PUBLIC).map(target)
    const writes = USER_OPERATIONS.filter(({ kind }) => kind === 'user_write').map(target)
    expect([...asked].toSorted()).toEqual(paths.toSorted())
    expect([...keyed].toSorted()).toEqual(writes.toSorted())
  })

  test('makes a change once, however often it is tried', async () => {
    const keys = new Set<string>()
    let tries = 0
    const owner = new PublicClient({
      baseUrl: service.baseUrl,
      fetch: (_url, init) => {
        keys.add(new Headers(init?.headers).get('idempotency-key') ?? '')
        tries += 1
        return Promise.resolve(new Response('{}', { status: tries < 3 ? 503 : 200 }))
      },
    })
    await owner.bulk({ op: 'renew', domains: ['a.com'], params: { years: 1 } })
    expect({ tries, keys: keys.size }).toEqual({ tries: 3, keys: 1 })
  })
})
