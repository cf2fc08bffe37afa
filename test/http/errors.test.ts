import { createHash, randomUUID } from 'node:crypto'
import { METHODS as NODE_METHODS } from 'node:http'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ERROR_STATUS, type ErrorCode } from '../../src/core/errors.ts'
import type { AdminOperation, PartnerOperation } from '../../src/core/operation.ts'
import { ADMIN_OPERATIONS } from '../../src/http/admin/serve.ts'
import { PARTNER_OPERATIONS } from '../../src/http/partner/operations.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { orderBody, quote } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'
import { exchange, hangUp } from '../support/socket.ts'

/** Provoked where apps buy (test/agents). */
const OF_APPS = [
  'payment_failed',
  'insufficient_scope',
  'price_changed',
  'mandate_exceeded',
] as const
type CallCode = Exclude<ErrorCode, (typeof OF_APPS)[number]>
const CODES = Object.keys(ERROR_STATUS).filter(
  (code) => !(OF_APPS as readonly string[]).includes(code),
) as CallCode[]
const BODY_LIMIT = 256 * 1024

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService({ settings: { logLevel: 'debug' } })
  partner = await service.partner({ affiliate: true })
})
afterAll(() => service.stop())

/** The error body's one shape, and the same id in the header, the body and the log line. */
async function expectError(
  response: Result,
  code: ErrorCode,
  { logs } = service,
  status: number = ERROR_STATUS[code],
): Promise<void> {
  expect(response.status, response.text).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  const { code: own, message, request_id, details, ...more } = response.body.error
  expect([Object.keys(response.body), own, more]).toEqual([['error'], code, {}])
  expect(typeof message === 'string' && message.length > 0).toBe(true)
  expect(request_id).toMatch(/^req_\w+$/)
  expect(response.headers['x-request-id']).toBe(request_id)
  if (code === 'validation_error') expectIssues(details)
  await expectLogged(logs, request_id, status)
}

function expectIssues(details: unknown): void {
  expect(Array.isArray(details) && details.length > 0).toBe(true)
  for (const { field, issue, ...more } of details as Record<string, unknown>[]) {
    expect([typeof field, typeof issue, more]).toEqual(['string', 'string', {}])
  }
}

async function expectLogged(logs: string[], id: string | undefined, status: number): Promise<void> {
  await vi.waitFor(() => {
    const lines = logs.filter((line) => line.includes(`"${id}"`)).map((line) => JSON.parse(line))
    expect(lines.filter(({ msg }) => msg === 'request')).toEqual([
      expect.objectContaining({ request_id: id, status }),
    ])
  })
}

/** What came over a socket, read as a response. */
function readResponse(text: string): Result {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  const parse = () => (body === '' ? undefined : JSON.parse(body))
  return { status: Number(first.split(' ')[1]), headers, text: body, body: parse() }
}

const sample = (path: string) => path.replace(/\{\w+\}/g, 'unknown')

describe('every error code', () => {
  /** How to provoke each of them; a new code does not compile until it stands here. */
  const PROVOKE: Record<CallCode, () => Promise<Result>> = {
    validation_error: () => partner.post('/quotes', { domain: 'no name' }),
    invalid_cursor: () => partner.get('/orders?cursor=nonsense'),
    missing_idempotency_key: () => partner.post('/orders', {}, { key: null }),
    unauthorized: () => service.send({ method: 'GET', target: '/api/admin/v1/partners' }),
    invalid_token: () =>
      service.send({
        method: 'GET',
        target: '/api',
        headers: { authorization: 'Bearer spent' },
      }),
    missing_credentials: () => service.send({ method: 'GET', target: '/api/partner/v1/orders' }),
    missing_signature_headers: () => partner.get('/orders', { nonce: 'short' }),
    invalid_timestamp: () => partner.get('/orders', { timestamp: '1000000000' }),
    invalid_signature: () => partner.get('/orders', { canonical: () => 'something else' }),
    async replay_detected() {
      const nonce = randomUUID()
      await partner.get('/orders', { nonce })
      return await partner.get('/orders', { nonce })
    },
    forbidden: async () => (await service.partner({ scopes: ['refer'] })).get('/orders'),
    async credential_not_active() {
      const own = await service.partner()
      await service.admin('POST', `/credentials/${own.credential.key_id}/revoke`, {})
      return await own.get('/orders')
    },
    async partner_not_active() {
      const own = await service.partner()
      const path = `/partners/${own.partner_id}/status`
      await service.admin('POST', path, { status: 'suspended' })
      return await own.get('/orders')
    },
    not_found: () => partner.get('/orders/unknown'),
    method_not_allowed: () => partner.call('PATCH', '/orders', {}),
    async conflict() {
      const offered = await quote(partner, 'petpantry.test')
      await partner.delete(`/quotes/${offered.quote_id}`)
      return await partner.post('/orders', orderBody(offered))
    },
    payload_too_large: () => partner.post('/quotes', `"${'x'.repeat(BODY_LIMIT)}"`),
    unsupported_media_type: () =>
      partner.post('/quotes', {}, { headers: { 'content-type': 'text/plain' } }),
    misdirected_request: () =>
      service.send({ method: 'GET', target: '/browse', headers: { host: 'other.example' } }),
    price_mismatch: () =>
      partner.post('/quotes', { domain: 'getdogstore.test', expected_price: 1 }),
    async quote_expired() {
      const old = await quote(partner, 'getdogstore.test')
      service.clock.advance(600_001)
      return await partner.post('/orders', orderBody(old))
    },
    async offer_too_low() {
      await service.list('sandbox', 'too-low.test,10000,,USD,open,5000')
      const body = { domain: 'too-low.test', amount_cents: 1, buyer: { email: 'a@example.com' } }
      return await partner.post('/offers', body)
    },
    async rate_limited() {
      const path = '/api/partner/v1/orders'
      const now = service.clock.now()
      await sql`update rate_windows set used = 100000, ends_at = ${new Date(now.getTime() + 60_000)}
        where subject = ${partner.credential.key_id}`.execute(service.app.db)
      const response = await partner.get(path)
      await sql`update rate_windows set used = 0
        where subject = ${partner.credential.key_id}`.execute(service.app.db)
      return response
    },
    async internal_error() {
      await sql`alter table settlements rename to mislaid`.execute(service.app.db)
      const response = await partner.get('/settlements')
      await sql`alter table mislaid rename to settlements`.execute(service.app.db)
      return response
    },
    async unavailable() {
      const { query } = service.app.server
      const broken = vi.spyOn(service.app.server, 'query')
      const { DatabaseUnavailable } = await import('../../src/db/server.ts')
      broken.mockImplementation((text, parameters) =>
        text.includes('nonces')
          ? Promise.reject(new DatabaseUnavailable(new Error('away')))
          : query(text, parameters),
      )
      const response = await partner.get('/orders')
      broken.mockRestore()
      return response
    },
  }

  test.each(CODES)('%s has its status, its shape and its request id', async (code) => {
    const response = await PROVOKE[code]()
    await expectError(response, code)
    if (code === 'rate_limited' || code === 'unavailable') {
      expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    }
  })

  test('of the contract has the status of the contract', () => {
    expect(ERROR_STATUS).toMatchObject({
      missing_idempotency_key: 400,
      missing_signature_headers: 401,
      invalid_timestamp: 401,
      replay_detected: 401,
      invalid_signature: 401,
      missing_credentials: 401,
      forbidden: 403,
      credential_not_active: 403,
      partner_not_active: 403,
      not_found: 404,
      validation_error: 400,
      invalid_cursor: 400,
      method_not_allowed: 405,
      payload_too_large: 413,
      unsupported_media_type: 415,
      misdirected_request: 421,
      conflict: 409,
      price_mismatch: 422,
      quote_expired: 422,
      rate_limited: 429,
      internal_error: 500,
      unavailable: 503,
    })
  })

  test('of an internal error tells nothing of the inside', async () => {
    const { text, body } = await PROVOKE.internal_error()
    expect(text).not.toMatch(/relation|settlements|select|kysely|\.ts/)
    expect(body.error).not.toHaveProperty('details')
  })
})

describe('X-Request-Id', () => {
  test.each([
    ['GET', '/health/live', 200],
    ['GET', '/health/ready', 200],
    ['GET', '/.well-known/jwks.json', 200],
    ['GET', '/metrics', 401],
    ['GET', '/nothing', 404],
    ['GET', '/', 200],
    ['OPTIONS', '/api/partner/v1/orders', 405],
  ])('is on %s %s (%i), new each time', async (method, target, status) => {
    const responses = [
      await service.send({ method, target }),
      await service.send({ method, target, headers: { 'x-request-id': 'mine' } }),
    ]
    const ids = responses.map(({ headers }) => headers['x-request-id'] as string)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) {
      expect(id).toMatch(/^req_\w+$/)
      await expectLogged(service.logs, id, status)
    }
  })

  test('is on responses to partners, whose log line names the credential', async () => {
    const { headers } = await partner.get('/orders')
    const id = headers['x-request-id'] as string
    await expectLogged(service.logs, id, 200)
    const line = service.logs.find((text) => text.includes(id)) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      key_id: partner.credential.key_id,
      partner_id: partner.partner_id,
      method: 'GET',
      route: '/api/partner/v1/orders',
    })
  })
})

describe('404', () => {
  test.each([
    '/api/nothing',
    '/api/',
    '/api/partner',
    '/api/partner/v1',
    '/api/partner/v1/',
    '/api/partner/v2/orders',
    '/api/partner/v1/nothing',
    '/api/partner/orders',
    '/api/partner/v1/orders/',
    '/api/partner/v1/domains/',
    '/api/tlds//metadata',
    '/api/admin/v1/partners/',
    '/api/admin/v1/nothing',
    '/index.html',
    '/.env',
    `/${'a'.repeat(9_000)}`,
  ])('answers %s', async (target) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      await expectError(await service.send({ method, target }), 'not_found')
    }
  })

  test('responds the same for what is absent and what is someone else’s', async () => {
    const own = await quote(partner, 'getpetpantry.test').catch(() =>
      quote(partner, 'petpantry.test'),
    )
    const other = await service.partner()
    const foreign = await other.get(`/quotes/${own.quote_id}`)
    const absent = await other.get('/quotes/qt_01k00000000000000000000000')
    await expectError(foreign, 'not_found')
    expect(foreign.body.error.message).toBe(absent.body.error.message)
  })
})

describe('405', () => {
  const ALL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']
  // Node.js 20.19.0 does not know QUERY: it is no HTTP to it.
  const METHODS = ALL.filter((method) => NODE_METHODS.includes(method))
  const base = (operation: AdminOperation | PartnerOperation) => {
    if (operation.kind === 'admin_read' || operation.kind === 'admin_write') return '/api/admin/v1'
    return operation.unversioned ? '/api/partner' : '/api/partner/v1'
  }
  const served = new Map<string, Set<string>>([
    ['/health/live', new Set(['GET'])],
    ['/health/ready', new Set(['GET'])],
    ['/metrics', new Set(['GET'])],
    ['/.well-known/jwks.json', new Set(['GET'])],
    ['/api/admin/v1/listings/import', new Set(['POST'])],
    ['/api/admin/v1/listing-imports', new Set(['POST'])],
  ])
  for (const operation of [...PARTNER_OPERATIONS, ...ADMIN_OPERATIONS]) {
    const path = base(operation) + sample(operation.path)
    served.set(path, (served.get(path) ?? new Set()).add(operation.method))
  }
  const paths = [...served].map(([path, methods]) => {
    return [path, [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].toSorted()] as const
  })

  test.each(paths)('%s serves %j only', async (target, allowed) => {
    for (const method of METHODS) {
      const response = await service.send({ method, target })
      if (allowed.includes(method)) {
        expect([404, 405], `${method} ${response.text}`).not.toContain(response.status)
        continue
      }
      expect(response.status, method).toBe(405)
      expect(response.headers.allow?.split(', ').toSorted()).toEqual(allowed)
      if (method !== 'HEAD') await expectError(response, 'method_not_allowed')
    }
  })
})

describe('413', () => {
  const padded = (size: number) => {
    const empty = JSON.stringify({ domain: 'x', pad: '' })
    return JSON.stringify({ domain: 'x', pad: 'x'.repeat(size - empty.length) })
  }

  test('responds to a body of more than 256 KiB', async () => {
    await expectError(await partner.post('/quotes', padded(BODY_LIMIT + 1)), 'payload_too_large')
    await expectError(await partner.post('/quotes', padded(BODY_LIMIT)), 'validation_error')
  })

  test('responds to a body that does not say how long it is', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const text = await exchange(
      service.baseUrl,
      `POST /api/partner/v1/quotes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`,
    )
    await expectError(readResponse(text), 'payload_too_large')
  })

  test('responds on the admin API as well, and comes after an unknown path or method', async () => {
    const body = padded(BODY_LIMIT + 1)
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    for (const [target, code] of [
      ['/api/admin/v1/partners', 'payload_too_large'],
      ['/nothing', 'not_found'],
      ['/api/market/listings', 'method_not_allowed'],
    ] as const) {
      await expectError(await service.send({ method: 'POST', target, headers, body }), code)
    }
  })
})

describe('415', () => {
  test('responds on the admin API as well', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/plain' }
    const target = '/api/admin/v1/partners'
    const response = await service.send({ method: 'POST', target, headers, body: '{}' })
    await expectError(response, 'unsupported_media_type')
  })
})

describe('a body that is no JSON object', () => {
  test.each([
    '{',
    '}',
    '[]',
    '[{"domain":"petpantry.test"}]',
    '"domain"',
    '1',
    'null',
    'true',
    'domain=petpantry.test',
    '{"domain":"petpantry.test",}',
    "{'domain':'petpantry.test'}",
    '{"domain":NaN}',
    '{"domain":"petpantry.test"}{}',
    '{"domain":"a\tb"}',
    ' ',
    '['.repeat(100_000),
    `${'{"a":'.repeat(40_000)}1`,
  ])('is refused: %.40s', async (body) => {
    const response = await partner.post('/quotes', body)
    await expectError(response, 'validation_error')
    expect(response.body.error.details[0].field).toBe('body')
  })

  test.each([
    ['a byte that is none of UTF-8', [0xff]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['a character beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('is refused for %s', async (_name, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"domain":"petpantry.test","note":"'),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ])
    const target = '/api/partner/v1/quotes'
    const hash = createHash('sha256').update(body).digest('hex')
    const headers = partner.sign('POST', target, '', {
      canonical: (canonical) => canonical.replace(/\w+$/, hash),
    })
    const response = await service.send({ method: 'POST', target, headers, body })
    await expectError(response, 'validation_error')
    expect(response.body.error.details).toEqual([{ field: 'body', issue: 'is not JSON in UTF-8' }])
  })

  test('is read as an empty object when there is none', async () => {
    const response = await partner.post('/quotes', '')
    await expectError(response, 'validation_error')
    expect(response.body.error.details).toEqual([{ field: 'domain', issue: 'is required' }])
  })
})

describe('a JSON object with surprises', () => {
  const ask = (body: string) => partner.post('/quotes', body)

  test('never takes a field from a prototype', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const response = await ask(`{"${key}":{"domain":"petpantry.test"}}`)
      await expectError(response, 'validation_error')
      expect((await ask(`{"domain":"petpantry.test","${key}":{"x":1}}`)).status).toBe(201)
    }
    expect(({} as Record<string, unknown>).domain).toBeUndefined()
  })

  test('may nest as deep as it likes where nobody looks', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect((await ask(`{"domain":"petpantry.test","x":${deep}}`)).status).toBe(201)
    await expectError(await ask(`{"domain":${deep}}`), 'validation_error')
  })

  test.each(['1e400', '-1', '0', '1.5', '"100"', '9007199254740993', '[]', '{}', 'true'])(
    'may not say that the price is %s',
    async (price) => {
      const response = await ask(`{"domain":"petpantry.test","expected_price":${price}}`)
      await expectError(response, 'validation_error')
      expect(response.body.error.details[0].field).toBe('expected_price')
    },
  )

  test('cannot say what the path says', async () => {
    const response = await partner.post('/sandbox/orders/unknown/clear-review', {
      public_id: { no: 'text' },
    })
    await expectError(response, 'not_found')
  })
})

test('a wrong field is told in words, and not in those of the checker', async () => {
  const wrong: [path: string, body: object, field: string, issue: string][] = [
    ['/quotes', { domain: null }, 'domain', 'must be text'],
    ['/refunds', { public_id: '' }, 'public_id', 'must not be empty'],
    ['/orders', { buyer: 'Ada' }, 'buyer', 'must be an object'],
    ['/links', { type: 'page' }, 'type', 'must be generic, domain or product'],
    ['/sandbox/clock', { advance_seconds: 0 }, 'advance_seconds', 'must be at least 1'],
    ['/sandbox/clock', { advance_seconds: 1.5 }, 'advance_seconds', 'must be a whole number'],
    ['/sandbox/clock', { advance_seconds: 'a' }, 'advance_seconds', 'must be a whole number'],
    ['/sandbox/clock', { advance_seconds: true }, 'advance_seconds', 'must be a whole number'],
    ['/checkout-session', { metadata: [] }, 'metadata', 'must be an object'],
    [
      '/checkout-session',
      { metadata: { size: [] } },
      'metadata.size',
      'must be text, a number, true, false or null',
    ],
  ]
  for (const [path, body, field, issue] of wrong) {
    const response = await partner.post(path, body, { key: randomUUID() })
    expect(response.body.error.details).toContainEqual({ field, issue })
  }
  const { text } = await partner.get('/orders?limit=101&status=paid')
  expect(text).not.toMatch(/expected|Invalid|Too (big|small)/)
})

describe('text that no database can hold', () => {
  const NUL = 'a\u0000b'
  const LONE = 'a\ud800b'
  const text = 'text'

  /** A complete body for every operation that takes one, with all its fields. */
  const BODIES: Record<string, object> = {
    create_quote: { domain: 'petpantry.test', expected_price: 1 },
    create_order: {
      domain: 'petpantry.test',
      sale_price_cents: 1,
      expected_price: 1,
      currency: 'USD',
      quote_id: text,
      external_payment_ref: text,
      buyer: { email: 'a@example.com', name: text, country: 'DE' },
      return_url: 'https://example.com/a',
      cancel_url: 'https://example.com/b',
      delivery: { method: 'push', account: text, registrar_iana_id: 292 },
    },
    create_offer: {
      domain: 'petpantry.test',
      amount_cents: 1,
      currency: 'USD',
      buyer: { email: 'a@example.com', name: text, country: 'DE' },
      message: text,
      expires_in_hours: 1,
    },
    counter_offer: { amount_cents: 1, message: text },
    accept_offer: { amount_cents: 1, message: text },
    decline_offer: { message: text },
    withdraw_offer: { message: text },
    sandbox_move_offer: { amount_cents: 1, message: text },
    operate_offer: { amount_cents: 1, message: text },
    create_checkout_session: {
      domain: 'petpantry.test',
      buyer: { email: 'a@example.com', name: text, country: 'DE' },
      return_url: 'https://example.com/a',
      cancel_url: 'https://example.com/b',
      external_ref: text,
      metadata: { cart: text },
      delivery: { method: 'push', account: text, registrar_iana_id: 292 },
    },
    create_link: {
      type: 'domain',
      domain: 'petpantry.test',
      product: text,
      destination_url: '/docs',
      label: text,
    },
    add_registrar: { name: text, driver: 'manual', config: { tlds: [text] } },
    start_registrar_sync: { domains: [text] },
    set_registrar_for_sale: { enabled: true },
    settle_registrar_operation: { outcome: 'failed', reason: text, expires_at: text },
    set_transfer_code: { code: text },
    set_payee: {
      payee: { name: text, country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' },
    },
    export_payouts: { environment: 'sandbox', format: 'csv' },
    import_payout_status: { file: text },
    receive_settlement: { amount_cents: 1, reference: text, at: '2026-01-01T00:00:00Z' },
    create_admin_token: { name: text, role: 'viewer', days: 1 },
    reseal_secrets: { cursor: text },
    withdraw_live: { reason: text },
    erase_user: { reason: text },
    reset_second_factor: { reason: text },
    write_off_charge: { reason: text },
    set_partner_brand: {
      name: text,
      logo_url: 'https://a.example/logo.png',
      color: '#1864ab',
      support_email: 'a@example.com',
    },
    set_partner_delivery: { method: 'push', account: text },
    freeze_listing: { environment: 'live', reason: text },
    block_domains: { domains: [text] },
    create_payouts: { environment: 'sandbox', expected_total_cents: 0 },
    move_payout: { reason: text },
    request_refund: { public_id: text, reason: 'other', note: text },
    register_webhook: { url: 'http://127.0.0.1:9/hook', secret: '0123456789abcdef' },
    sandbox_clear_review: { reason: text },
    sandbox_start_transfer: { reason: text },
    sandbox_complete_transfer: { reason: text },
    sandbox_fail_transfer: { reason: text },
    create_partner: {
      name: text,
      email: 'a@example.com',
      affiliate: false,
      partner_collected_bps: 1,
      brokerage_bps: 1,
      hosted_checkout_bps: 1,
      referral_bps: 1,
    },
    set_partner_status: { status: 'active' },
    set_partner_terms: {
      partner_collected_bps: 1,
      brokerage_bps: 1,
      hosted_checkout_bps: 1,
      referral_bps: 1,
      credit_limit_cents: 1,
      orders_per_hour: 1,
    },
    create_credential: {
      environment: 'sandbox',
      scopes: ['buy'],
      days: 1,
      allowed_addresses: ['10.0.0.0/8'],
    },
    rotate_credential: { overlap_seconds: 1 },
    operate_order: { reason: text, refund_reason: 'other' },
    run_settlement: {
      environment: 'sandbox',
      expected_order_count: 0,
      expected_owed_cents: 0,
    },
    open_case: {
      domain: 'petpantry.example',
      tier: 'managed',
      buyer_email: 'a@example.com',
      budget: 1,
      currency: 'USD',
      note: text,
    },
    sandbox_move_case: { price_cents: 1, note: text, buyer_consented: true },
    sandbox_record_offer: {
      made_by: 'owner',
      price_cents: 1,
      message: text,
      buyer_consented: true,
    },
    sandbox_record_answer: { buyer_consented: true },
    operate_case: { price_cents: 1, note: text, buyer_consented: true },
    assign_case: { assignee: text },
    note_case: { text },
    decide_claim: { user_id: text, reason: text },
    record_contact: { channel: 'email', text },
    record_offer: { made_by: 'owner', price_cents: 1, message: text, buyer_consented: true },
    record_answer: { buyer_consented: true },
    set_tld_price: { price_cents: 1, years: 1 },
    create_user: { email: 'a@example.com', password: 'long enough', domains: ['a.com'] },
    import_domains: { domains: ['a.com'], buyer_email: 'a@example.com' },
    create_user_token: { email: 'a@example.com', label: text, manage: true, days: 1 },
    update_user: {
      operator: false,
      role: 'viewer',
      partner_id: text,
      affiliate_id: text,
      disabled: false,
    },
    approve_live: { reason: text },
    move_refund: { note: text },
    pay_goodwill: { amount_cents: 1, reason: text },
    close_goodwill: { note: text },
    sandbox_advance_clock: { advance_seconds: 1 },
    decline_live: { reason: text },
    create_webhook_replay: { from: '2026-01-01', to: '2026-01-02', types: ['order.recorded'] },
  }

  const writes = [...PARTNER_OPERATIONS, ...ADMIN_OPERATIONS].filter(
    ({ method }) => method === 'POST' || method === 'PUT',
  )
  const fieldsOf = ({ input, path }: AdminOperation | PartnerOperation) =>
    Object.keys(
      z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }).properties ?? {},
    ).filter((field) => !path.includes(`{${field}}`))

  test('is looked for in every field of every operation', () => {
    for (const operation of writes) {
      const body = BODIES[operation.name] ?? {}
      expect(Object.keys(body).toSorted(), operation.name).toEqual(fieldsOf(operation).toSorted())
    }
  })

  /** One copy of the value for each text in it, with that text replaced. */
  function spoilt(value: unknown, by: string): unknown[] {
    if (typeof value === 'string') return [by]
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, part]) =>
      spoilt(part, by).map((other) =>
        Array.isArray(value)
          ? value.with(Number(key), other)
          : Object.fromEntries([...Object.entries(value), [key, other]]),
      ),
    )
  }

  async function call(
    operation: AdminOperation | PartnerOperation,
    path: string,
    body?: unknown,
  ): Promise<Result> {
    if (operation.kind === 'admin_read' || operation.kind === 'admin_write') {
      return await service.admin(operation.method, path, body)
    }
    const base = operation.unversioned ? '/api/partner' : '/api/partner/v1'
    return await partner.call(operation.method, base + path, body)
  }

  const cases = writes.flatMap((operation) =>
    [NUL, LONE].flatMap((by) =>
      spoilt(BODIES[operation.name], by).map((body) => ({
        name: `${operation.name} ${JSON.stringify(body)}`,
        operation,
        body,
      })),
    ),
  )
  test.each(cases)('is rejected: $name', async ({ operation, body }) => {
    await expectError(await call(operation, sample(operation.path), body), 'validation_error')
  })

  const paths = [...PARTNER_OPERATIONS, ...ADMIN_OPERATIONS].flatMap((operation) =>
    [...operation.path.matchAll(/\{\w+\}/g)].map(([parameter]) => ({ operation, parameter })),
  )
  test.each(paths)('is rejected: $operation.name $parameter', async ({ operation, parameter }) => {
    for (const escape of ['a%00b', '%00']) {
      const path = sample(operation.path.replace(parameter, escape))
      await expectError(await call(operation, path, BODIES[operation.name]), 'validation_error')
    }
    const replaced = sample(operation.path.replace(parameter, '%ED%A0%80'))
    expect((await call(operation, replaced, BODIES[operation.name])).status).toBeLessThan(500)
  })

  const QUERIES: Record<string, string> = {
    search_domains: 'q=shop',
    check_availability: 'domain=petpantry.test',
    get_pricing: 'domain=petpantry.test',
  }
  const queries = [...PARTNER_OPERATIONS, ...ADMIN_OPERATIONS]
    .filter(({ method }) => method === 'GET' || method === 'DELETE')
    .flatMap((operation) => fieldsOf(operation).map((field) => ({ operation, field })))
  test.each(queries)('is rejected: $operation.name ?$field', async ({ operation, field }) => {
    const others = (QUERIES[operation.name] ?? '')
      .split('&')
      .filter((pair) => pair !== '' && !pair.startsWith(`${field}=`))
    for (const value of ['a%00b', '%00']) {
      const query = [...others, `${field}=${value}`].toSorted().join('&')
      const response = await call(operation, `${sample(operation.path)}?${query}`)
      if (response.body.error?.code === 'invalid_cursor')
        await expectError(response, 'invalid_cursor')
      else await expectError(response, 'validation_error')
    }
    const lone = [...others, `${field}=%EF%BF%BD`].toSorted().join('&')
    const response = await call(operation, `${sample(operation.path)}?${lone}`)
    expect(response.status, response.text).toBeLessThan(500)
  })
})

describe('what the router cannot read', () => {
  test.each([
    '/api/partner/v1/orders/%',
    '/api/partner/v1/orders/%zz',
    '/api/partner/v1/orders/%E0%A4%A',
    '/api/partner/v1/orders/%FF',
    '/%C0%AE%C0%AE/x',
    '/api/admin/v1/partners/%zz/status',
  ])('gets an error with an id and a log line: %s', async (target) => {
    const response = await service.send({ method: 'GET', target })
    await expectError(response, 'validation_error')
    expect(response.headers['x-content-type-options']).toBe('nosniff')
  })

  test('may be read by pages of other origins on the public API, and there alone', async () => {
    for (const [target, origin] of [
      ['/api/tlds/%zz/metadata', '*'],
      ['/api/partner/v1/orders/%zz', undefined],
    ] as const) {
      const { headers } = await service.send({ method: 'GET', target })
      expect(headers['access-control-allow-origin']).toBe(origin)
    }
  })

  test('is also a path that is too long', async () => {
    const target = `/api/partner/v1/orders/${'a'.repeat(5_000)}`
    const response = await service.send({ method: 'GET', target })
    await expectError(response, 'validation_error')
    expect(response.headers).toHaveProperty('ratelimit-limit')
  })
})

describe('what is no HTTP', () => {
  /** The parser of Node.js 20.19.0 takes some of what HTTP forbids. */
  const isLax = Number.parseInt(process.versions.llhttp ?? '', 10) < 9
  const HOST = 'Host: x\r\nConnection: close\r\n'
  const STRICT: [string, string, number][] = [
    ['raw bytes in the path', `GET /\u00e9 HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a space before the colon', `GET / HTTP/1.1\r\n${HOST}X : y\r\n\r\n`, 400],
  ]
  test.each([
    ...(isLax ? [] : STRICT),
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a version of the future', `GET / HTTP/9.9\r\n${HOST}\r\n`, 400],
    ['a space in the path', `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${HOST}X: a\u0000b\r\n\r\n`, 400],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a bad chunk', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nZ\r\n`, 400],
    ['a negative length', `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`, 400],
    ['a huge header', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['a huge path', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
    ['HTTP/1.1 without Host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ])('gets our form of error: %s', async (_name, bytes, status) => {
    const response = readResponse(await exchange(service.baseUrl, bytes))
    await expectError(response, 'validation_error', service, status)
  })

  test('is logged with what the parser says', async () => {
    await exchange(service.baseUrl, `FOOBARBAZ / HTTP/1.1\r\n${HOST}\r\n`)
    await vi.waitFor(() => {
      const line = service.logs.find((each) => each.includes('HPE_INVALID_METHOD'))
      expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 30, msg: 'request', status: 400 })
    })
  })

  test('HTTP/1.0 and expectations that we do not know are fine', async () => {
    const old = readResponse(await exchange(service.baseUrl, 'GET /health/live HTTP/1.0\r\n\r\n'))
    expect(old.status).toBe(200)
    const expectant = await exchange(
      service.baseUrl,
      `GET /health/live HTTP/1.1\r\n${HOST}Expect: the-unexpected\r\n\r\n`,
    )
    expect(readResponse(expectant).status).toBe(200)
  })

  test('a sender that hangs up is no error of ours', async () => {
    const before = service.logs.length
    await hangUp(
      service.baseUrl,
      `POST /api/partner/v1/quotes HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\n{"domain`,
    )
    await hangUp(service.baseUrl, 'POST /api/partner/v1/quotes HTTP/1.1\r\nHost: x\r\nContent-Le')
    expect((await partner.get('/orders')).status).toBe(200)
    const after = service.logs.slice(before).map((line) => JSON.parse(line))
    expect(after.filter(({ level }) => level >= 50)).toEqual([])
  })
})

describe('while the database is away', () => {
  let away: TestService
  let own: PartnerClient
  let comeBack: () => Promise<void>

  beforeAll(async () => {
    away = await startService({ settings: { logLevel: 'debug' } })
    own = await away.partner()
    expect((await own.get('/orders')).status).toBe(200)
    comeBack = await takeAway(away)
  })
  afterAll(() => away.stop())

  test.each([
    ['a read', () => own.get('/orders')],
    ['a write', () => own.post('/quotes', { domain: 'petpantry.test' })],
    ['a stranger', () => away.send({ method: 'GET', target: '/api/partner/v1/orders' })],
    ['an operator', () => away.admin('GET', '/partners')],
    ["an operator's write", () => away.admin('POST', '/partners', { name: 'A', email: 'a@b.cd' })],
    ['the readiness probe', () => away.send({ method: 'GET', target: '/health/ready' })],
  ])('%s gets unavailable with Retry-After', async (_name, ask) => {
    const response = await ask()
    await expectError(response, 'unavailable', away)
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  })

  test.each(['/health/live', '/.well-known/jwks.json'])(
    '%s, which needs none, answers',
    async (target) => {
      expect((await away.send({ method: 'GET', target })).status).toBe(200)
    },
  )

  test.skipIf(!POSTGRES)('and back again, everything works as before', async () => {
    await comeBack()
    await vi.waitFor(async () => expect((await own.get('/orders')).status).toBe(200), {
      timeout: 10_000,
      interval: 100,
    })
    expect((await own.post('/quotes', { domain: 'petpantry.test' })).status).toBe(201)
  })
})

test.skipIf(!POSTGRES)(
  'Connections that break are replaced, and never an internal error',
  async () => {
    const name = await databaseName(service)
    for (let round = 0; round < 5; round++) {
      const asked = Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0
          ? partner.get('/orders')
          : partner.post('/quotes', { domain: 'petpantry.test' }),
      )
      await onPostgres(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      )
      for (const { status } of await Promise.all(asked)) expect([200, 201, 503]).toContain(status)
    }
    await vi.waitFor(async () => expect((await partner.get('/orders')).status).toBe(200))
  },
)

/** Takes the database away, and returns how to give it back (PostgreSQL only). */
async function takeAway({ app }: TestService): Promise<() => Promise<void>> {
  if (!POSTGRES) {
    await app.server.close()
    return () => Promise.reject(new Error('a stopped embedded database does not come back'))
  }
  const name = await databaseName({ app })
  await onPostgres(`alter database ${name} allow_connections false`)
  await onPostgres(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  )
  return () => onPostgres(`alter database ${name} allow_connections true`)
}

async function databaseName({ app }: Pick<TestService, 'app'>): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
  return rows[0]?.name ?? ''
}

async function onPostgres(statement: string): Promise<void> {
  const server = new pg.Client({ connectionString: POSTGRES })
  await server.connect()
  await server.query(statement)
  await server.end()
}
