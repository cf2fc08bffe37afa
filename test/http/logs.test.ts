import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/db/server.ts'
import { PartnerClient } from '../support/client.ts'
import { orderBody, quote } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const BUYER = 'someone.private@example.com'
const BUYER_NAME = 'Someone Private'
const PARTNER_EMAIL = 'partner.private@example.com'
const WEBHOOK_SECRET = 'a-webhook-secret-of-this-test'

let service: TestService
let receiver: Server
const received: IncomingMessage[] = []
/** Everything that must not stand in any log line, by what it is. */
const secrets = new Map<string, string>()

/** One run of everything that touches a secret, in success and in failure. */
beforeAll(async () => {
  service = await startService()
  receiver = createServer((request, response) => {
    received.push(request)
    request.resume()
    response.writeHead(received.length === 1 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve)
  })
  const { port } = receiver.address() as AddressInfo

  const account = await service.admin('POST', '/partners', { name: 'Test', email: PARTNER_EMAIL })
  const partner = await service.partner({ partner_id: account.body.partner_id })
  secrets.set('the secret', partner.credential.secret)
  const url = `http://127.0.0.1:${port}/hook?token=url-token-of-this-test`
  await partner.put('/api/partner/webhooks', { url, secret: WEBHOOK_SECRET })

  const held = await quote(partner, 'petpantry.test')
  secrets.set('the quote token', held.quote_token)
  secrets.set("the quote token's signature", held.quote_token.split('.')[2])
  await partner.get(`/quotes/${held.quote_token}`)
  await partner.get(`/domains/search?q=${encodeURIComponent(BUYER)}`)
  const signed = partner.sign('GET', '/api/partner/v1/orders', '')
  secrets.set('the nonce', signed['x-service-nonce'] ?? '')
  secrets.set('the signature', signed['x-service-signature']?.slice(3) ?? '')
  await partner.get('/orders', { headers: signed })
  await partner.get('/orders', { headers: signed })

  const key = 'an-idempotency-key-of-this-test'
  secrets.set('the idempotency key', key)
  const buyer = { email: BUYER, name: BUYER_NAME, country: 'DE' }
  const body = orderBody(held, { buyer, external_payment_ref: 'pay-private-1' })
  const order = await partner.post('/orders', { ...body, quote_id: held.quote_token }, { key })
  expect(order.status, order.text).toBe(201)
  await partner.post('/orders', { ...body, buyer: { email: `${BUYER} ` } })
  await partner.post('/orders', body)
  await partner.post('/refunds', { public_id: order.body.public_id, note: BUYER_NAME })

  const path = `/credentials/${partner.credential.key_id}/rotate`
  const rotated = await service.admin('POST', path, { overlap_seconds: 60 })
  secrets.set('the new secret', rotated.body.secret)
  const fresh = new PartnerClient(service.baseUrl, service.clock.now, rotated.body)
  expect((await fresh.get('/orders')).status).toBe(200)
  await fresh.get('/orders', { canonical: () => 'something else' })
  await service.send({
    method: 'GET',
    target: '/metrics?token=none',
    headers: admin(`${ADMIN_TOKEN}x`),
  })
  await service.send({ method: 'GET', target: '/metrics', headers: admin(ADMIN_TOKEN) })
  await service.send({ method: 'GET', target: `/nothing/${held.quote_token}?e=${BUYER}` })
  await service.send({ method: 'GET', target: `/%zz/${held.quote_token}?e=${BUYER}` })

  // An error that comes from the database, which quotes the row in what it says.
  await sql`alter table orders add constraint no_more check (public_id = '') not valid`.execute(
    service.app.db,
  )
  const next = await quote(fresh, 'getdogstore.test')
  const failed = await fresh.post('/orders', orderBody(next, { buyer }))
  expect(failed.status, failed.text).toBe(500)

  await vi.waitFor(() => expect(received.length).toBeGreaterThan(1), { timeout: 15_000 })
  for (const [index, { headers }] of received.entries()) {
    secrets.set(`webhook signature ${index}`, String(headers['x-service-signature']))
    secrets.set(`standard webhook signature ${index}`, String(headers['webhook-signature']))
  }
  secrets.set('the webhook secret', WEBHOOK_SECRET)
  secrets.set("the webhook address's token", 'url-token-of-this-test')
  secrets.set("the buyer's e-mail", BUYER)
  secrets.set("the buyer's e-mail, escaped", encodeURIComponent(BUYER))
  secrets.set("the buyer's name", BUYER_NAME)
  secrets.set("the partner's e-mail", PARTNER_EMAIL)
  secrets.set('the payment reference', 'pay-private-1')
  secrets.set('the admin token', ADMIN_TOKEN)
  secrets.set('the secrets key', Buffer.alloc(32, 7).toString('base64'))
})
afterAll(async () => {
  receiver.close()
  await service.stop()
})

const admin = (token: string) => ({ authorization: `Bearer ${token}` })

describe('the log', () => {
  test('holds no secret, no signature, no token and no person', () => {
    const log = service.logs.join('').toLowerCase()
    expect(service.logs.length).toBeGreaterThan(20)
    for (const [what, secret] of secrets) {
      expect(secret.length, what).toBeGreaterThan(8)
      expect(log.includes(secret.toLowerCase()), what).toBe(false)
    }
  })

  test('says who asked for what and what came of it, a line for each request', () => {
    const lines = service.logs.map((line) => JSON.parse(line))
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.map(({ route, status }) => `${status} ${route}`)).toEqual(
      expect.arrayContaining([
        '200 /api/partner/v1/quotes/:quote_id',
        '201 /api/partner/v1/orders',
        '401 /api/partner/v1/orders',
        '500 /api/partner/v1/orders',
        '404 null',
        '400 null',
      ]),
    )
    for (const { request_id, ms } of requests) {
      expect(request_id).toMatch(/^req_\w+$/)
      expect(ms).toEqual(expect.any(Number))
    }
    expect(new Set(requests.map(({ request_id }) => request_id)).size).toBe(requests.length)
  })
})

describe('what monitors ask', () => {
  let monitored: TestService
  beforeAll(async () => {
    monitored = await startService()
  })
  afterAll(() => monitored.stop())

  const ask = (target: string) => monitored.send({ method: 'GET', target })
  const lines = () => monitored.logs.map((line) => JSON.parse(line))

  test('says once that the database is away, below an error, and once that it is back', async () => {
    const before = monitored.logs.length
    const away = () => Promise.reject(new DatabaseUnavailable(new Error('on purpose')))
    const spy = vi.spyOn(monitored.app.server, 'query').mockImplementation(away)
    for (let tries = 0; tries < 3; tries++) expect((await ask('/health/ready')).status).toBe(503)
    spy.mockRestore()
    for (let tries = 0; tries < 2; tries++) expect((await ask('/health/ready')).status).toBe(200)
    const said = lines()
      .slice(before)
      .filter(({ request_id, msg }) => request_id !== undefined && msg !== 'request')
    expect(said).toMatchObject([
      { level: 40, msg: 'health: the database is away', err: { message: 'the database is away' } },
      { level: 30, msg: 'health: the database is back' },
    ])
  })
})
