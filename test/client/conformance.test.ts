import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { seedListings } from '../../src/domain/sandbox/seed.ts'
import type { PartnerClient } from '../support/client.ts'
import { environmentOf, installClient, runMarketplace } from '../support/client-package.ts'
import { freshName, must, operate } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  await seedListings(service.app, 'live')
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

/** Runs the kit, and returns what did not pass beside how many did. */
async function verdict(
  args: string[],
  who: PartnerClient,
  address = service.baseUrl,
  more: Record<string, string> = {},
) {
  const env = { ...environmentOf(folder, who, address), ...more }
  const all = ['conformance', '--json', ...args]
  const { stdout, code } = await runMarketplace(folder, all, env)
  const { checks, passed }: { checks: Outcome[]; passed: number } = JSON.parse(stdout)
  const titles = (wanted: string) =>
    checks.filter(({ outcome }) => outcome === wanted).map(({ title }) => title)
  return { code, passed, failed: titles('failed'), skipped: titles('skipped'), checks }
}

/** A credential of the same partner that has one scope, as the kit reads it. */
async function limitedOf({ partner_id }: PartnerClient): Promise<Record<string, string>> {
  const { credential } = await service.partner({ partner_id, scopes: ['search'] })
  return {
    SERVICE_LIMITED_KEY_ID: credential.key_id,
    SERVICE_LIMITED_SECRET: credential.secret,
    SERVICE_LIMITED_SCOPES: 'search',
  }
}

test('passes on this service, and leaves it as it was', async () => {
  const own = await service.partner({ affiliate: true })
  const limited = await limitedOf(own)
  const { code, passed, skipped, checks } = await verdict([], own, service.baseUrl, limited)
  expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(skipped).toEqual(['shows prices with a token'])
  expect(passed).toBeGreaterThan(135)
  expect(code).toBe(0)
  const { orders } = (await own.get('/orders?status=EXTERNALLY_PAID')).body
  expect(orders).toEqual([])
  const running = await service.app.db
    .selectFrom('quotes')
    .select('domain')
    .where('partner_id', '=', own.partner_id)
    .where('status', '=', 'active')
    .where('expires_at', '>', service.clock.now())
    .execute()
  expect(running).toEqual([])
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
  expect((await verdict(events, own)).skipped).toEqual([
    'rejects endpoints that no delivery may go to',
    'signs deliveries, and makes one again that failed',
  ])
  const replacing = [...events, '--replace-webhook']
  expect(await verdict(replacing, own)).toMatchObject({ failed: [], skipped: [] })
}, 120_000)

test('waits where a limit is reached', async () => {
  let left = 2
  const own = await service.partner()
  const refusing: Change = { reject: () => left-- > 0 }
  expect(await brokenVerdict('answers', own, [refusing])).toMatchObject({ failed: [] })
}, 60_000)

test('passes a service that writes its JSON otherwise', async () => {
  const spaced: Change = {
    on: /pricing.tld/,
    answer: (text) => JSON.stringify(JSON.parse(text), null, 2),
  }
  const { failed } = await brokenVerdict('public', await service.partner(), [spaced])
  expect(failed).toEqual([])
}, 60_000)

/** Titles that several tests look for. */
const LACKING = 'answers every operation 403 forbidden where the credential lacks its scope'
const LIMITS = 'takes a limit of 1 to 100, 50 without one, and rejects others: 400'

const relays: Server[] = []
afterEach(() => {
  for (const relay of relays.splice(0)) relay.close()
})

const another = () => crypto.randomUUID()
const ofBody = (key: string, body: Buffer) =>
  createHash('sha256').update(key).update(body).digest('hex')
const without = (field: string) => (text: string) => text.replaceAll(`"${field}"`, '"other"')

const UNLINKED = '{"reason":"affiliate_not_linked"}'

const reversed = (text: string) => {
  const page = JSON.parse(text)
  if (page.events) page.events.reverse()
  return JSON.stringify(page)
}

/** Moves the ends that a response names. */
const endsEarlier = (ms: number) => (text: string) =>
  text.replace(
    /"expires_at":"([^"]+)"/,
    (_, at) => `"expires_at":"${new Date(Date.parse(at) - ms).toISOString()}"`,
  )

/** What each broken service in front of the right one is caught by. */
const BROKEN: [string, string, Change, title: string, reason?: string][] = [
  ['signing', 'checks no signature', { resign: true }, 'rejects another secret'],
  [
    'signing',
    'forgets nonces',
    { resign: true, onlyValid: true },
    'takes a nonce once, however many come together',
  ],
  [
    'signing',
    'takes orders that were altered',
    { on: /POST .*orders/, resign: true },
    'rejects an order whose buyer was altered after signing',
  ],
  [
    'idempotency',
    'forgets keys',
    { rekey: another },
    'makes one order of requests that come together',
  ],
  [
    'idempotency',
    'forgets the keys of refunds',
    { on: /refunds/, rekey: another },
    'honours a key on POST /refunds',
  ],
  [
    'idempotency',
    'forgets the keys of cases',
    { on: /brokerage/, rekey: another },
    'honours a key on POST /brokerage',
  ],
  [
    'answers',
    'names no request that succeeds',
    { on: /GET .*availability/, drop: 'x-request-id' },
    'names each request by an id of its own, whatever the answer',
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
    'lists events in the order in which they happened',
  ],
  [
    'events',
    'takes any endpoint',
    { on: /^PUT .*webhooks/, turns: { 400: 200 } },
    'rejects endpoints that no delivery may go to',
  ],
  [
    'quotes',
    'tells another end of a quote when it makes it',
    { on: /^POST .*quotes /, answer: endsEarlier(60_000) },
    'reserves a name at a firm price for 10 minutes',
  ],
  [
    'checkout',
    'ends checkout sessions after six days',
    { on: /^POST .*checkout-session /, answer: endsEarlier(86_400_000) },
    'opens a checkout session for 7 days',
  ],
  ['answers', 'takes a missing scope for a wrong signature', { turns: { 403: 401 } }, LACKING],
  [
    'answers',
    'enforces all scopes but one',
    { on: /^GET .*transactions/, turns: { 403: 200 } },
    LACKING,
  ],
  [
    'answers',
    'rejects what the scope allows',
    { on: /^GET .*domains.search /, turns: { 400: 403 } },
    LACKING,
  ],
  [
    'answers',
    'enforces scopes on some operations alone',
    { on: /v1.payouts |partner.webhooks /, turns: { 403: 200, 404: 200, 415: 200 } },
    LACKING,
  ],
  [
    'answers',
    'answers 200 to a new order',
    { on: /^POST .*orders /, turns: { 201: 200 } },
    'lists the steps of an order, oldest first',
    'POST /orders responded 200 instead of 201',
  ],
  [
    'answers',
    'shows errors without the form',
    { on: /ord_none/, answer: (text) => JSON.stringify(JSON.parse(text).error) },
    'gives an error its form, with the id of the request',
  ],
  [
    'answers',
    'lets caches keep orders',
    { on: /^POST .*orders /, set: { 'cache-control': 'public, max-age=3600' } },
    'answers JSON, which no shared cache may keep for partners',
  ],
  [
    'answers',
    'tells of another buyer',
    { on: /^GET .*orders/, answer: (text) => text.replaceAll('conformance@', 'another@') },
    'gives an order all its fields, wherever it shows one',
  ],
  [
    'answers',
    'does not say how an order is delivered',
    { on: /^GET .*orders/, answer: without('delivery') },
    'gives an order all its fields, wherever it shows one',
  ],
  [
    'search',
    'does not say why it found a name',
    { on: /domains.search/, answer: without('why') },
    'finds the best first, and says why',
  ],
  [
    'quotes',
    'keeps refunded names off the market',
    { on: /availability/, answer: (text) => text.replace('"available":true', '"available":false') },
    'refunds the full amount, and puts the domain back on the market',
  ],
  [
    'lists',
    'skips a transaction between pages',
    {
      on: /transactions.*cursor=/,
      answer: (text) =>
        rewritten(text, ({ transactions = [] }) => ({ transactions: transactions.slice(1) })),
    },
    'pages through each list by cursor, each entry once',
  ],
  [
    'lists',
    'repeats a link between pages',
    { on: /links.*cursor=/, url: (url) => url.replace(/&cursor=[^&]*/, '') },
    'pages through each list by cursor, each entry once',
  ],
  [
    'lists',
    'shows 2 orders where no limit is given',
    { on: /^GET .*v1.orders /, url: (url) => `${url}?limit=2` },
    LIMITS,
  ],
  [
    'lists',
    'does not say what it paid out',
    { on: /payouts/, answer: without('total_paid_cents') },
    'gives statements and payouts all their fields',
  ],
  [
    'events',
    'shows 2 events where no limit is given',
    { on: /v1.events /, url: (url) => `${url}?limit=2` },
    'takes a limit of 1 to 100, 50 without one',
  ],
  [
    'events',
    'delivers by PUT',
    { on: /^PUT .*127.0.0.1/, delivers: { method: 'PUT' } },
    'signs deliveries, and makes one again that failed',
  ],
  [
    'events',
    'delivers text',
    { on: /^PUT .*127.0.0.1/, delivers: { type: 'text/plain' } },
    'signs deliveries, and makes one again that failed',
  ],
  [
    'public',
    'answers no preflight',
    { on: /^OPTIONS/, turns: { 204: 405 } },
    'lets pages of any origin read it, without credentials',
  ],
  [
    'oauth',
    'lets no page get a token',
    { on: /^POST .*oauth.token/, drop: 'access-control-allow-origin' },
    'lets pages of any origin read its metadata, register and get tokens',
  ],
  [
    'oauth',
    'challenges nobody whose token is bad',
    { on: /listings/, drop: 'www-authenticate' },
    'rejects a bad token instead of masking prices',
  ],
  [
    'oauth',
    'lets caches keep tokens',
    { on: /oauth.token/, set: { 'cache-control': 'max-age=600' } },
    'rejects a code or refresh token that was not issued: 400 invalid_grant',
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
  async (group, what, change, title, reason) => {
    const own = await service.partner({ affiliate: true })
    expect(await missed(group, own, [[what, change, [[title, reason]]]])).toEqual([])
  },
  120_000,
)

test.each<[string, Change]>([
  ['no scope', { turns: { 403: 200 } }],
  [
    'an affiliate account alone',
    { answer: (text) => text.replace(/{"missing_scope".*?}/, UNLINKED) },
  ],
])(
  'fails a service that asks for %s, without being told the scopes',
  async (_what, change) => {
    const own = await service.partner()
    const untold = { ...(await limitedOf(own)), SERVICE_LIMITED_SCOPES: '' }
    const { checks, code } = await brokenVerdict('answers', own, [change], untold)
    const { outcome, reason } = checks.find(({ title }) => title === LACKING) ?? {}
    expect(outcome).toBe('failed')
    expect(reason).toContain('rejected nothing of pk_sandbox_')
    expect(code).toBe(1)
  },
  60_000,
)

test.each([
  ['SERVICE_SECRET', 'SERVICE_KEY_ID'],
  ['SERVICE_LIMITED_SECRET', 'SERVICE_LIMITED_KEY_ID'],
])('stops at once where %s is wrong, and says so', async (secret, keyId) => {
  const own = await service.partner()
  const env = { ...environmentOf(folder, own, service.baseUrl), ...(await limitedOf(own)) }
  const { code, stdout, stderr } = await runMarketplace(folder, ['conformance'], {
    ...env,
    [secret]: 'sk_sandbox_of_somebody_else',
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(
    `401 invalid_signature: ${secret} does not belong to ${keyId} pk_sandbox_`,
  )
})

test('says that what could not run is no pass, and fails it where that is asked for', async () => {
  const own = await service.partner()
  const env = environmentOf(folder, own, service.baseUrl)
  const lenient = await runMarketplace(folder, ['conformance', '--only', 'oauth'], env)
  expect(lenient.code).toBe(0)
  expect(lenient.stdout).toMatch(/\n1 of \d+ checks could not run: this is no complete pass\.\n$/)
  expect((await verdict(['--only', 'oauth', '--strict'], own)).code).toBe(1)
  expect((await verdict(['--only', 'receipts', '--strict'], own)).code).toBe(0)
}, 60_000)

test('fails a service whose search finds nothing', async () => {
  const empty: Change = {
    on: /domains.search/,
    answer: (text) => rewritten(text, () => ({ count: 0, results: [] })),
  }
  const found = await brokenVerdict('search', await service.partner(), [empty])
  expect(found).toMatchObject({ code: 1, failed: ['finds names of the sandbox'] })
}, 60_000)

test('names a scope that there is not, and checks nothing', async () => {
  const own = await service.partner()
  const env = { ...environmentOf(folder, own, service.baseUrl), SERVICE_LIMITED_SCOPES: 'serach' }
  const { code, stderr } = await runMarketplace(folder, ['conformance'], env)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('serach') })
})

const rewritten = (text: string, change: (body: Record<string, unknown[]>) => object) =>
  JSON.stringify({ ...JSON.parse(text), ...change(JSON.parse(text)) })

/** A flaw with the checks that it must fail, and what the reason for that must name. */
type Flaw = [what: string, Change, [title: string, reason?: string | undefined][]]

/** Services with several flaws, each on requests of its own, so that none hides another. */
const FLAWED: Record<string, Flaw[]> = {
  signing: [
    [
      'does not say what may be wrong',
      { on: /^GET .*availability.domain=example.com /, answer: without('likely_cause') },
      [
        [
          'tells a sandbox credential the likely cause of a wrong signature',
          'likely_cause is missing',
        ],
      ],
    ],
    [
      'takes unsigned DELETEs',
      { on: /^DELETE .*quotes/, turns: { 401: 200 } },
      [['rejects every operation without the signing headers', 'DELETE /quotes']],
    ],
    [
      'takes upper-case hex',
      { on: /^GET .*v1.payouts /, lowers: true },
      [['rejects every signature in upper-case hex', 'GET /payouts']],
    ],
    [
      'forgets nonces and times of some POSTs',
      { on: /^POST .*(orders|links) /, resign: true, onlyValid: true },
      [
        ['takes a nonce once on every operation', 'POST /links'],
        ['rejects every operation signed 305 seconds ago', 'POST /links'],
        ['rejects every operation signed 305 seconds ahead', 'POST /links'],
        ['takes no replay of an order, not even with its key'],
      ],
    ],
  ],
  answers: [
    [
      'gives two requests one id',
      { on: /^GET .api.(batch|market.listings) /, set: { 'x-request-id': 'req_1' } },
      [['names each request by an id of its own, whatever the answer', 'req_1']],
    ],
    [
      'calls its JSON HTML',
      { on: /^GET .*v1.orders.limit=1 /, set: { 'content-type': 'text/html' } },
      [['answers JSON, which no shared cache may keep for partners', 'Content-Type is text/html']],
    ],
    [
      'answers with other statuses, and without details',
      {
        turns: { 403: 401, 405: 404, 413: 200 },
        answer: (text) => text.replaceAll('"details"', '"more"'),
      },
      [
        ['gives a validation_error its details: field and issue'],
        ['answers 405 to another method, with Allow'],
        ['takes a body of 256 KiB, and answers 413 to a larger one'],
        [LACKING],
      ],
    ],
  ],
  idempotency: [
    [
      'takes a key with another body for another key',
      { on: /^POST .*orders /, rekey: ofBody },
      [['rejects a key with another body', 'instead of key_reused']],
    ],
    [
      'forgets the keys of offers',
      { on: /^POST .*offers /, rekey: another },
      [['honours a key on POST /offers', 'POST /offers']],
    ],
    [
      'forgets the keys of batches',
      { on: /^POST .api.batch /, rekey: another },
      [['honours a key on a POST that only reads', 'POST /api/batch']],
    ],
    [
      'gives conflicts no reason',
      { on: /^POST .*brokerage /, answer: without('reason') },
      [
        [
          'honours a key on POST /brokerage',
          'error.details.reason is missing instead of key_reused',
        ],
      ],
    ],
  ],
  search: [
    [
      'ignores the tld',
      { on: /search.q=shop&tld=/, url: (url) => url.replace('tld=', 'unknown=') },
      [['finds no name above a max_price_cents, or on another tld', 'with tld=']],
    ],
    [
      'finds the worst first',
      {
        on: /search.q=a%20shop/,
        answer: (text) =>
          rewritten(text, ({ results = [] }) => ({ results: results.toReversed() })),
      },
      [['finds the best first, and says why', 'the scores are']],
    ],
    [
      'takes a blank q',
      { on: /search.q=(%20)? /, turns: { 400: 200 } },
      [['wants a q that is not blank: 400 validation_error']],
    ],
    [
      'prices what is not listed',
      { on: /pricing/, turns: { 404: 200 } },
      [['answers 404 to detail and pricing of a name that is not listed', 'responded 200']],
    ],
    [
      'finds too much',
      {
        on: /search.q=shop /,
        answer: (text) =>
          rewritten(text, ({ results = [] }) => ({ results: [...results, ...results] })),
      },
      [['finds 5 domains at most']],
    ],
  ],
  quotes: [
    [
      'sells by used and old quotes',
      { on: /^POST .*orders /, turns: { 409: 201, 422: 409 } },
      [
        ['sells nothing by a quote that was used, even after a refund: 409'],
        ['honours a quote for 10 minutes, and then answers 422 quote_expired'],
      ],
    ],
    [
      'quotes what is not listed',
      { on: /^POST .*quotes /, turns: { 404: 201 } },
      [['quotes and sells no name that was never listed: 404']],
    ],
    [
      'ends quotes too early',
      {
        on: /^GET .*quotes/,
        answer: (text) => text.replace(/(expires_at":")\d+/, (_, key) => `${key}2020`),
      },
      [['reserves a name at a firm price for 10 minutes']],
    ],
    [
      'refunds too late, and too little',
      {
        on: /refunds/,
        turns: { 409: 201 },
        answer: (text) => text.replace(/"amount_cents":\d+/, '"amount_cents":1'),
      },
      [
        ['refunds only before TRANSFER_COMPLETED: later is 409'],
        [
          'refunds the full amount, and puts the domain back on the market',
          'POST /refunds: amount_cents is 1 instead of',
        ],
      ],
    ],
  ],
  receipts: [
    [
      'publishes private keys',
      { on: /jwks/, answer: (text) => text.replaceAll('{"crv"', '{"d":"c2VjcmV0","crv"') },
      [['publishes its public keys, and no private part of one', 'PRIVATE part "d"']],
    ],
    [
      'gives receipts of what is not delivered, and signs none rightly',
      {
        on: /\/receipt /,
        turns: { 409: 200 },
        answer: (text) =>
          text.replace(/("receipt":"[^.]*\.)(....)/, (_, before, four) =>
            before.concat([...four].toReversed().join('')),
          ),
      },
      [
        ['has no receipt of an order before its delivery: 409'],
        ['signs a receipt that is verified offline, by the public keys alone', 'signature'],
      ],
    ],
    [
      'keeps its public address to itself',
      { on: /\/receipts\//, turns: { 200: 404 } },
      [['shows the same receipt at its public address, and nothing at others']],
    ],
  ],
  lists: [
    [
      'ignores cursors',
      { on: /orders.*[?&]cursor=(?!made-up)/, url: (url) => url.replace(/&cursor=[^&]*/, '') },
      [
        ['pages through the orders by cursor, each once, to the end', 'twice'],
        ['rejects a cursor with other filters: 400 invalid_cursor'],
      ],
    ],
    [
      'tells the oldest first',
      {
        on: /orders.limit=100 /,
        answer: (text) => rewritten(text, ({ orders = [] }) => ({ orders: orders.toReversed() })),
      },
      [['lists the newest first', 'GET /orders']],
    ],
    [
      'takes any limit',
      { on: /settlements.limit=(0|101) /, turns: { 400: 200 } },
      [[LIMITS, 'GET /settlements']],
    ],
  ],
  oauth: [
    [
      'tells errors in the form of the partner API',
      {
        on: /^POST .*oauth.token/,
        answer: (text) => JSON.stringify({ error: { code: JSON.parse(text).error } }),
      },
      [
        [
          'rejects a code or refresh token that was not issued: 400 invalid_grant',
          '"invalid_grant"',
        ],
        ['answers 401 to a client that it does not know', '"invalid_client"'],
      ],
    ],
    [
      'names another resource',
      {
        on: /oauth-protected-resource/,
        answer: (text) => rewritten(text, () => ({ resource: 'https://evil.example' })),
      },
      [['challenges a call of /api, and names its metadata', 'evil.example']],
    ],
    [
      'shows prices in a batch',
      {
        on: /batch .*search_domain/,
        answer: (text) => text.replaceAll('"price_masked":true', '"price_masked":false'),
      },
      [['masks prices without a token', 'POST /api/batch']],
    ],
    [
      'masks prices of a batch with a bad token',
      { on: /batch .*list_listings/, turns: { 401: 200 } },
      [['rejects a bad token instead of masking prices', 'POST /api/batch responded 200']],
    ],
    [
      'does not say that it names itself',
      {
        on: /oauth-authorization-server/,
        answer: (text) =>
          rewritten(text, () => ({ authorization_response_iss_parameter_supported: false })),
      },
      [['names itself in what it sends back, and says so in its metadata', 'is false']],
    ],
  ],
  public: [
    [
      'lets no page read WHOIS',
      { on: /^POST .*whois \{\}/, drop: 'access-control-allow-origin' },
      [['lets pages of any origin read it, without credentials', 'POST /api/tools/whois']],
    ],
    [
      'says that nothing follows',
      {
        on: /listings.limit=2 /,
        answer: (text) => text.replace('"has_more":true', '"has_more":false'),
      },
      [['pages through the listings by next_cursor, each once, until null', 'page.has_more']],
    ],
    [
      'leaves an operation out of its catalogue',
      {
        on: /^GET .*batch/,
        answer: (text) =>
          rewritten(text, ({ operations = [] }) => ({ operations: operations.slice(1) })),
      },
      [['lists the operations of a batch', 'operations has no']],
    ],
    [
      'gives no NDJSON',
      { on: /domain.search/, set: { 'content-type': 'application/json' } },
      [['searches line by line where NDJSON is accepted', 'instead of application/x-ndjson']],
    ],
    [
      'keeps the document of its partner API to itself',
      { on: /openapi-partner/, turns: { 200: 404 } },
      [['publishes an OpenAPI 3.1 document of the partner API', 'responded 404 instead of 200']],
    ],
    [
      'takes 21 operations',
      { on: /batch .*"0".*"20"/, turns: { 400: 200 } },
      [['takes a batch of 20, and rejects 21 and none: 400', 'responded 200']],
    ],
    [
      'says another price in a batch',
      { on: /batch .*"none"/, answer: (text) => text.replace(/"price_cents":/, '"price_cents":1') },
      [['answers a bad entry of a batch with its own 400, and the others', 'single call']],
    ],
    [
      'knows nothing of domains',
      { on: /whois .*EXAMPLE|metadata/, turns: { 200: 500 } },
      [
        ['looks a domain up: registrar, registrant, dates, nameservers'],
        ['says what a TLD requires: term, organization, nameservers'],
      ],
    ],
    [
      'never knows who has a name',
      {
        on: /^POST .*whois /,
        answer: (text) =>
          rewritten(text, () => ({ registered: null, created_at: null, nameservers: [] })),
      },
      [['knows of a name that is registered', 'example.com']],
    ],
    [
      'takes any cursor',
      { on: /sort=.*cursor=/, turns: { 400: 200 } },
      [['rejects a cursor with other filters or sort: 400 invalid_cursor', 'responded 200']],
    ],
    [
      'gives no cursor on offset pages',
      {
        on: /offset=/,
        answer: (text) => text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":null'),
      },
      [['gives a next_cursor on offset pages too, for going on from there']],
    ],
    [
      'lets anyone change domains',
      { on: /bulk/, turns: { 401: 200 } },
      [['changes domains only for signed-in users: 401']],
    ],
  ],
}
/** Flaws of lists that hold something for some partners only, one at a time. */
const HIDDEN: Flaw[] = [
  [
    'keeps the settlements from everybody',
    { on: /^GET .*settlements/, turns: { 200: 403, 400: 403 } },
    [
      ['answers each list with its plural and next_cursor', 'GET /settlements responded 403'],
      [LIMITS, 'GET /settlements responded 403'],
      ['rejects a cursor that it did not give: 400 invalid_cursor', 'GET /settlements'],
      ['lists the newest first', 'GET /settlements responded 403'],
    ],
  ],
  [
    'tells the oldest period first',
    {
      on: /settlements.limit=100 /,
      answer: (text) =>
        rewritten(text, ({ settlements = [] }) => ({ settlements: settlements.toReversed() })),
    },
    [['lists the newest first', 'GET /settlements: not sorted by period_start']],
  ],
  [
    'does not say when a period began',
    { on: /settlements.limit=100 /, answer: (text) => text.replaceAll('period_start', 'began') },
    [['lists the newest first', 'GET /settlements: an entry has no period_start']],
  ],
  [
    'tells the oldest delivery first',
    {
      on: /deliveries.limit=100 /,
      answer: (text) =>
        rewritten(text, ({ deliveries = [] }) => ({ deliveries: deliveries.toReversed() })),
    },
    [['lists the newest first', 'deliveries: not sorted by at']],
  ],
]

test.each(Object.entries(FLAWED))(
  '%s: fails every flaw of a service that has several',
  async (group, flaws) => {
    expect(await missed(group, await service.partner(), flaws)).toEqual([])
  },
  120_000,
)

test('lists: fails those that are hidden or turned round, and skips those of other scopes', async () => {
  const own = await service.partner({ scopes: ['search', 'buy', 'webhook'] })
  const { url } = await startReceiver()
  must(await own.put('/api/partner/webhooks', { url, secret: 'a-secret-of-16-or-more' }), 200)
  const deliveries = async () => (await own.get('/api/partner/webhooks/deliveries')).body.deliveries
  for (const count of [1, 2]) {
    const { public_id } = await sold(own, await freshName(service))
    await operate(service, public_id, 'start', 'complete')
    must(await own.post('/sandbox/settlement-runs'), 201)
    // All that is delivered at once is of one time.
    must(await own.post('/api/partner/webhooks/test'), 202)
    await expect
      .poll(
        async () =>
          (await deliveries()).filter(({ type }: { type: string }) => type === 'webhook.test'),
        { timeout: 20_000 },
      )
      .toHaveLength(count)
  }
  const { failed, checks } = await verdict(['--only', 'lists'], own)
  expect(failed).toEqual([])
  const skipped = checks.filter(({ outcome }) => outcome === 'skipped')
  expect(skipped.map(({ title }) => title)).toEqual([
    'answers each list with its plural and next_cursor',
    'rejects a cursor that it did not give: 400 invalid_cursor',
    'lists the newest first',
    'pages through each list by cursor, each entry once',
    LIMITS,
    'gives statements and payouts all their fields',
    'adds the totals up over the whole filter, not the page',
  ])
  expect(skipped[0]?.reason).toContain('/transactions, /payouts, /brokerage, /links, /me/sales')
  for (const flaw of HIDDEN) expect(await missed('lists', own, [flaw])).toEqual([])
}, 240_000)

/** Which of the checks that flaws must fail did not say so. */
async function missed(group: string, own: PartnerClient, flaws: Flaw[]): Promise<string[]> {
  const { checks, code } = await brokenVerdict(
    group,
    own,
    flaws.map(([, change]) => change),
  )
  expect(code).toBe(1)
  return flaws.flatMap(([what, , wanted]) =>
    wanted.flatMap(([title, reason = '']) => {
      const found = checks.find((check) => check.title === title)
      if (found?.outcome === 'failed' && found.reason?.includes(reason)) return []
      return `${what}: ${title}: ${found?.outcome} ${found?.reason}`
    }),
  )
}

/** What the kit says of a service that breaks rules. */
async function brokenVerdict(
  group: string,
  own: PartnerClient,
  changes: Change[],
  limited?: Record<string, string>,
) {
  const proxy = await brokenProxy(own, changes)
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const found = await verdict(['--only', group], own, address, limited ?? (await limitedOf(own)))
  proxy.closeAllConnections()
  proxy.close()
  return found
}

interface Change {
  /** The requests that it breaks, by method, path and body; all without it. */
  on?: RegExp
  /** Which of them it rejects, for a second. */
  reject?(): boolean
  /** Leaves a header field out of its responses. */
  drop?: string
  /** Signs anew whatever comes, so that the service behind believes it. */
  resign?: boolean
  /** Only what was rightly signed. */
  onlyValid?: boolean
  /** Takes another Idempotency-Key for the one that came. */
  rekey?(key: string, body: Buffer): string
  /** Header fields of its responses. */
  set?: Record<string, string>
  /** Delivers otherwise than the service does. */
  delivers?: { method?: string; type?: string }
  /** Takes a signature in upper-case hex for one in lower case. */
  lowers?: boolean
  /** Reads another address than was asked for. */
  url?(url: string): string
  /** Which statuses it returns instead of others. */
  turns?: Record<number, number>
  answer?(text: string): string
}

/** Stands in front of the service, and makes it one that breaks a rule. */
async function brokenProxy(who: PartnerClient, broken: Change[]): Promise<Server> {
  const { hostname, port } = new URL(service.baseUrl)
  const server = createServer(async (incoming, outgoing) => {
    let body = await bodyOf(incoming)
    const headers = { ...incoming.headers }
    const { method = 'GET', url: asked = '/' } = incoming
    const said = `${method} ${asked} ${body.toString()}`
    const change = broken.find(({ on }) => on?.test(said) ?? true) ?? {}
    const url = change.url?.(asked) ?? asked
    if (change.reject?.()) {
      outgoing.writeHead(429, { 'retry-after': '1' }).end()
      return
    }
    const signature = headers['x-service-signature']
    const isSigned = signature !== undefined
    if (change.lowers && isSigned) {
      headers['x-service-signature'] = String(signature).toLowerCase()
    }
    if (url !== asked) Object.assign(headers, who.sign(method, url, body.toString()))
    if (change.resign && isSigned && (!change.onlyValid || isValid(who, incoming, body))) {
      Object.assign(headers, who.sign(method, url, body.toString()))
    }
    const key = String(headers['idempotency-key'] ?? '')
    if (change.rekey && key) {
      Object.assign(headers, { 'idempotency-key': change.rekey(key, body) })
      if (isSigned) Object.assign(headers, who.sign(method, url, body.toString()))
    }
    if (change.delivers) {
      body = Buffer.from(
        JSON.stringify(await relayed(JSON.parse(body.toString()), change.delivers)),
      )
      delete headers['content-length']
      Object.assign(headers, who.sign(method, url, body.toString()))
    }
    const forwarded = request({ hostname, port, method, path: url, headers }, async (response) => {
      const text = (await bodyOf(response)).toString()
      const given = change.answer ? change.answer(text) : text
      const { 'content-length': _length, ...rest } = response.headers
      if (change.drop) delete rest[change.drop]
      Object.assign(rest, change.set)
      const { statusCode: status = 502 } = response
      outgoing.writeHead(change.turns?.[status] ?? status, rest).end(given)
    })
    forwarded.on('error', () => outgoing.destroy())
    forwarded.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** An endpoint of the proxy's own in place of another, which it delivers to otherwise. */
async function relayed(
  endpoint: { url: string },
  { method = 'POST', type = 'application/json' }: { method?: string; type?: string },
) {
  const relay = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming)
    const headers = { ...incoming.headers, 'content-type': type }
    const forwarded = request(endpoint.url, { method, headers }, (response) => {
      response.resume()
      outgoing.writeHead(response.statusCode ?? 502).end()
    })
    forwarded.on('error', () => outgoing.destroy())
    forwarded.end(body)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  relays.push(relay)
  return { ...endpoint, url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/` }
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
