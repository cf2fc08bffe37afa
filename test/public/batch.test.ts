import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { publicRead } from '../../src/core/operation.ts'
import { must, refusal } from '../support/market.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/batch'
const LIMIT = 1_000
const DIG_LIMIT = 5

/** Costs what a WHOIS lookup costs, and takes for ever when asked to. */
const dig = publicRead({
  name: 'dig',
  summary: 'Digs',
  description: 'Digs.',
  method: 'POST',
  path: '/api/test/dig',
  rate: 'whois',
  cacheSeconds: 0,
  input: z.object({ how: z.enum(['well', 'for_ever', 'into_a_wall']) }),
  output: z.object({ how: z.string() }),
  status: 200,
  errors: ['validation_error'],
  example: { input: { how: 'well' }, output: { how: 'well' } },
  async handler(_context, { how }) {
    if (how === 'into_a_wall') throw new Error('a wall')
    if (how === 'for_ever') await new Promise(() => {})
    return { how }
  },
})

let service: TestService
const anyone = readerOf(() => service)
const user = readerOf(() => service, 'good')
beforeAll(async () => {
  service = await startService({
    tokens: { good: 'usr_1', other: 'usr_2' },
    operations: [dig],
    deadlineMs: 1_500,
    settings: { rateLimits: { publicPerMinute: LIMIT, whoisPerMinute: DIG_LIMIT } },
  })
  await service.list('live', 'petpantry.com,129900,,USD')
})
afterAll(() => service.stop())

const entry = (op: unknown, params: unknown = {}, id: unknown = 'x') => ({ id, op, params })
const run = async (reader = anyone, ...operations: unknown[]) => {
  const response = await reader.post(PATH, { operations })
  expect(response.status, response.text).toBe(200)
  return response
}
const nextMinute = () => service.clock.advance(60_000)

describe('a batch', () => {
  test('responds to each entry as its single call would, in order', async () => {
    const response = await run(
      anyone,
      entry('search_domain', { q: 'petpantry.com' }, 'first'),
      entry('list_listings', { limit: 1 }, 'second'),
      entry('search_domain', { q: '..' }, 'third'),
    )
    const [first, second, third] = response.body.results
    expect(response.body).toMatchObject({ count: 3, failed: 1 })
    const single = await anyone.post('/api/domain/search', { q: 'petpantry.com' })
    expect(first).toMatchObject({ id: 'first', op: 'search_domain', status: 200, cost: 1 })
    expect(first.body.results[0].domain).toBe(single.body.results[0].domain)
    expect(second.body.page.limit).toBe(1)
    expect(third).toMatchObject({ id: 'third', status: 400 })
    expect(third.body.error).toMatchObject({
      code: 'validation_error',
      request_id: response.headers['x-request-id'],
      details: [{ field: 'q', issue: expect.any(String) }],
    })
  })

  test('masks like the single calls', async () => {
    const operation = entry('list_listings', {})
    const masked = await run(anyone, operation)
    expect(masked.body.results[0].body.items[0]).toMatchObject({ price_cents: null })
    const real = await run(user, operation)
    expect(real.body.results[0].body.items[0]).toMatchObject({ price_cents: 129_900 })
    const max = await run(anyone, entry('list_listings', { max: 1 }))
    expect(max.body.results[0]).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': expect.stringMatching(/^Bearer resource_metadata=/) },
    })
  })

  test.each([
    ['an unknown operation', entry('no_such_thing'), 'op'],
    ['__proto__', entry('__proto__'), 'op'],
    ['constructor', entry('constructor'), 'op'],
    ['toString', entry('toString'), 'op'],
    ['the batch itself', entry('run_batch', { operations: [] }), 'op'],
    ['no operation', { id: 'x' }, 'op'],
    ['a number as the operation', entry(5), 'op'],
    ['no id', { op: 'list_listings' }, 'id'],
    ['an endless id', entry('list_listings', {}, 'x'.repeat(201)), 'id'],
    ['params that are none', entry('list_listings', [1]), 'params'],
    ['null', null, 'body'],
    ['a list', [], 'body'],
    ['text', 'list_listings', 'body'],
  ])('%s fails alone', async (_, bad, field) => {
    const good = entry('list_listings', { limit: 1 }, 'good')
    const response = await run(anyone, bad, good)
    expect(response.body).toMatchObject({ count: 2, failed: 1 })
    expect(response.body.results[0].status).toBe(400)
    expect(response.body.results[0].body.error.code).toBe('validation_error')
    const issue = response.body.results[0].body.error.details[0]
    // What is no object lacks every field.
    expect(field === 'body' ? ['id', 'body'] : [field]).toContain(issue.field)
    expect(response.body.results[1]).toMatchObject({ id: 'good', status: 200 })
  })

  test('takes names from params that mean something to JavaScript as they are', async () => {
    const operations = `{"operations":[{"id":"__proto__","op":"list_listings","params":{"__proto__":{"limit":1},"constructor":1}}]}`
    const response = await anyone.post(PATH, operations)
    expect(response.body.results[0]).toMatchObject({ id: '__proto__', status: 400 })
    const { details } = response.body.results[0].body.error
    expect(details.map(({ field }: { field: string }) => field)).toContain('constructor')
  })

  test.each([
    { operations: [] },
    { operations: Array.from({ length: 21 }, () => entry('list_listings')) },
    { operations: { 0: entry('list_listings') } },
    { operations: null },
    {},
    [],
  ])('is refused whole: %#', async (body) => {
    expect(refusal(await anyone.post(PATH, body))).toEqual({
      status: 400,
      code: 'validation_error',
    })
  })

  test('has ids of characters, and none that ends in half of one', async () => {
    const id = '😀'.repeat(200)
    const { body } = await run(
      anyone,
      entry('list_listings', {}, id),
      entry('list_listings', {}, `x${'😀'.repeat(300)}`),
    )
    expect(body.results).toMatchObject([{ id, status: 200 }, { status: 400 }])
    expect(body.results[1].id).toMatch(/^x(?:😀)+$/u)
  })

  test('has its bad characters and its depths in the entry that has them', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const operations = JSON.stringify([
      entry('list_listings'),
      entry('search_domain', { q: '\ud83d' }),
      entry('search_domain', { q: 'a\u0000b' }),
      { ...entry('list_listings'), x: '\u0000', '\u0000': 'deep' },
      entry('list_listings', {}, '\u0000'),
    ])
    const response = await anyone.post(PATH, `{"operations":${operations.replace('"deep"', deep)}}`)
    const { body } = must(response, 200)
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([
      200, 400, 400, 200, 200,
    ])
  })

  test('takes null as not given, as models write it', async () => {
    const { body } = await run(
      anyone,
      entry('list_listings', { cursor: null, tld: null, limit: null, sort: null }),
      entry('tld_registration_price', { tld: 'com', op: null }),
      entry('tld_registration_price', { tld: null }),
      { id: 'all', op: 'list_listings', params: null },
      { id: null, op: 'list_listings' },
    )
    const statuses = body.results.map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([200, 200, 400, 200, 400])
    expect(body.results[2].body.error.details).toEqual([{ field: 'tld', issue: 'is required' }])
    expect(body.results[4].body.error.details).toEqual([{ field: 'id', issue: 'is required' }])
  })

  test('of twenty gets its response', async () => {
    const response = await run(anyone, ...Array.from({ length: 20 }, () => entry('list_listings')))
    expect(response.body).toMatchObject({ count: 20, failed: 0 })
  })

  test('has one deadline, and whatever misses it gets its own 503', async () => {
    nextMinute()
    const response = await run(
      anyone,
      entry('dig', { how: 'for_ever' }),
      entry('dig', { how: 'well' }),
      entry('dig', { how: 'into_a_wall' }),
    )
    const [late, good, broken] = response.body.results
    expect(late).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
    expect(late.body.error.code).toBe('unavailable')
    expect(good.status).toBe(200)
    expect(broken.body.error).toMatchObject({ code: 'internal_error' })
    expect(broken.body.error.message).not.toContain('wall')
    const single = await anyone.post('/api/test/dig', { how: 'for_ever' })
    expect(refusal(single)).toEqual({ status: 503, code: 'unavailable' })
    expect(single.headers['retry-after']).toBe('5')
  })
})

describe('its entries and the limits', () => {
  test('count as single calls do, and show where each stands', async () => {
    nextMinute()
    const response = await run(
      anyone,
      entry('list_listings'),
      entry('dig', { how: 'well' }),
      entry('no_such_thing'),
    )
    const remaining = response.body.results.map(
      ({ headers }: { headers: Record<string, string> }) => [
        headers['RateLimit-Limit'],
        headers['RateLimit-Remaining'],
      ],
    )
    expect(remaining).toEqual([
      [`${LIMIT}`, `${LIMIT - 1}`],
      [`${DIG_LIMIT}`, `${DIG_LIMIT - 1}`],
      [`${LIMIT}`, `${LIMIT - 2}`],
    ])
    expect(response.headers['ratelimit-remaining']).toBe(`${LIMIT - 2}`)
    const next = await anyone.get('/api/market/listings')
    expect(next.headers['ratelimit-remaining']).toBe(`${LIMIT - 3}`)
  })

  test('fail one by one beyond the limit, the last ones first', async () => {
    nextMinute()
    const digs = Array.from({ length: DIG_LIMIT + 2 }, () => entry('dig', { how: 'well' }))
    const response = await run(anyone, ...digs, entry('list_listings'))
    expect(response.body.failed).toBe(2)
    expect(response.body.results.map(({ status }: { status: number }) => status)).toEqual([
      ...Array.from({ length: DIG_LIMIT }, () => 200),
      429,
      429,
      200,
    ])
    expect(response.body.results[DIG_LIMIT]).toMatchObject({
      body: { error: { code: 'rate_limited' } },
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/), 'RateLimit-Remaining': '0' },
    })
    const single = await anyone.post('/api/test/dig', { how: 'well' })
    expect(refusal(single)).toEqual({ status: 429, code: 'rate_limited' })
    expect(single.headers['retry-after']).toMatch(/^\d+$/)
  })

  test('count a batch that runs none of its entries as one request, and reject it beyond', async () => {
    nextMinute()
    const good = { operations: [entry('list_listings')] }
    const remaining = async (body: object, headers = {}) => {
      const response = await user.post(PATH, body, headers)
      return [response.status, response.headers['ratelimit-remaining']]
    }
    const key = { 'idempotency-key': 'once' }
    expect(await remaining(good, key)).toEqual([200, `${LIMIT - 1}`])
    expect(await remaining(good, key)).toEqual([200, `${LIMIT - 2}`])
    expect(await remaining({ operations: [] })).toEqual([400, `${LIMIT - 3}`])
    const windows = service.app.db.updateTable('rate_windows').set({ used: LIMIT })
    await windows.where('subject', '=', 'user:usr_1').execute()
    expect(await remaining({ operations: [] })).toEqual([429, '0'])
    expect(await remaining(good, key)).toEqual([429, '0'])
    nextMinute()
  })

  test('are the limits of the user, wherever a token comes from', async () => {
    const other = readerOf(() => service, 'other')
    const response = await run(other, entry('dig', { how: 'well' }))
    expect(response.headers['ratelimit-remaining']).toBe(`${DIG_LIMIT - 1}`)
  })
})

describe('the catalogue', () => {
  test('lists the operations with the schemas of their params', async () => {
    const { status, body } = await anyone.get(PATH)
    expect(status).toBe(200)
    expect(body.max_operations).toBe(20)
    const search = body.operations.find(({ op }: { op: string }) => op === 'search_domain')
    expect(search).toMatchObject({
      method: 'POST',
      path: '/api/domain/search',
      params: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    })
    expect(body.operations.map(({ op }: { op: string }) => op)).toContain('list_listings')
    expect(JSON.stringify(body)).not.toContain('$ref')
  })
})
