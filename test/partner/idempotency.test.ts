import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventsOf, freshName, must, operate, refusal } from '../support/market.ts'
import { orderBody, quote, sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

const DAYS_MS = 24 * 3_600_000

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService({
    settings: { settlementSchedule: 'manual' },
  })
  partner = await service.partner()
})
afterAll(() => service.stop())

const REPLAYED = 'idempotent-replayed'

function expectReplay(again: Result, first: Result): void {
  expect(again.headers[REPLAYED]).toBe('true')
  expect(again.status).toBe(first.status)
  expect(again.text).toBe(first.text)
  expect(again.headers['content-type']).toBe(first.headers['content-type'])
}

async function newOrder(client = partner) {
  return orderBody(await quote(client, await freshName(service)))
}

describe('a repeat with the same key and body', () => {
  test('gets the same status and bytes, and takes no effect', async () => {
    const body = await newOrder()
    const key = randomUUID()
    const first = must(await partner.post('/orders', body, { key }), 201)
    expect(first.headers[REPLAYED]).toBeUndefined()
    const events = await eventsOf(partner)
    for (let time = 0; time < 3; time++) {
      expectReplay(await partner.post('/orders', body, { key }), first)
    }
    expect(await eventsOf(partner)).toEqual(events)
  })

  test('gets the first response though the order has moved on', async () => {
    const body = await newOrder()
    const key = randomUUID()
    const first = must(await partner.post('/orders', body, { key }), 201)
    await operate(service, first.body.public_id, 'start', 'complete')
    expectReplay(await partner.post('/orders', body, { key }), first)
  })

  test('has its own request id', async () => {
    const body = await newOrder()
    const key = randomUUID()
    const first = await partner.post('/orders', body, { key })
    const again = await partner.post('/orders', body, { key })
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  })

  test('comes from any credential of the partner in the environment', async () => {
    const second = await service.partner({ partner_id: partner.partner_id })
    const body = await newOrder()
    const key = randomUUID()
    const first = must(await partner.post('/orders', body, { key }), 201)
    expectReplay(await second.post('/orders', body, { key }), first)
  })

  test('is signed like any request: an unsigned one sees nothing', async () => {
    const body = await newOrder()
    const key = randomUUID()
    must(await partner.post('/orders', body, { key }), 201)
    const response = await partner.post('/orders', body, { key, canonical: () => 'wrong' })
    expect(refusal(response)).toEqual({ status: 401, code: 'invalid_signature' })
  })
})

describe('the same key with another body', () => {
  test('is a conflict, also when the body differs in a byte that means nothing', async () => {
    const body = await newOrder()
    const key = randomUUID()
    const text = JSON.stringify(body)
    const first = must(await partner.post('/orders', text, { key }), 201)
    for (const other of [`${text} `, text.replace('"domain"', ' "domain"'), '{}', '{', '']) {
      const response = await partner.post('/orders', other, { key })
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.headers[REPLAYED]).toBeUndefined()
    }
    expectReplay(await partner.post('/orders', text, { key }), first)
  })

  test('is a conflict before anything else that is wrong with it', async () => {
    const key = randomUUID()
    must(await partner.post('/orders', await newOrder(), { key }), 201)
    const unknown = orderBody({ domain: 'never-listed.test', price_cents: 1, quote_id: 'qt_1' })
    const response = await partner.post('/orders', unknown, { key })
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.message).toContain('Idempotency-Key')
  })
})

describe('a malformed key', () => {
  test.each([
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['beyond ASCII', 'schlüssel'],
    ['of 256 characters', 'k'.repeat(256)],
  ])('%s is a fault of the field Idempotency-Key, on every POST', async (_what, key) => {
    for (const [path, body] of [
      ['/orders', await newOrder()],
      ['/quotes', { domain: await freshName(service) }],
    ] as const) {
      const response = await partner.post(path, body, { key })
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details).toMatchObject([{ field: 'Idempotency-Key' }])
    }
  })

  test('twice in one request is malformed too', async () => {
    const response = await partner.post('/orders', await newOrder(), {
      key: null,
      headers: { 'idempotency-key': [randomUUID(), randomUUID()] },
    })
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
  })

  test.each(['k', 'k'.repeat(255), '!~"#$%&\'()*+,/:;<=>?@[]^`{|}'])(
    '%s is well-formed',
    async (key) => {
      const body = await newOrder()
      const first = must(await partner.post('/orders', body, { key }), 201)
      expectReplay(await partner.post('/orders', body, { key }), first)
    },
  )
})

describe('a rejection', () => {
  test('is not stored: the same key works once the cause is gone', async () => {
    const offered = await quote(partner, await freshName(service))
    const known = await sold(partner, await freshName(service))
    const key = randomUUID()
    const wrong = orderBody(offered, { external_payment_ref: known.external_payment_ref })
    expect((await partner.post('/orders', wrong, { key })).status).toBe(409)
    const right = orderBody(offered)
    const first = await partner.post('/orders', right, { key })
    expect(first.status).toBe(201)
    expect(first.headers[REPLAYED]).toBeUndefined()
  })

  test('of the same request is made anew each time', async () => {
    const domain = await freshName(service, 'live')
    const held = await quote(await service.partner({ environment: 'live' }), domain)
    const other = await service.partner({ environment: 'live' })
    const key = randomUUID()
    expect((await other.post('/quotes', { domain }, { key })).status).toBe(409)
    service.clock.advance(10 * 60_000)
    const first = await other.post('/quotes', { domain }, { key })
    expect(first.status).toBe(201)
    expect(first.body.quote_id).not.toBe(held.quote_id)
  })

  test('leaves nothing in the store of keys', async () => {
    const key = randomUUID()
    await partner.post('/orders', {}, { key })
    await partner.post('/quotes', { domain: 'never-listed.test' }, { key })
    const stored = await service.app.db
      .selectFrom('idempotency_keys')
      .select('key')
      .where('key', '=', key)
      .execute()
    expect(stored).toEqual([])
  })
})

describe('every other POST honours the key', () => {
  test('POST /quotes', async () => {
    const key = randomUUID()
    const body = { domain: await freshName(service) }
    const first = must(await partner.post('/quotes', body, { key }), 201)
    must(await partner.delete(`/quotes/${first.body.quote_id}`), 200)
    expectReplay(await partner.post('/quotes', body, { key }), first)
  })

  test('POST /refunds', async () => {
    const { public_id } = await sold(partner, await freshName(service))
    const key = randomUUID()
    const first = must(await partner.post('/refunds', { public_id }, { key }), 201)
    expectReplay(await partner.post('/refunds', { public_id }, { key }), first)
    expect(refusal(await partner.post('/refunds', { public_id })).status).toBe(409)
  })

  test("the sandbox's moves, run and reset", async () => {
    const client = await service.partner()
    const { public_id } = await sold(client, await freshName(service))
    for (const [path, status] of [
      [`/sandbox/orders/${public_id}/start-transfer`, 200],
      [`/sandbox/orders/${public_id}/complete-transfer`, 200],
      ['/sandbox/settlement-runs', 201],
      ['/sandbox/reset', 200],
    ] as const) {
      const key = randomUUID()
      const first = must(await client.post(path, {}, { key }), status)
      expectReplay(await client.post(path, {}, { key }), first)
    }
  })

  test('and no PUT, which says what is to be', async () => {
    const client = await service.partner()
    const key = randomUUID()
    for (const url of ['http://127.0.0.1:4000/one', 'http://127.0.0.1:4000/two']) {
      const body = { url, secret: 'a secret of the webhook' }
      const response = must(await client.put('/api/partner/webhooks', body, { key }), 200)
      expect(response.body.url).toBe(url)
    }
  })

  test("but the operator's, whose stored responses would hold secrets", async () => {
    const { partner_id } = await service.partner()
    const response = await service.send({
      method: 'POST',
      target: `/api/admin/v1/partners/${partner_id}/credentials`,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ environment: 'sandbox', scopes: ['search'] }),
    })
    const { secret } = must(response, 201).body
    const stored = await service.app.db.selectFrom('idempotency_keys').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(secret)
    expect(stored.filter(({ path }) => path.includes('/admin/'))).toEqual([])
  })

  test('with a response that is sealed where it is kept, as links in it open what they lead to', async () => {
    const key = randomUUID()
    const body = {
      domain: 'sealed-idea.com',
      tier: 'managed',
      buyer_email: 'buyer@example.com',
      budget: 90_000,
    }
    const first = must(await partner.post('/brokerage', body, { key }), 201)
    expect(first.body.progress_url).toBeTruthy()
    const again = must(await partner.post('/brokerage', body, { key }), 201)
    expect(again.headers[REPLAYED]).toBe('true')
    expect(again.text).toBe(first.text)
    const { db } = service.app
    const ofKey = db.selectFrom('idempotency_keys').selectAll().where('key', '=', key)
    expect((await ofKey.executeTakeFirstOrThrow()).body).not.toMatch(/progress|http/)
    const sealedWithAnother = createSecretBox(randomBytes(32)).sealToken(
      first.text,
      'stored answer',
    )
    const keep = (text: string) =>
      db.updateTable('idempotency_keys').set({ body: text }).where('key', '=', key).execute()
    await keep(sealedWithAnother)
    const lost = must(await partner.post('/brokerage', body, { key }), 409)
    expect(lost.body.error).toMatchObject({ code: 'conflict' })
    // As it was stored before it was sealed.
    await keep(first.text)
    expect(must(await partner.post('/brokerage', body, { key }), 201).text).toBe(first.text)
  })

  test('and works without one', async () => {
    const body = { domain: await freshName(service) }
    const first = must(await partner.post('/quotes', body, { key: null }), 201)
    const again = must(await partner.post('/quotes', body, { key: null }), 201)
    expect(again.headers[REPLAYED]).toBeUndefined()
    expect(again.body.quote_id).toBe(first.body.quote_id)
  })
})

describe('keys that do not meet', () => {
  test('those of two partners', async () => {
    const other = await service.partner()
    const key = randomUUID()
    must(await partner.post('/orders', await newOrder(), { key }), 201)
    const response = await other.post('/orders', await newOrder(other), { key })
    expect(response.status).toBe(201)
    expect(response.headers[REPLAYED]).toBeUndefined()
  })

  test('those of two environments', async () => {
    const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
    const key = randomUUID()
    must(await partner.post('/orders', await newOrder(), { key }), 201)
    const domain = await freshName(service, 'live')
    const response = await live.post('/orders', orderBody(await quote(live, domain)), { key })
    expect(response.status).toBe(201)
    expect(response.headers[REPLAYED]).toBeUndefined()
  })

  test('those of two paths', async () => {
    const client = await service.partner()
    const key = randomUUID()
    const orders = [
      await sold(client, await freshName(service)),
      await sold(client, await freshName(service)),
    ]
    must(await client.post('/quotes', { domain: await freshName(service) }, { key }), 201)
    for (const { public_id } of orders) {
      const path = `/sandbox/orders/${public_id}/start-transfer`
      const response = must(await client.post(path, {}, { key }), 200)
      expect(response.headers[REPLAYED]).toBeUndefined()
      expect(response.body.public_id).toBe(public_id)
    }
  })
})

describe('a key is kept by the clock', () => {
  test('for thirty days, and is new again in the end', async () => {
    const body = { domain: await freshName(service) }
    const key = randomUUID()
    const first = must(await partner.post('/quotes', body, { key }), 201)
    service.clock.advance(30 * DAYS_MS)
    expectReplay(await partner.post('/quotes', body, { key }), first)
    service.clock.advance(2 * DAYS_MS)
    const later = must(await partner.post('/quotes', body, { key }), 201)
    expect(later.headers[REPLAYED]).toBeUndefined()
    expect(later.body.quote_id).not.toBe(first.body.quote_id)
    expectReplay(await partner.post('/quotes', body, { key }), later)
  })
})

test('a repeat that comes after a reset of the sandbox is a new request', async () => {
  const client = await service.partner()
  const key = randomUUID()
  const body = { domain: await freshName(service) }
  const first = must(await client.post('/quotes', body, { key }), 201)
  must(await client.post('/sandbox/reset'), 200)
  const again = must(await client.post('/quotes', body, { key }), 201)
  expect(again.body.quote_id).not.toBe(first.body.quote_id)
})
