import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, exchange, makeUser, newCode, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: Reader
let token: string
let browser: Browser
const anyone = readerOf(() => service)
const DOMAINS = ['one.com', 'two.com', 'three.net', 'four.com', 'sale.com', 'renew.com', 'term.com']

beforeAll(async () => {
  service = await startService()
  await makeUser(service, 'ann@example.com', DOMAINS)
  await makeUser(service, 'bob@example.com', ['bobs.com'])
  token = (await service.admin('POST', '/user-tokens', { email: 'ann@example.com' })).body.token
  ann = readerOf(() => service, token)
  browser = await signIn(service, 'ann@example.com')
  await service.list(
    'live',
    'domain,price_cents,floor_price_cents,currency\nhouses.com,5000,4000,USD\n',
  )
})
afterAll(() => service.stop())

const bulk = (op: string, domains: string[], params = {}, more = {}, reader = ann) =>
  reader.post(`/api/domains/bulk/${op}`, { domains, params, ...more })
const row = async (domain: string) =>
  await service.app.db
    .selectFrom('owned_domains')
    .selectAll()
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()

describe('who may', () => {
  test('nobody in particular may not, and is told how', async () => {
    const response = await bulk('lock', ['one.com'], {}, {}, anyone)
    expect(response.status).toBe(401)
    expect(response.body.error.code).toBe('unauthorized')
    expect(response.headers['www-authenticate']).toContain('Bearer')
  })

  test('a token that is none is rejected', async () => {
    const response = await bulk(
      'lock',
      ['one.com'],
      {},
      {},
      readerOf(() => service, 'mkt_pat_x'),
    )
    expect(response.body.error.code).toBe('invalid_token')
  })

  test('an app that sees prices may not', async () => {
    const { body } = await exchange(service, await newCode(service, browser))
    const app = readerOf(() => service, body.access_token)
    const response = await bulk('lock', ['one.com'], {}, {}, app)
    expect(response.status).toBe(403)
    expect(response.body.error.code).toBe('insufficient_scope')
    expect(response.headers['www-authenticate']).toContain('scope="domains:manage"')
  })

  test.each([
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['our own page in an older browser', { origin: 'http://localhost:3000' }, 200],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of another site in an older browser', { origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
  ])('with the cookie of a session, %s', async (_who, headers, status) => {
    const response = await anyone.post(
      '/api/domains/bulk/lock',
      { domains: ['one.com'], params: {} },
      { cookie: browser.cookie ?? '', ...headers },
    )
    expect(response.status).toBe(status)
  })

  test('a personal token shows real prices, as an access token does', async () => {
    const response = await ann.post('/api/domain/search', { q: 'houses.com' })
    expect(response.body.results[0].listing.price_cents).toBe(5000)
  })
})

describe('what is asked', () => {
  test.each([
    ['explode', ['one.com'], {}, 'op'],
    ['lock', [], {}, 'domains'],
    ['lock', Array.from({ length: 1001 }, (_, i) => `n${i}.com`), {}, 'domains'],
    ['renew', ['one.com'], {}, 'params.years'],
    ['renew', ['one.com'], { years: 0 }, 'params.years'],
    ['set_privacy', ['one.com'], {}, 'params.enabled'],
    ['set_nameservers', ['one.com'], { nameservers: ['no host'] }, 'params.nameservers.0'],
    ['list_for_sale', ['one.com'], {}, 'params.price_cents'],
    [
      'set_price',
      ['one.com'],
      { price_cents: 5, floor_price_cents: 6 },
      'params.floor_price_cents',
    ],
  ])('%s is refused whole when it is not what it should be', async (op, domains, params, field) => {
    const response = await bulk(op, domains, params)
    expect(response.status).toBe(400)
    expect(response.body.error.code).toBe('validation_error')
    expect(response.body.error.details[0].field).toBe(field)
  })

  test('each name fails alone', async () => {
    const response = await bulk('lock', [
      'ONE.com',
      'bobs.com',
      'nobodys.com',
      'no name',
      'one.com',
    ])
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ op: 'lock', count: 5, succeeded: 1, failed: 4 })
    expect(
      response.body.results.map(({ domain, status, error }: Record<string, never>) => [
        domain,
        status,
        (error as { code: string } | undefined)?.code,
      ]),
    ).toEqual([
      ['one.com', 200, undefined],
      ['bobs.com', 404, 'not_found'],
      ['nobodys.com', 404, 'not_found'],
      ['no name', 400, 'validation_error'],
      ['one.com', 400, 'validation_error'],
    ])
    const [, theirs, nobodys] = response.body.results
    expect(theirs.error).toEqual(nobodys.error)
    expect(theirs.error.request_id).toBe(response.headers['x-request-id'])
    expect(response.body.results[3].error.details[0].field).toBe('domain')
    expect((await row('one.com')).locked).toBe(true)
    expect((await row('bobs.com')).locked).toBe(false)
  })

  test('a name of characters that are no text fails alone, too', async () => {
    const domains = ['two.com', 'a\u0000b.com', 'a\ud800.com']
    const { body } = await bulk('lock', domains, {}, { dry_run: true })
    const statuses = body.results.map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([200, 400, 400])
  })

  test('a dry run changes nothing', async () => {
    const response = await bulk('lock', ['two.com'], {}, { dry_run: true })
    expect(response.body.succeeded).toBe(1)
    expect((await row('two.com')).locked).toBe(false)
  })

  test('settings are changed', async () => {
    await bulk('set_auto_renew', ['two.com', 'three.net'], { enabled: true })
    await bulk('set_privacy', ['two.com'], { enabled: false })
    await bulk('set_nameservers', ['two.com'], {
      nameservers: ['NS1.example.com.', 'ns2.example.com'],
    })
    expect(await row('two.com')).toMatchObject({
      auto_renew: true,
      privacy: false,
      nameservers: ['ns1.example.com', 'ns2.example.com'],
    })
    await bulk('unlock', ['one.com'])
    expect((await row('one.com')).locked).toBe(false)
  })
})

describe('renewals', () => {
  test('move the expiry, are priced from the price book, and happen once per key', async () => {
    const price = (await anyone.get('/api/pricing/tld?tld=com&op=renew')).body.price_cents
    const before = (await row('renew.com')).expires_at
    const send = () =>
      ann.post(
        '/api/domains/bulk/renew',
        { domains: ['renew.com'], params: { years: 2 } },
        { 'idempotency-key': 'renew-1' },
      )
    const [first, second] = await Promise.all([send(), send()])
    expect(first.text).toBe(second.text)
    const after = (await row('renew.com')).expires_at
    expect(after?.getUTCFullYear()).toBe(Number(before?.getUTCFullYear()) + 2)
    const charges = await service.app.db
      .selectFrom('renewals')
      .selectAll()
      .where('domain', '=', 'renew.com')
      .execute()
    expect(charges).toMatchObject([{ years: 2, price_cents: 2 * price, status: 'paid' }])
  })

  test('reach no further than the registry allows', async () => {
    expect((await bulk('renew', ['term.com'], { years: 9 })).body.succeeded).toBe(1)
    const over = await bulk('renew', ['term.com'], { years: 2 })
    expect(over.body.results[0]).toMatchObject({ status: 409, error: { code: 'conflict' } })
  })
})

describe('selling', () => {
  const listed = async (domain: string) =>
    (await ann.get(`/api/market/listings?q=${domain}`)).body.items[0]

  test('puts a name on the market, prices it, and takes it off', async () => {
    expect((await bulk('set_price', ['sale.com'], { price_cents: 100 })).body.failed).toBe(1)
    expect((await bulk('list_for_sale', ['sale.com'], { price_cents: 9900 })).body.succeeded).toBe(
      1,
    )
    expect(await listed('sale.com')).toMatchObject({ price_cents: 9900 })
    await bulk('set_price', ['sale.com'], { price_cents: 8800, floor_price_cents: 7000 })
    expect(await listed('sale.com')).toMatchObject({ price_cents: 8800 })
    expect((await bulk('delist', ['sale.com'])).body.succeeded).toBe(1)
    expect(await listed('sale.com')).toBeUndefined()
    expect((await bulk('delist', ['sale.com'])).body.results[0]).toMatchObject({
      status: 409,
      error: { message: 'It is not for sale.' },
    })
    const found = await anyone.post('/api/domain/search', { q: 'sale.com' })
    expect(found.body.results[0].state).not.toBe('listed')
    expect((await bulk('list_for_sale', ['sale.com'], { price_cents: 500 })).body.succeeded).toBe(1)
    expect(await listed('sale.com')).toMatchObject({ price_cents: 500 })
  })

  test('reads null as not given in its params, too', async () => {
    const none = { enabled: null, nameservers: null, years: null, floor_price_cents: null }
    const params = { ...none, price_cents: 9900 }
    const response = await bulk('list_for_sale', ['term.com'], params, { dry_run: true })
    expect(response.body, response.text).toMatchObject({ succeeded: 1 })
    const missing = await bulk('renew', ['term.com'], { years: null })
    expect(missing.body.error.message).toBe('params.years: is required')
  })

  test('leaves what the marketplace sells alone', async () => {
    const userId = (await service.admin('GET', '/users?email=ann@example.com')).body.users[0]
      .user_id
    await service.admin('POST', `/users/${userId}/domains`, { domains: ['houses.com'] })
    const response = await bulk('list_for_sale', ['houses.com'], { price_cents: 1 })
    expect(response.body.results[0]).toMatchObject({ status: 409 })
    expect(await listed('houses.com')).toMatchObject({ price_cents: 5000 })
  })
})

test('1,000 names change in one call', async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `many-${index}.com`)
  await makeUser(service, 'many@example.com', names)
  const { body } = await service.admin('POST', '/user-tokens', { email: 'many@example.com' })
  const many = readerOf(() => service, body.token)
  for (const [op, params] of [
    ['lock', {}],
    ['renew', { years: 1 }],
    ['list_for_sale', { price_cents: 100 }],
  ] as const) {
    const response = await bulk(op, names, params, {}, many)
    expect(response.body).toMatchObject({ count: 1000, succeeded: 1000, failed: 0 })
  }
})

describe('accounts of the operator', () => {
  test('one address has one account', async () => {
    const response = await service.admin('POST', '/users', {
      email: 'ANN@example.com',
      password: 'long enough',
    })
    expect(response.body.error.code).toBe('conflict')
  })

  test('nobody is given what is another user’s, and then nothing at all', async () => {
    const response = await service.admin('POST', '/users', {
      email: 'eve@example.com',
      password: 'long enough',
      domains: ['new.com', 'bobs.com'],
    })
    expect(response.status).toBe(409)
    expect((await service.admin('GET', '/users?email=eve@example.com')).body.users).toEqual([])
  })

  test('what is not there cannot be linked, nor given a token', async () => {
    const { users } = (await service.admin('GET', '/users?email=bob@example.com')).body
    const path = `/users/${users[0].user_id}`
    expect((await service.admin('PUT', path, { partner_id: 'prt_x' })).body.error.code).toBe(
      'not_found',
    )
    expect(
      (await service.admin('POST', '/user-tokens', { email: 'no@example.com' })).body.error.code,
    ).toBe('not_found')
    expect((await service.admin('GET', '/users?cursor=x')).body.error.code).toBe('invalid_cursor')
    const partner = await service.partner({ affiliate: true })
    const linked = await service.admin('PUT', path, {
      partner_id: partner.partner_id,
      operator: true,
    })
    expect(linked.body).toMatchObject({ partner_id: partner.partner_id, operator: true })
  })
})
