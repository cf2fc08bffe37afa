import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SCOPES } from '../../src/core/caller.ts'
import { type CallOptions, PartnerClient, type Result } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { startService, type TestClock, type TestService } from '../support/service.ts'

/** Stands still on a whole second, so that the edges of a window can be hit. */
function standingClock(): TestClock {
  let moment = Math.ceil(Date.now() / 1000) * 1000
  return {
    now: () => new Date(moment),
    advance(milliseconds) {
      moment += milliseconds
    },
  }
}

const clock = standingClock()
let service: TestService
let partner: PartnerClient
let live: PartnerClient
beforeAll(async () => {
  service = await startService({ clock })
  partner = await service.partner()
  live = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

function expectError(response: Result, status: number, code: string): void {
  expect(response.status, response.text).toBe(status)
  expect(response.body.error.code).toBe(code)
}

const seconds = (offset = 0) => String(Math.floor(clock.now().getTime() / 1000) + offset)

/** An array of as many ones as a body may hold, within arrays. */
function nested(depth: number): string {
  const ones = '1,'.repeat((256 * 1024 - 2 * depth) / 2 - 1)
  return `${'['.repeat(depth)}${ones}1${']'.repeat(depth)}`
}

/** The same credential, spoken for by another secret or at another address. */
function client(base: PartnerClient, change: { secret?: string; at?: TestService } = {}) {
  const { key_id, secret } = base.credential
  return new PartnerClient((change.at ?? service).baseUrl, clock.now, {
    key_id,
    secret: change.secret ?? secret,
    partner_id: base.partner_id,
  })
}

/** Replaces one line of the canonical string: 0 method, 1 path, 2 query, 3 timestamp, 4 nonce, 5 body hash. */
function signingLine(index: number, line: string): CallOptions {
  return {
    canonical: (canonical) =>
      canonical
        .split('\n')
        .map((own, at) => (at === index ? line : own))
        .join('\n'),
  }
}

describe('the order of checks', () => {
  const ORDER = [
    ['key_id', 401, 'missing_credentials'],
    ['headers', 401, 'missing_signature_headers'],
    ['timestamp', 401, 'invalid_timestamp'],
    ['signature', 401, 'invalid_signature'],
    ['nonce', 401, 'replay_detected'],
    ['credential', 403, 'credential_not_active'],
    ['partner', 403, 'partner_not_active'],
    ['scope', 403, 'forbidden'],
    ['rate', 429, 'rate_limited'],
    ['body', 400, 'validation_error'],
  ] as const
  type Fault = (typeof ORDER)[number][0]

  const LIMIT = 3
  let strict: TestService
  beforeAll(async () => {
    strict = await startService({
      clock,
      settings: { rateLimits: { publicPerMinute: 100_000, partnerPerMinute: LIMIT } },
    })
  })
  afterAll(() => strict.stop())

  /** Sends one request with all these faults and no other. */
  async function sendWith(...faults: Fault[]): Promise<Result> {
    const has = (fault: Fault) => faults.includes(fault)
    const scopes = has('scope') ? SCOPES.filter((scope) => scope !== 'search') : SCOPES
    const caller = await strict.partner({ scopes })
    const nonce = randomUUID()
    if (has('nonce')) await caller.get('/domains/petpantry.test', { nonce })
    for (let sent = has('nonce') ? 1 : 0; has('rate') && sent < LIMIT; sent++) {
      await caller.get('/domains/petpantry.test')
    }
    const { key_id, secret } = caller.credential
    if (has('credential')) await strict.admin('POST', `/credentials/${key_id}/revoke`, {})
    if (has('partner')) {
      const path = `/partners/${caller.partner_id}/status`
      await strict.admin('POST', path, { status: 'suspended' })
    }
    const signer = has('signature') ? client(caller, { secret: `${secret}x`, at: strict }) : caller
    const target = `/api/partner/v1/domains/${has('body') ? 'no_name' : 'petpantry.test'}`
    const { 'x-service-key-id': keyId, ...headers } = signer.sign('GET', target, '', {
      nonce,
      ...(has('timestamp') && { timestamp: `${seconds()}000` }),
    })
    return await strict.send({
      method: 'GET',
      target,
      headers: {
        ...(!has('key_id') && keyId !== undefined && { 'x-service-key-id': keyId }),
        ...headers,
        ...(has('headers') && { 'x-service-nonce': [nonce, nonce] }),
      },
    })
  }

  test('lets a request without a fault through', async () => {
    expect((await sendWith()).status).toBe(200)
  })

  test.each(ORDER)('responds to a fault in %s with %i %s', async (fault, status, code) => {
    expectError(await sendWith(fault), status, code)
  })

  const pairs = ORDER.flatMap((first, index) =>
    ORDER.slice(index + 1).map((second) => [first[0], second[0], first[1], first[2]] as const),
  )
  test.each(pairs)('checks %s before %s', async (first, second, status, code) => {
    expectError(await sendWith(first, second), status, code)
  })

  test('asks for the Idempotency-Key only after scope and limit', async () => {
    const caller = await strict.partner({ scopes: ['search'] })
    const response = await caller.post('/orders', {}, { key: null })
    expectError(response, 403, 'forbidden')
    const buyer = await strict.partner({ scopes: ['buy'] })
    expectError(await buyer.post('/orders', '{', { key: null }), 400, 'missing_idempotency_key')
  })
})

describe('the signing headers', () => {
  const NAMES = [
    'x-service-key-id',
    'x-service-timestamp',
    'x-service-nonce',
    'x-service-signature',
  ] as const
  const TARGET = '/api/partner/v1/orders'

  async function sendHeaders(change: (headers: Record<string, string | string[]>) => void) {
    const headers: Record<string, string | string[]> = partner.sign('GET', TARGET, '')
    change(headers)
    return await service.send({ method: 'GET', target: TARGET, headers })
  }

  test.each(NAMES)('%s must be there', async (name) => {
    const response = await sendHeaders((headers) => delete headers[name])
    const code = name === 'x-service-key-id' ? 'missing_credentials' : 'missing_signature_headers'
    expectError(response, 401, code)
  })

  test('whichever is missing is named as the specification spells it', async () => {
    const response = await sendHeaders((headers) => delete headers['x-service-nonce'])
    expect(response.body.error.message).toBe('Send X-Service-Nonce once, and not empty.')
  })

  test.each(NAMES)('%s must not be empty', async (name) => {
    const response = await sendHeaders((headers) => {
      headers[name] = ''
    })
    expectError(response, 401, 'missing_signature_headers')
  })

  test.each(NAMES)('%s must not come twice, not even with the same value', async (name) => {
    const response = await sendHeaders((headers) => {
      const value = headers[name] as string
      headers[name] = [value, value]
    })
    expectError(response, 401, 'missing_signature_headers')
  })

  test('may be written in any case', async () => {
    const headers = Object.fromEntries(
      Object.entries(partner.sign('GET', TARGET, '')).map(([name, value]) => [
        name.toUpperCase(),
        value,
      ]),
    )
    expect((await service.send({ method: 'GET', target: TARGET, headers })).status).toBe(200)
  })

  test.each([
    ['8 characters', () => randomUUID().slice(0, 8)],
    ['128 characters', () => randomUUID().padEnd(128, 'x')],
    ['any visible ASCII', () => `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~${randomUUID()}`],
  ])('take a nonce of %s', async (_name, nonce) => {
    const response = await partner.get('/orders', { nonce: nonce() })
    expect(response.status, response.text).toBe(200)
  })

  test.each([
    ['7 characters', '1234567'],
    ['129 characters', 'x'.repeat(129)],
    ['a space within', '1234 5678'],
    ['a tab within', '1234\t5678'],
    ['a character beyond ASCII', '12345678é'],
  ])('refuse a nonce of %s', async (_name, nonce) => {
    const response = await partner.get('/orders', { nonce })
    expectError(response, 401, 'missing_signature_headers')
  })
})

describe('the timestamp', () => {
  // At the start of a second, so that none ends between the signature and its check.
  beforeEach(() => clock.advance(1000 - (clock.now().getTime() % 1000)))

  test.each([-300, -299, 0, 299, 300])('may be %i s off', async (offset) => {
    const response = await partner.get('/orders', { timestamp: seconds(offset) })
    expect(response.status, response.text).toBe(200)
  })

  test.each([-301, 301, -86_400, 86_400])('may not be %i s off', async (offset) => {
    const response = await partner.get('/orders', { timestamp: seconds(offset) })
    expectError(response, 401, 'invalid_timestamp')
  })

  test.each([
    ['milliseconds', () => `${seconds()}000`],
    ['9 digits', () => seconds().slice(0, 9)],
    ['11 digits', () => `0${seconds()}`],
    ['a plus sign', () => `+${seconds()}`],
    ['a minus sign', () => `-${seconds()}`],
    ['a fraction', () => `${seconds()}.0`],
    ['an exponent', () => '1.767225e9'],
    ['hexadecimal', () => `0x${Number(seconds()).toString(16)}`],
    ['a date', () => clock.now().toISOString()],
    ['digits of another script', () => '1'.repeat(9) + 'º'],
  ])('may not be written as %s', async (_name, timestamp) => {
    const response = await partner.get('/orders', { timestamp: timestamp() })
    expectError(response, 401, 'invalid_timestamp')
  })

  test('in milliseconds is told apart', async () => {
    const response = await partner.get('/orders', { timestamp: `${seconds()}000` })
    expect(response.body.error.message).toContain('milliseconds')
  })
})

describe('the signature', () => {
  test.each([
    ['another secret', () => client(partner, { secret: 'another' }).sign('GET', '/x', '')],
    ['nothing of the form', () => ({ 'x-service-signature': 'v1=' })],
    ['another version', () => ({ 'x-service-signature': `v2=${'0'.repeat(64)}` })],
    ['text beyond ASCII', () => ({ 'x-service-signature': 'v1=é' })],
    ['very long text', () => ({ 'x-service-signature': `v1=${'a'.repeat(5000)}` })],
  ])('of %s is wrong', async (_name, headers) => {
    const own = partner.sign('GET', '/api/partner/v1/orders', '')
    const response = await partner.get('/orders', {
      headers: { ...own, 'x-service-signature': headers()['x-service-signature'] ?? '' },
    })
    expectError(response, 401, 'invalid_signature')
  })

  test('covers method, path, query, timestamp, nonce and body', async () => {
    const wrong = ['POST', '/api/partner/v1/orders/', 'a=1', seconds(-1), randomUUID(), 'ab']
    for (const [index, line] of wrong.entries()) {
      const response = await partner.get('/orders', signingLine(index, line))
      expectError(response, 401, 'invalid_signature')
    }
  })

  test('of an unknown key id is rejected like a wrong one', async () => {
    const stranger = new PartnerClient(service.baseUrl, clock.now, {
      key_id: 'pk_live_000000000000000000000000',
      secret: 'sk_nobody',
      partner_id: 'none',
    })
    const unknown = await stranger.get('/orders')
    const wrong = await client(live, { secret: 'wrong' }).get('/orders')
    expectError(unknown, 401, 'invalid_signature')
    const { request_id: one, ...unknownError } = unknown.body.error
    const { request_id: other, ...wrongError } = wrong.body.error
    expect(one).not.toBe(other)
    expect(unknownError).toEqual(wrongError)
    expect(Object.keys(unknown.headers).toSorted()).toEqual(Object.keys(wrong.headers).toSorted())
  })

  test.each(['__proto__', 'constructor', `pk_${'x'.repeat(8000)}`, 'é', "' or 1=1 --"])(
    'of the key id %s is refused, not an error',
    async (key_id) => {
      const stranger = new PartnerClient(service.baseUrl, clock.now, {
        key_id,
        secret: 'x',
        partner_id: 'none',
      })
      expectError(await stranger.get('/orders'), 401, 'invalid_signature')
    },
  )

  test('covers the body of a DELETE', async () => {
    const target = '/quotes/unknown'
    expectError(await partner.call('DELETE', target, '{"a":1}'), 404, 'not_found')
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    const response = await partner.call('DELETE', target, '{"a":1}', signingLine(5, empty))
    expectError(response, 401, 'invalid_signature')
  })
})

describe('a nonce', () => {
  test('is rejected the second time', async () => {
    const nonce = randomUUID()
    expect((await partner.get('/orders', { nonce })).status).toBe(200)
    expectError(await partner.get('/orders', { nonce }), 401, 'replay_detected')
    expectError(await partner.get('/events', { nonce }), 401, 'replay_detected')
    const later = { nonce, timestamp: seconds(1) }
    expectError(await partner.get('/orders', later), 401, 'replay_detected')
  })

  test('is free again once it is tracked no longer', async () => {
    const nonce = randomUUID()
    expect((await partner.get('/orders', { nonce, timestamp: seconds(-290) })).status).toBe(200)
    service.clock.advance(10_000)
    expectError(await partner.get('/orders', { nonce }), 401, 'replay_detected')
    service.clock.advance(2_000)
    expect((await partner.get('/orders', { nonce })).status).toBe(200)
    expectError(await partner.get('/orders', { nonce }), 401, 'replay_detected')
  })

  test('is not spent by a request that is not authentic', async () => {
    const nonce = randomUUID()
    const wrong = await client(partner, { secret: 'wrong' }).get('/orders', { nonce })
    expectError(wrong, 401, 'invalid_signature')
    const old = await partner.get('/orders', { nonce, timestamp: seconds(-400) })
    expectError(old, 401, 'invalid_timestamp')
    expect((await partner.get('/orders', { nonce })).status).toBe(200)
  })

  test.each([
    [403, 'forbidden', (own: PartnerClient, nonce: string) => own.get('/events', { nonce })],
    [
      400,
      'validation_error',
      (own: PartnerClient, nonce: string) => own.post('/quotes', '{', { nonce }),
    ],
    [404, 'not_found', (own: PartnerClient, nonce: string) => own.get('/orders/none', { nonce })],
    [
      400,
      'missing_idempotency_key',
      (own: PartnerClient, nonce: string) => own.post('/orders', {}, { nonce, key: null }),
    ],
    [
      415,
      'unsupported_media_type',
      (own: PartnerClient, nonce: string) =>
        own.post('/quotes', {}, { nonce, headers: { 'content-type': 'text/plain' } }),
    ],
    [
      415,
      'unsupported_media_type',
      (own: PartnerClient, nonce: string) =>
        own.post(
          '/quotes',
          {},
          { nonce, headers: { 'content-type': 'application/json, text/plain' } },
        ),
    ],
  ])('stays spent by a request that is then refused with %i %s', async (status, code, use) => {
    const own = await service.partner({ scopes: ['buy'] })
    const nonce = randomUUID()
    expectError(await use(own, nonce), status, code)
    expectError(await own.get('/orders', { nonce }), 401, 'replay_detected')
  })

  test('belongs to its key id', async () => {
    const other = await service.partner({ partner_id: partner.partner_id })
    const nonce = randomUUID()
    expect((await partner.get('/orders', { nonce })).status).toBe(200)
    expect((await other.get('/orders', { nonce })).status).toBe(200)
    expectError(await other.get('/orders', { nonce }), 401, 'replay_detected')
  })

  test('is told apart by case', async () => {
    const nonce = `nonce-${randomUUID()}`
    expect((await partner.get('/orders', { nonce })).status).toBe(200)
    expect((await partner.get('/orders', { nonce: nonce.toUpperCase() })).status).toBe(200)
  })

  test('admits exactly one of 20 requests that come at once', async () => {
    for (let round = 0; round < 3; round++) {
      const nonce = randomUUID()
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => partner.get('/orders', { nonce })),
      )
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
      const codes = responses.flatMap(({ body }) => (body.error ? [body.error.code] : []))
      expect(codes).toEqual(Array.from({ length: 19 }, () => 'replay_detected'))
    }
  })

  test('lets exactly one of 20 writes at once take effect', async () => {
    const own = await service.partner()
    const nonce = randomUUID()
    await own.put('/api/partner/webhooks', {
      url: 'http://127.0.0.1:9/hook',
      secret: 'a-secret-of-the-test',
    })
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => own.post('/api/partner/webhooks/test', {}, { nonce })),
    )
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(1)
    const events = service.app.db
      .selectFrom('events')
      .select('id')
      .where('partner_id', '=', own.partner_id)
    expect(await events.execute()).toHaveLength(1)
  })

  test.skipIf(!POSTGRES)('is spent on all instances', async () => {
    const other = await service.another()
    const there = client(partner, { at: other })
    const nonces = Array.from({ length: 10 }, () => randomUUID())
    for (const nonce of nonces) {
      const responses = await Promise.all(
        [partner, there, partner, there].map((own) => own.get('/orders', { nonce })),
      )
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    }
    const [nonce = ''] = nonces
    expectError(await there.get('/orders', { nonce }), 401, 'replay_detected')
  })

  test('stays spent over a restart', async () => {
    const nonce = randomUUID()
    expect((await partner.get('/orders', { nonce })).status).toBe(200)
    service = await service.restart()
    partner = client(partner)
    live = client(live)
    expectError(await partner.get('/orders', { nonce }), 401, 'replay_detected')
    expect((await partner.get('/orders')).status).toBe(200)
  })

  async function purged(): Promise<void> {
    await vi.waitFor(
      async () => {
        const { finished_at } = await service.app.db
          .selectFrom('scheduled_jobs')
          .select('finished_at')
          .where('name', '=', 'purge_nonces')
          .executeTakeFirstOrThrow()
        expect(finished_at).toEqual(clock.now())
      },
      { timeout: 10_000, interval: 50 },
    )
  }

  test('is kept for as long as its request is fresh, and no longer', async () => {
    const nonce = randomUUID()
    const again = { nonce, timestamp: seconds(300) }
    expect((await partner.get('/orders', again)).status).toBe(200)
    clock.advance(599_000)
    await purged()
    expectError(await partner.get('/orders', again), 401, 'replay_detected')
    clock.advance(1_000)
    expectError(await partner.get('/orders', again), 401, 'replay_detected')
    clock.advance(61_000)
    await purged()
    expectError(await partner.get('/orders', again), 401, 'invalid_timestamp')
    const kept = service.app.db.selectFrom('nonces').select('nonce').where('nonce', '=', nonce)
    expect(await kept.execute()).toEqual([])
  })
})

describe('the path is signed as it was sent', () => {
  test.each([
    ['/api/partner/v1/orders/..', '/api/partner/v1/'],
    ['/api/partner/v1/orders/%2e%2e', '/api/partner/v1/orders/..'],
    ['/api/partner/v1/orders/a%2Fb', '/api/partner/v1/orders/a/b'],
    ['/api/partner/v1/orders/a%2fb', '/api/partner/v1/orders/a%2Fb'],
    ['/api/partner/v1/orders/%61', '/api/partner/v1/orders/a'],
    ['/api/partner/v1/orders/a+b', '/api/partner/v1/orders/a%20b'],
    ['/api/partner/v1/orders/%E2%82%AC', '/api/partner/v1/orders/€'],
    ['/api/partner/v1/%6frders/none', '/api/partner/v1/orders/none'],
  ])('%s, and not as %s', async (target, normalised) => {
    for (const query of ['', '?x=1']) {
      expectError(await partner.get(target + query), 404, 'not_found')
      const response = await partner.get(target + query, signingLine(1, normalised))
      expectError(response, 401, 'invalid_signature')
    }
  })

  test.each([
    '/api/partner/v1//orders',
    '//api/partner/v1/orders',
    '/api/partner/v1/./orders',
    '/api/partner/v1/x/../orders',
    '/api/partner/v1/orders/none/',
    '/API/partner/v1/orders',
    '/api/partner/v1/orders%2Fnone',
  ])('%s is no other path', async (target) => {
    expectError(await partner.get(target), 404, 'not_found')
  })

  test('a domain may be escaped', async () => {
    const response = await partner.get('/domains/%70etpantry.test')
    expect(response.body).toMatchObject({ domain: 'petpantry.test' })
  })
})

describe('the query is signed in its canonical form', () => {
  test.each([
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=1&a=', 'a=&a=1&a=2'],
    ['A=1&a=1&B=1', 'A=1&B=1&a=1'],
    ['a=b+c', 'a=b%20c'],
    ['a+b=1', 'a%20b=1'],
    ['a=%2b', 'a=%2B'],
    ['a=%7e%2D', 'a=~-'],
    ['a=%c3%a9', 'a=%C3%A9'],
    ["a=!'()*", 'a=%21%27%28%29%2A'],
    ['a', 'a='],
    ['', ''],
    ['&&a=1&', 'a=1'],
    ['=1', '=1'],
    ['a=b=c', 'a=b%3Dc'],
    ['a=1?b=2', 'a=1%3Fb%3D2'],
    ['?a=1', '%3Fa=1'],
    ['a=1%262', 'a=1%262'],
    ['a=/:@$,;', 'a=%2F%3A%40%24%2C%3B'],
    ['a=%zz%', 'a=%25zz%25'],
    ['a=%F0%9F%98%80&a=%EF%BF%BD', 'a=%EF%BF%BD&a=%F0%9F%98%80'],
    ['a=%FF', 'a=%EF%BF%BD'],
    ['a=%00', 'a=%00'],
    ['a[]=1&a[0]=2', 'a%5B0%5D=2&a%5B%5D=1'],
  ])('?%s as %s', async (raw, canonical) => {
    const target = `/orders?${raw}`
    const response = await partner.get(target, signingLine(2, canonical))
    expect(response.status, response.text).toBe(200)
    if (raw === canonical) return
    const asSent = await partner.get(target, signingLine(2, raw))
    expectError(asSent, 401, 'invalid_signature')
    expect(asSent.body.error.details.likely_cause).toMatch(/query/)
  })

  test('a known parameter that comes twice is rejected, since its order is not signed', async () => {
    for (const query of ['limit=1&limit=2', 'limit=2&limit=1', 'limit=1&limit=1']) {
      const canonical = query.split('&').toSorted().join('&')
      const response = await partner.get(`/orders?${query}`, signingLine(2, canonical))
      expectError(response, 400, 'validation_error')
      expect(response.body.error.details).toEqual([
        { field: 'limit', issue: 'is given more than once' },
      ])
    }
  })

  test('parameters that nobody knows are ignored', async () => {
    const response = await partner.get('/orders?__proto__=1&constructor=2&limit=1&x=3&x=4', {
      ...signingLine(2, '__proto__=1&constructor=2&limit=1&x=3&x=4'),
    })
    expect(response.status, response.text).toBe(200)
  })
})

describe('what the signature does not cover', () => {
  test.each(['GET', 'HEAD'])('a body on %s is rejected', async (method) => {
    const headers = { 'content-length': '2' }
    const own = await service.partner()
    const signed = own.sign(method, '/api/partner/v1/orders', '')
    const response = await service.send({
      method,
      target: '/api/partner/v1/orders',
      headers: { ...signed, ...headers },
      body: '{}',
    })
    expect(response.status).toBe(400)
    if (method === 'GET') expectError(response, 400, 'validation_error')
    expect((await own.get('/orders')).status).toBe(200)
  })

  test('a chunked body on GET is rejected', async () => {
    const headers = { 'transfer-encoding': 'chunked' }
    expectError(await partner.get('/orders', { headers }), 400, 'validation_error')
  })

  test.each(['gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'x'])(
    'Content-Encoding: %s is refused',
    async (encoding) => {
      const body = { domain: 'petpantry.test' }
      const response = await partner.post('/quotes', body, {
        headers: { 'content-encoding': encoding },
      })
      expectError(response, 415, 'unsupported_media_type')
    },
  )

  test.each(['identity', 'Identity'])('Content-Encoding: %s is fine', async (encoding) => {
    const response = await partner.post(
      '/quotes',
      { domain: 'petpantry.test' },
      { headers: { 'content-encoding': encoding } },
    )
    expect(response.status, response.text).toBe(201)
  })

  test('a second Content-Type that is not JSON is rejected, in either order', async () => {
    const types = ['application/json', 'text/plain']
    for (const contentType of [types, types.toReversed()]) {
      const body = JSON.stringify({ domain: 'petpantry.test' })
      const response = await service.send({
        method: 'POST',
        target: '/api/partner/v1/quotes',
        headers: {
          ...partner.sign('POST', '/api/partner/v1/quotes', body),
          'content-type': contentType,
        },
        body,
      })
      expectError(response, 415, 'unsupported_media_type')
    }
  })

  test('the path of an absolute request target is what follows the host', async () => {
    const headers = partner.sign('GET', '/api/partner/v1/orders?limit=1', '')
    const target = `${service.baseUrl}/api/partner/v1/orders?limit=1`
    const response = await service.send({ method: 'GET', target, headers })
    expect(response.status, response.text).toBe(200)
  })

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/jsonp',
    'nonsense',
  ])('a body of %s is refused', async (type) => {
    const body = { domain: 'petpantry.test' }
    const response = await partner.post('/quotes', body, { headers: { 'content-type': type } })
    expectError(response, 415, 'unsupported_media_type')
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json;',
    'application/json; profile="x"; charset=utf-8',
    'application/vnd.example+json',
  ])('a body of %s is read', async (type) => {
    const body = { domain: 'petpantry.test' }
    const response = await partner.post('/quotes', body, { headers: { 'content-type': type } })
    expect(response.status, response.text).toBe(201)
  })

  test('X-HTTP-Method-Override and the like change nothing', async () => {
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-original-url': '/api/partner/v1/events',
    }
    const response = await partner.get('/orders', { headers })
    expect(response.body).toMatchObject({ orders: [] })
  })
})

describe('HEAD', () => {
  test('is signed as HEAD and responds like GET, without a body', async () => {
    const response = await partner.call('HEAD', '/domains/petpantry.test')
    expect(response.status).toBe(200)
    expect(response.text).toBe('')
    expect(response.headers).toHaveProperty('ratelimit-remaining')
    expect(response.headers).toHaveProperty('x-request-id')
    const wrong = await partner.call(
      'HEAD',
      '/domains/petpantry.test',
      undefined,
      signingLine(0, 'GET'),
    )
    expect(wrong.status).toBe(401)
    expect((await partner.call('HEAD', '/domains/unknown.test')).status).toBe(404)
  })

  test('needs the scope that GET needs', async () => {
    const other = await service.partner({ scopes: ['report'] })
    expect((await other.call('HEAD', '/domains/petpantry.test')).status).toBe(403)
  })
})

describe("the sandbox's explanation of a wrong signature", () => {
  interface Mistake {
    name: string
    cause: RegExp | null
    send(own: PartnerClient): Promise<Result>
  }
  const QUERY = '/orders?b=2&a=1'
  const signed = (own: PartnerClient, options: CallOptions) => own.get('/orders', options)
  const rehead = (own: PartnerClient, change: (signature: string) => string) => {
    const headers = own.sign('GET', '/api/partner/v1/orders', '')
    headers['x-service-signature'] = change(headers['x-service-signature'] ?? '')
    return signed(own, { headers })
  }
  const MISTAKES: Mistake[] = [
    {
      name: 'the key id used as the HMAC key',
      cause: /key id was used as the HMAC key/,
      send: (own) => client(own, { secret: own.credential.key_id }).get('/orders'),
    },
    {
      name: 'the prefix omitted',
      cause: /lacks its prefix "v1="/,
      send: (own) => rehead(own, (signature) => signature.slice(3)),
    },
    {
      name: 'upper-case hex',
      cause: /upper-case hex/,
      send: (own) => rehead(own, (signature) => `v1=${signature.slice(3).toUpperCase()}`),
    },
    {
      name: 'milliseconds in the canonical string',
      cause: /milliseconds/,
      send: (own) => signed(own, signingLine(3, `${seconds()}000`)),
    },
    {
      name: 'the path without its base',
      cause: /path was signed without \/api\/partner\/v1/,
      send: (own) => signed(own, signingLine(1, '/orders')),
    },
    {
      name: 'milliseconds of another moment of the second',
      cause: /milliseconds/,
      send: (own) => signed(own, signingLine(3, `${seconds()}417`)),
    },
    {
      name: 'the path with its version only',
      cause: /path was signed without \/api\/partner\./,
      send: (own) => signed(own, signingLine(1, '/v1/orders')),
    },
    {
      name: 'the whole address',
      cause: /whole address was signed/,
      send: (own) => {
        const { host } = new URL(service.baseUrl)
        return signed(own, signingLine(1, `http://${host}/api/partner/v1/orders`))
      },
    },
    {
      name: 'the query in another order, otherwise as it should be',
      cause: /sort its pairs/,
      send: (own) => own.get('/orders?q=dog+food&a=(b)', signingLine(2, 'q=dog%20food&a=%28b%29')),
    },
    {
      name: 'the query in the opposite order of one that was sent sorted',
      cause: /sort its pairs/,
      send: (own) => own.get('/orders?a=1&b=2&c=3', signingLine(2, 'c=3&b=2&a=1')),
    },
    {
      name: 'the query sorted, in another encoding',
      cause: /sort its pairs/,
      send: (own) => own.get('/orders?q=dog+food&a=(b)', signingLine(2, 'a=(b)&q=dog%20food')),
    },
    {
      name: 'a body that is another one',
      cause: /body was changed after it was hashed/,
      send: (own) => {
        const headers = own.sign('POST', '/api/partner/v1/quotes', '{"domain":"b.test"}')
        return own.post('/quotes', '{"domain":"a.test"}', { headers })
      },
    },
    {
      name: 'a slash at the end of the path',
      cause: /slash at its end/,
      send: (own) => signed(own, signingLine(1, '/api/partner/v1/orders/')),
    },
    {
      name: 'the query within the path',
      cause: /query was signed as part of the path/,
      send: (own) =>
        own.get(QUERY, {
          canonical: (canonical) => {
            const [method, path, , ...rest] = canonical.split('\n')
            return [method, `${path}?b=2&a=1`, '', ...rest].join('\n')
          },
        }),
    },
    {
      name: 'the query in the order sent',
      cause: /sort its pairs/,
      send: (own) => own.get(QUERY),
    },
    {
      name: 'the query left out',
      cause: /query was left out/,
      send: (own) => own.get(QUERY, signingLine(2, '')),
    },
    {
      name: 'the method in lower case',
      cause: /method was signed in lower case/,
      send: (own) => signed(own, signingLine(0, 'get')),
    },
    {
      name: 'a newline at the end',
      cause: /newline at its end/,
      send: (own) => signed(own, { canonical: (canonical) => `${canonical}\n` }),
    },
    {
      name: 'the body altered after hashing',
      cause: /body was changed after it was hashed/,
      send: (own) => {
        const headers = own.sign('POST', '/api/partner/v1/quotes', '{"domain":"a.test"}')
        return own.post('/quotes', '{"domain": "a.test"}', { headers })
      },
    },
    {
      name: 'the body hashed with spaces and sent without',
      cause: /body was changed after it was hashed/,
      send: (own) => {
        const headers = own.sign('POST', '/api/partner/v1/quotes', '{"domain": "a.test"}')
        return own.post('/quotes', '{"domain":"a.test"}', { headers })
      },
    },
    {
      name: 'the body left out',
      cause: /body was left out/,
      send: (own) => {
        const headers = own.sign('POST', '/api/partner/v1/quotes', '')
        return own.post('/quotes', { domain: 'a.test' }, { headers })
      },
    },
    {
      name: 'something that nobody could guess',
      cause: null,
      send: (own) => signed(own, signingLine(4, 'another-nonce')),
    },
    {
      name: 'a wrong secret',
      cause: null,
      send: (own) => client(own, { secret: 'sk_sandbox_wrong' }).get('/orders'),
    },
  ]

  test.each(MISTAKES)('names $name', async ({ cause, send }) => {
    const response = await send(partner)
    expectError(response, 401, 'invalid_signature')
    const { likely_cause, canonical_string, ...more } = response.body.error.details
    expect(more).toEqual({})
    if (cause === null) expect(likely_cause).toBeNull()
    else expect(likely_cause).toMatch(cause)
    const right = createHmac('sha256', partner.credential.secret)
      .update(canonical_string)
      .digest('hex')
    expect(response.text.toLowerCase()).not.toContain(right)
    expect(response.text).not.toContain(partner.credential.secret)
  })

  test.each([
    ['a body that is nested deeply', '/quotes', nested(2_000)],
    ['a long query', `/orders?q=${'!'.repeat(15_000)}`, '{}'],
  ])('explains it also for %s', async (_name, path, body) => {
    const own = client(partner, { secret: 'sk_sandbox_wrong' })
    expectError(await own.post(path, body), 401, 'invalid_signature')
  })

  test('shows the canonical string that we computed', async () => {
    const nonce = randomUUID()
    const response = await partner.get(QUERY, { nonce })
    expect(response.body.error.details.canonical_string).toBe(
      [
        'GET',
        '/api/partner/v1/orders',
        'a=1&b=2',
        seconds(),
        nonce,
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ].join('\n'),
    )
  })

  test.each(MISTAKES)('is kept from a live credential: $name', async ({ send }) => {
    const response = await send(live)
    expectError(response, 401, 'invalid_signature')
    expect(Object.keys(response.body.error).toSorted()).toEqual(['code', 'message', 'request_id'])
  })
})

describe('a credential that was switched off', () => {
  test('is rejected at once when it is correctly signed, and only then', async () => {
    const own = await service.partner({ environment: 'live' })
    expect((await own.get('/orders')).status).toBe(200)
    const revoked = await service.admin('POST', `/credentials/${own.credential.key_id}/revoke`, {})
    expect(revoked.body).toMatchObject({ status: 'revoked' })
    expectError(await own.get('/orders'), 403, 'credential_not_active')
    expectError(await own.post('/quotes', '{'), 403, 'credential_not_active')
    const wrong = await client(own, { secret: 'wrong' }).get('/orders')
    expectError(wrong, 401, 'invalid_signature')
  })

  test('does not take the others of its partner along', async () => {
    const own = await service.partner()
    const other = await service.partner({ partner_id: own.partner_id })
    await service.admin('POST', `/credentials/${own.credential.key_id}/revoke`, {})
    expect((await other.get('/orders')).status).toBe(200)
  })

  test('by suspending its partner works again when the partner does', async () => {
    const own = await service.partner()
    const other = await service.partner({ partner_id: own.partner_id, environment: 'live' })
    expect((await own.get('/orders')).status).toBe(200)
    const status = `/partners/${own.partner_id}/status`
    await service.admin('POST', status, { status: 'suspended' })
    expectError(await own.get('/orders'), 403, 'partner_not_active')
    expectError(await other.get('/orders'), 403, 'partner_not_active')
    const wrong = await client(own, { secret: 'wrong' }).get('/orders')
    expectError(wrong, 401, 'invalid_signature')
    await service.admin('POST', status, { status: 'active' })
    expect((await own.get('/orders')).status).toBe(200)
    expect((await other.get('/orders')).status).toBe(200)
  })

  test('in the middle of a burst is gone for everything that comes later', async () => {
    const own = await service.partner()
    const before = Array.from({ length: 10 }, () => own.get('/orders'))
    const revoke = service.admin('POST', `/credentials/${own.credential.key_id}/revoke`, {})
    await Promise.all([...before, revoke])
    const after = await Promise.all(Array.from({ length: 10 }, () => own.get('/orders')))
    for (const response of after) expectError(response, 403, 'credential_not_active')
  })
})

describe('rotation', () => {
  async function rotate(own: PartnerClient, body: object) {
    const response = await service.admin(
      'POST',
      `/credentials/${own.credential.key_id}/rotate`,
      body,
    )
    expect(response.status, response.text).toBe(200)
    return client(own, { secret: response.body.secret })
  }

  test('lets both secrets work until the overlap ends', async () => {
    const old = await service.partner()
    expect((await old.get('/orders')).status).toBe(200)
    const fresh = await rotate(old, { overlap_seconds: 60 })
    expect(fresh.credential.secret).not.toBe(old.credential.secret)
    clock.advance(59_999)
    expect((await old.get('/orders')).status).toBe(200)
    expect((await fresh.get('/orders')).status).toBe(200)
    clock.advance(1)
    expectError(await old.get('/orders'), 401, 'invalid_signature')
    expect((await fresh.get('/orders')).status).toBe(200)
  })

  test('without an overlap ends the old secret at once', async () => {
    const old = await service.partner()
    expect((await old.get('/orders')).status).toBe(200)
    const fresh = await rotate(old, { overlap_seconds: 0 })
    expectError(await old.get('/orders'), 401, 'invalid_signature')
    expect((await fresh.get('/orders')).status).toBe(200)
  })

  test('overlaps for a day when nothing is said', async () => {
    const old = await service.partner()
    const fresh = await rotate(old, {})
    clock.advance(86_400_000 - 1)
    expect((await old.get('/orders')).status).toBe(200)
    clock.advance(1)
    expectError(await old.get('/orders'), 401, 'invalid_signature')
    expect((await fresh.get('/orders')).status).toBe(200)
  })

  test('leaves two secrets at most', async () => {
    const first = await service.partner()
    const second = await rotate(first, { overlap_seconds: 60 })
    const third = await rotate(second, { overlap_seconds: 60 })
    expectError(await first.get('/orders'), 401, 'invalid_signature')
    expect((await second.get('/orders')).status).toBe(200)
    expect((await third.get('/orders')).status).toBe(200)
  })

  test('does not revive a revoked credential', async () => {
    const own = await service.partner()
    const path = `/credentials/${own.credential.key_id}`
    await service.admin('POST', `${path}/revoke`, {})
    expectError(await service.admin('POST', `${path}/rotate`, {}), 409, 'conflict')
    expectError(await own.get('/orders'), 403, 'credential_not_active')
  })
})

describe('a secret', () => {
  test('is shown once and stored encrypted', async () => {
    const own = await service.partner()
    const { secret, key_id } = own.credential
    const listed = await service.admin('GET', `/partners/${own.partner_id}/credentials`)
    expect(listed.text).toContain(key_id)
    expect(listed.text).not.toContain(secret)
    const row = await service.app.db
      .selectFrom('credentials')
      .select('secret_sealed')
      .where('key_id', '=', key_id)
      .executeTakeFirstOrThrow()
    const sealed = Buffer.from(row.secret_sealed)
    expect(sealed.includes(secret)).toBe(false)
    expect(sealed.includes(secret.slice(-20))).toBe(false)
  })

  test('and its key id tell their environment', () => {
    expect(partner.credential.key_id).toMatch(/^pk_sandbox_/)
    expect(live.credential.key_id).toMatch(/^pk_live_/)
    expect(partner.credential.secret.length).toBeGreaterThanOrEqual(40)
  })
})

describe('last_used_at', () => {
  const usedAt = async (own: PartnerClient): Promise<string | null> => {
    const { body } = await service.admin('GET', `/partners/${own.partner_id}/credentials`)
    return body.credentials[0].last_used_at
  }

  test('tells when a request was last signed correctly', async () => {
    const own = await service.partner()
    const unused = await service.partner()
    await client(unused, { secret: 'wrong' }).get('/orders')
    const used = clock.now().toISOString()
    await own.get('/orders')
    await vi.waitFor(async () => expect(await usedAt(own)).toBe(used), {
      timeout: 10_000,
      interval: 200,
    })
    expect(await usedAt(unused)).toBeNull()
  })

  test('is written when the service stops', async () => {
    const own = await service.partner()
    await own.get('/orders')
    service = await service.restart()
    expect(await usedAt(own)).toBe(clock.now().toISOString())
  })
})
