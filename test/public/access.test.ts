import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { publicRead } from '../../src/core/operation.ts'
import { refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const READ = { authorization: 'Bearer good' }

const tellPrice = publicRead({
  name: 'tell_price',
  summary: 'A price',
  description: 'Tells a price that only users see.',
  method: 'GET',
  path: '/api/test/{name}/price',
  rate: 'public',
  cacheSeconds: 30,
  input: z.object({ name: z.string().max(5), times: z.int().default(1) }),
  output: z.object({ name: z.string(), price_cents: z.int().nullable() }),
  status: 200,
  errors: ['validation_error'],
  example: { input: { name: 'a' }, output: { name: 'a', price_cents: null } },
  deprecated: { since: '2026-01-01', sunset: '2026-06-01', link: 'https://market.example/docs' },
  async handler({ caller }, { name, times }) {
    return { name, price_cents: caller.kind === 'user' ? 500 * times : null }
  },
})

const dig = publicRead({
  name: 'dig',
  summary: 'Digs',
  description: 'Never finds anything in time.',
  method: 'POST',
  path: '/api/test/dig',
  rate: 'whois',
  cacheSeconds: 0,
  input: z.object({ deep: z.boolean() }),
  output: z.object({ deep: z.boolean() }),
  status: 200,
  errors: ['validation_error'],
  example: { input: { deep: true }, output: { deep: true } },
  handler: async (_context, { deep }) => ({ deep }),
})

let service: TestService
beforeAll(async () => {
  service = await startService({
    tokens: { good: 'usr_1', other: 'usr_2' },
    operations: [tellPrice, dig],
    settings: { rateLimits: { publicPerMinute: 1_000, whoisPerMinute: 7 } },
  })
})
afterAll(() => service.stop())

const get = (target: string, headers: Record<string, string> = {}) =>
  service.send({ method: 'GET', target, headers })
const post = (target: string, body: unknown, headers: Record<string, string> = {}) =>
  service.send({
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('a public operation at its path', () => {
  test('reads path and query, and responds to anyone', async () => {
    const response = await get('/api/test/shoe/price?times=2&unknown=1')
    expect(response.status, response.text).toBe(200)
    expect(response.body).toEqual({ name: 'shoe', price_cents: null })
    expect(response.headers).toMatchObject({
      'cache-control': 'public, max-age=30',
      vary: 'Authorization, Accept',
      'ratelimit-limit': '1000',
      'x-request-id': expect.stringMatching(/.+/),
    })
  })

  test('shows a user what is for users, and lets nobody keep it', async () => {
    const response = await get('/api/test/shoe/price?times=2', READ)
    expect(response.body).toEqual({ name: 'shoe', price_cents: 1_000 })
    expect(response.headers['cache-control']).toBe('private, no-store')
  })

  test('rejects bad input with its field, and keeps that nowhere', async () => {
    const response = await get('/api/test/slipper/price')
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe('name')
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test.each([
    ['1.5', 'must be a whole number'],
    ['abc', 'must be a whole number'],
    ['', 'must be a whole number'],
    ['1e3', 'must be a whole number'],
    ['99999999999999999999', 'must be at most 9007199254740991'],
  ])('says what is wrong with %j as a number', async (times, issue) => {
    const { body } = await get(`/api/test/shoe/price?times=${times}`)
    expect(body.error.details).toEqual([{ field: 'times', issue }])
  })

  test('announces its end', async () => {
    const { headers } = await get('/api/test/shoe/price')
    expect(headers).toMatchObject({
      deprecation: '@1767225600',
      sunset: 'Mon, 01 Jun 2026 00:00:00 GMT',
      link: '<https://market.example/docs>; rel="deprecation"; type="text/html"',
    })
    const { body } = await get('/openapi.json')
    expect(body.paths['/api/test/{name}/price'].get.deprecated).toBe(true)
    expect(body.paths['/api/test/dig'].post.deprecated).toBeUndefined()
  })

  test('counts against its own limit', async () => {
    const response = await post('/api/test/dig', { deep: true })
    expect(response.headers).toMatchObject({ 'ratelimit-limit': '7', 'ratelimit-policy': '7;w=60' })
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('a token', () => {
  const challenge =
    'Bearer resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource"'

  test('that is none of ours is rejected, never overlooked', async () => {
    for (const authorization of ['Bearer spent', 'Bearer', '', 'Basic Z29vZDo=', 'Bearer go od']) {
      const response = await get('/api/test/shoe/price', { authorization })
      expect(refusal(response), authorization).toEqual({ status: 401, code: 'invalid_token' })
      expect(response.headers['www-authenticate']).toMatch(`${challenge}, error="invalid_token"`)
      expect(response.headers['access-control-allow-origin']).toBe('*')
      expect(response.text).not.toContain('spent')
    }
  })

  test('sent twice is rejected, even if one is good', async () => {
    const response = await service.send({
      method: 'GET',
      target: '/api/test/shoe/price',
      headers: { authorization: ['Bearer good', 'Bearer spent'] },
    })
    expect(refusal(response)).toEqual({ status: 401, code: 'invalid_token' })
  })

  test('opens the index, which challenges everybody else', async () => {
    const anonymous = await get('/api')
    expect(refusal(anonymous)).toEqual({ status: 401, code: 'unauthorized' })
    expect(anonymous.headers['www-authenticate']).toBe(challenge)
    const response = await get('/api', READ)
    expect(response.status, response.text).toBe(200)
    expect(response.body.operations).toContainEqual({
      op: 'tell_price',
      method: 'GET',
      path: '/api/test/{name}/price',
      summary: 'A price',
    })
  })

  test('has limits of its own, wherever it is used', async () => {
    const { headers } = await post(
      '/api/test/dig',
      { deep: true },
      { authorization: 'Bearer other' },
    )
    expect(headers['ratelimit-remaining']).toBe('6')
  })
})

describe('pages of other origins', () => {
  test('may ask, and read what they need of the response', async () => {
    const { headers } = await get('/api/test/shoe/price', { origin: 'https://page.example' })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    expect(headers['access-control-expose-headers']).toContain('RateLimit-Remaining')
  })

  test('get a response to their preflight', async () => {
    const response = await service.send({
      method: 'OPTIONS',
      target: '/api/test/dig',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    })
  })

  test('are let in where the public API is, and nowhere else', async () => {
    expect((await get('/api/nothing')).headers['access-control-allow-origin']).toBe('*')
    for (const path of ['/api/partner/v1/orders', '/api/admin/v1/partners', '/metrics']) {
      expect((await get(path)).headers['access-control-allow-origin'], path).toBeUndefined()
    }
  })
})

describe('what cannot be read', () => {
  test.each([
    [
      'a body that is not JSON',
      { 'content-type': 'text/plain' },
      '{}',
      415,
      'unsupported_media_type',
    ],
    ['a packed body', { 'content-encoding': 'gzip' }, '{}', 415, 'unsupported_media_type'],
    ['a huge body', {}, `{"x":"${'x'.repeat(256 * 1024)}"}`, 413, 'payload_too_large'],
    ['half of a body', {}, '{', 400, 'validation_error'],
  ])('%s is refused, and pages may read why', async (_, headers, body, status, code) => {
    const response = await service.send({
      method: 'POST',
      target: '/api/domain/search',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    expect(refusal(response)).toEqual({ status, code })
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.headers['ratelimit-limit']).toBe('1000')
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test('HEAD responds like GET, without the body', async () => {
    const response = await service.send({ method: 'HEAD', target: '/api/market/listings' })
    expect(response.status).toBe(200)
    expect(response.text).toBe('')
  })
})

describe('other methods', () => {
  test('are rejected with those that are served', async () => {
    const response = await service.send({ method: 'DELETE', target: '/api/test/dig' })
    expect(refusal(response)).toEqual({ status: 405, code: 'method_not_allowed' })
    expect(response.headers.allow).toContain('POST')
  })
})
