import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { publicRead } from '../../src/core/operation.ts'
import { refusal } from '../support/market.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

let calls = 0
let wait: Promise<void> | null = null

const count = publicRead({
  name: 'count_calls',
  summary: 'Counts',
  description: 'Counts how often it was called.',
  method: 'POST',
  path: '/api/test/count',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({ fail: z.boolean().default(false) }),
  output: z.object({ calls: z.int(), price_cents: z.int().nullable() }),
  status: 200,
  errors: ['validation_error'],
  example: { input: {}, output: { calls: 1, price_cents: null } },
  async handler({ caller }, { fail }) {
    calls += 1
    const own = calls
    if (wait) await wait
    if (fail) throw new Error('as asked')
    return { calls: own, price_cents: caller.kind === 'user' ? 500 : null }
  },
})

const KIB = 1_024
const large = publicRead({
  ...count,
  name: 'read_much',
  path: '/api/test/large',
  input: z.object({ kib: z.int() }),
  output: z.object({ text: z.string() }),
  example: { input: { kib: 1 }, output: { text: '' } },
  async handler(_context, { kib }) {
    calls += 1
    return { text: 'x'.repeat(kib * KIB) }
  },
})

const PATH = '/api/test/count'
let service: TestService
const anyone = readerOf(() => service)
const user = readerOf(() => service, 'good')
const other = readerOf(() => service, 'other')
beforeAll(async () => {
  service = await startService({
    tokens: { good: 'usr_1', other: 'usr_2' },
    operations: [count, large],
    settings: { trustedProxies: ['127.0.0.1'], rateLimits: { publicPerMinute: 1_000 } },
  })
})
afterAll(() => service.stop())

const keyed = (key: string = randomUUID()) => ({ 'idempotency-key': key })

describe('a POST that only reads', () => {
  test('gets the same bytes again', async () => {
    const key = keyed()
    const first = await anyone.post(PATH, {}, key)
    const again = await anyone.post(PATH, {}, key)
    expect(first.status).toBe(200)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again.text).toBe(first.text)
    expect(again.status).toBe(200)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    // A repeat is a request like any other.
    expect(Number(again.headers['ratelimit-remaining'])).toBe(
      Number(first.headers['ratelimit-remaining']) - 1,
    )
  })

  test('without a key is done anew', async () => {
    const [first, again] = [await anyone.post(PATH, {}), await anyone.post(PATH, {})]
    expect(again.text).not.toBe(first.text)
  })

  test('is kept for a day', async () => {
    const key = keyed()
    const first = await anyone.post(PATH, {}, key)
    service.clock.advance(24 * 3_600_000 - 60_000)
    expect((await anyone.post(PATH, {}, key)).text).toBe(first.text)
    service.clock.advance(120_000)
    expect((await anyone.post(PATH, {}, key)).text).not.toBe(first.text)
  })

  test('with another body is a conflict, even when that body is wrong', async () => {
    const key = keyed()
    await anyone.post(PATH, {}, key)
    for (const body of [{ fail: false }, '{', { fail: 5 }]) {
      expect(refusal(await anyone.post(PATH, body, key))).toEqual({ status: 409, code: 'conflict' })
    }
  })

  test('that failed is done anew', async () => {
    const key = keyed()
    expect((await anyone.post(PATH, { fail: true }, key)).status).toBe(500)
    const before = calls
    expect((await anyone.post(PATH, { fail: true }, key)).status).toBe(500)
    expect(calls).toBe(before + 1)
    expect((await anyone.post(PATH, {}, key)).status).toBe(200)
  })

  test('that comes while the first is running waits for it', async () => {
    let go = () => {}
    wait = new Promise((resolve) => {
      go = resolve
    })
    const key = keyed()
    const before = calls
    const all = Promise.all(Array.from({ length: 5 }, () => anyone.post(PATH, {}, key)))
    setTimeout(go, 400)
    const responses = await all
    wait = null
    expect(calls).toBe(before + 1)
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'])).toHaveLength(4)
  })

  test('that never ends is a conflict after ten seconds, and free again after a minute', async () => {
    let go = () => {}
    wait = new Promise((resolve) => {
      go = resolve
    })
    const key = keyed()
    const first = anyone.post(PATH, {}, key)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const again = await anyone.post(PATH, {}, key)
    expect(refusal(again)).toEqual({ status: 409, code: 'conflict' })
    expect(again.headers['retry-after']).toBe('1')
    wait = null
    service.clock.advance(61_000)
    const taken = await anyone.post(PATH, {}, key)
    expect(taken.status).toBe(200)
    go()
    await first
    expect((await anyone.post(PATH, {}, key)).text).toBe(taken.text)
  })

  test('has keys of its own for each caller: no price reaches another by one', async () => {
    const key = keyed()
    const real = await user.post(PATH, {}, key)
    expect(real.body.price_cents).toBe(500)
    const masked = await anyone.post(PATH, {}, key)
    expect(masked.body.price_cents).toBeNull()
    const elsewhere = await anyone.post(PATH, {}, { ...key, 'x-forwarded-for': '192.0.2.7' })
    const another = await other.post(PATH, {}, key)
    const texts = [real, masked, elsewhere, another].map(({ text }) => text)
    expect(new Set(texts).size).toBe(4)
    expect((await user.post(PATH, {}, key)).text).toBe(real.text)
    expect((await anyone.post(PATH, {}, key)).text).toBe(masked.text)
  })

  test('is stored of anonymous clients up to 16 MiB an hour, and never answered without', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const read = (key: object, kib = 5 * KIB) =>
      anyone.post('/api/test/large', { kib }, { ...from('192.0.2.20'), ...key })
    const first = keyed()
    const text = (await read(first)).text
    for (const _ of [2, 3, 4]) expect((await read(keyed())).status).toBe(200)
    const before = calls
    const rejected = await read(keyed(), 1)
    expect(refusal(rejected)).toEqual({ status: 429, code: 'rate_limited' })
    expect(rejected.body.error.message).toContain('without its Idempotency-Key')
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(3_000)
    expect(calls).toBe(before)
    // What is stored is given again, and what needs no storing is read.
    expect((await read(first)).text).toBe(text)
    expect((await read({}, 1)).status).toBe(200)
    expect((await read({ ...keyed(), ...from('192.0.2.21') }, 1)).status).toBe(200)
    const batch = { operations: [{ id: 'a', op: 'read_much', params: { kib: 1 } }] }
    const headers = { ...from('192.0.2.20'), ...keyed() }
    expect((await anyone.post('/api/batch', batch, headers)).status).toBe(429)
    expect((await user.post('/api/test/large', { kib: 1 }, headers)).status).toBe(200)
    service.clock.advance(3_600_000)
    expect((await read(keyed(), 1)).status).toBe(200)
  })

  test('rejects a key that is none', async () => {
    for (const key of ['', 'with space', 'x'.repeat(256)]) {
      const response = await anyone.post(PATH, {}, { 'idempotency-key': key })
      expect(refusal(response), key).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('Idempotency-Key')
    }
  })
})

describe('rows and batches', () => {
  test('rows are given again as rows', async () => {
    const headers = { ...keyed(), accept: 'application/x-ndjson' }
    const first = await anyone.post('/api/domain/search', { q: 'a.com' }, headers)
    const again = await anyone.post('/api/domain/search', { q: 'a.com' }, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers['content-type']).toBe('application/x-ndjson')
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test.each([
    ['rows', 'application/x-ndjson', 'application/json'],
    ['lines of a document', 'application/json', 'application/x-ndjson'],
  ])('%s are what a repeat gets, whatever it would rather have', async (_, accept, other) => {
    const search = (as: string, key: object) =>
      anyone.post('/api/domain/search', { q: 'a.com' }, { ...key, accept: as })
    const key = keyed()
    const first = await search(accept, key)
    expect(first.status).toBe(200)
    for (const as of [other, accept]) {
      const again = await search(as, key)
      expect(again.status).toBe(200)
      expect(again.text).toBe(first.text)
      expect(again.headers['content-type']).toBe(first.headers['content-type'])
      expect(again.headers['idempotent-replayed']).toBe('true')
    }
  })

  test('a batch is kept, unless an entry may do better next time', async () => {
    const key = keyed()
    const operations = [{ id: 'a', op: 'count_calls', params: {} }]
    const first = await anyone.post('/api/batch', { operations }, key)
    expect((await anyone.post('/api/batch', { operations }, key)).text).toBe(first.text)
    const failing = keyed()
    const broken = [{ id: 'a', op: 'count_calls', params: { fail: true } }]
    await anyone.post('/api/batch', { operations: broken }, failing)
    const again = await anyone.post('/api/batch', { operations: broken }, failing)
    expect(again.headers['idempotent-replayed']).toBeUndefined()
  })
})
