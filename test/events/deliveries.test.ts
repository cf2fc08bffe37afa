import { randomBytes } from 'node:crypto'
import { createGuardedHttp } from 'domain-marketplace-safe-fetch'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import {
  closeReceivers,
  eventually,
  pause,
  type Receiver,
  startReceiver,
} from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'
import { hmac } from './verify.ts'

const PATH = '/api/partner/webhooks'
const SECRET = 'a secret with ümlauts and spaces'
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** Longer than the service takes to look for what is due. */
const LOOKED_MS = 700

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

/** A partner whose receiver responds so. */
async function subscriber(
  how: Parameters<typeof startReceiver>[0] = 200,
  secret = SECRET,
): Promise<{ client: PartnerClient; receiver: Receiver }> {
  const client = await service.partner()
  const receiver = await startReceiver(how)
  const { status } = await client.put(PATH, { url: receiver.url, secret })
  expect(status).toBe(200)
  return { client, receiver }
}

interface IdempotentRequest {
  id: string
  event_id: string
  attempt: number
  response_status: number | null
  error: string | null
  at: string
}

/** The attempts written down, the first one first, once there are so many. */
async function attempts(client: PartnerClient, count: number) {
  let found: IdempotentRequest[] = []
  await eventually(
    async () => {
      found = (await client.get(`${PATH}/deliveries?limit=100`)).body.deliveries
      return found.length >= count
    },
    4_000,
    () => `${found.length} of ${count} attempts`,
  )
  expect(found).toHaveLength(count)
  return found.toReversed()
}

async function pending(client: PartnerClient) {
  return await service.app.db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_endpoints as w', 'w.id', 'd.endpoint_id')
    .select(['d.due_at', 'd.status', 'd.attempts'])
    .where('w.partner_id', '=', client.partner_id)
    .orderBy('d.id')
    .execute()
}

describe('a delivery', () => {
  test('posts id, type, created_at, partner_id and data, in this order', async () => {
    const { client, receiver } = await subscriber()
    const order = await sold(client, 'petpantry.test')
    const { body, event, headers } = await receiver.until(1)
    expect(headers['content-type']).toBe('application/json')
    expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'partner_id', 'data'])
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: 'order.recorded',
      created_at: order.created_at,
      partner_id: client.partner_id,
      data: {
        order: {
          public_id: order.public_id,
          domain: 'petpantry.test',
          status: 'EXTERNALLY_PAID',
          sale_price_cents: order.sale_price_cents,
          currency: 'USD',
        },
      },
    })
    expect(Object.keys(event.data.order)).toEqual([
      'public_id',
      'domain',
      'status',
      'sale_price_cents',
      'currency',
    ])
    expect(body).toBe(JSON.stringify(event))
  })

  test('of the history is what the history shows', async () => {
    const { client, receiver } = await subscriber()
    await sold(client, 'getdogstore.test')
    const { event } = await receiver.until(1)
    const { events } = (await client.get('/events')).body
    const { partner_id: _, ...shown } = event
    expect(events).toEqual([shown])
  })

  test('carries the hex HMAC of its raw body, without a prefix', async () => {
    const { client, receiver } = await subscriber()
    await client.post(`${PATH}/test`)
    const { headers, body } = await receiver.until(1)
    expect(headers['x-service-signature']).toBe(hmac(SECRET, body))
    expect(headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/)
  })

  test('verifies as a Standard Webhook with a plain secret', async () => {
    const { client, receiver } = await subscriber()
    await client.post(`${PATH}/test`)
    const { headers, body, event } = await receiver.until(1)
    const webhook = new Webhook(new TextEncoder().encode(SECRET), { format: 'raw' })
    expect(webhook.verify(body, headers as Record<string, string>)).toEqual(event)
    expect(headers['webhook-id']).toBe(event.id)
    expect(() => webhook.verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  test('verifies as a Standard Webhook with a whsec_ secret', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const { client, receiver } = await subscriber(200, secret)
    await client.post(`${PATH}/test`)
    const { headers, body, event } = await receiver.until(1)
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event)
    expect(headers['x-service-signature']).toBe(hmac(secret, body))
  })

  test.each([200, 201, 202, 204, 299])('is done with a response of %i', async (status) => {
    const { client, receiver } = await subscriber(status)
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    const [idempotency] = await attempts(client, 1)
    expect(idempotency).toMatchObject({ attempt: 1, response_status: status, error: null })
    expect(await pending(client)).toMatchObject([{ status: 'delivered' }])
  })

  test.each([301, 302, 307, 308])('fails with %i and is not sent elsewhere', async (status) => {
    const elsewhere = await startReceiver()
    const { client, receiver } = await subscriber((response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    )
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    const [idempotency] = await attempts(client, 1)
    expect(idempotency).toMatchObject({ response_status: status, error: expect.any(String) })
    expect(elsewhere.got).toHaveLength(0)
    expect(await pending(client)).toMatchObject([{ status: 'pending', attempts: 1 }])
  })

  test.each([400, 404, 429, 500, 503])('fails with %i and is retried', async (status) => {
    const { client, receiver } = await subscriber(status)
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    expect(await attempts(client, 1)).toMatchObject([{ response_status: status }])
    expect(await pending(client)).toMatchObject([{ status: 'pending', attempts: 1 }])
  })

  test.each<[string, number, string | Buffer, string | null]>([
    ['short', 200, 'thank you', 'thank you'],
    ['of a failure', 500, '{"error":"no"}', '{"error":"no"}'],
    ['empty', 204, '', null],
    ['long', 200, `${'x'.repeat(1_023)}é and more`, 'x'.repeat(1_023)],
    ['no text', 400, Buffer.from([0x61, 0x00, 0xff, 0x62]), 'a\ufffd\ufffdb'],
  ])('keeps how its answer began: %s', async (_name, status, result, kept) => {
    const { client, receiver } = await subscriber((response) =>
      response.writeHead(status).end(result),
    )
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    expect(await attempts(client, 1)).toMatchObject([
      { response_status: status, response_body: kept },
    ])
  })

  test('is done though its response never ends, or breaks off', async () => {
    for (const { how, kept } of [
      { how: 'endless', kept: 'x'.repeat(1_024) },
      { how: 'broken', kept: expect.toSatisfy((text) => text === null || text === 'x') },
    ]) {
      const { client, receiver } = await subscriber((response) => {
        response.writeHead(200, { 'content-length': 1e9 })
        if (how === 'broken') return response.write('x', () => response.destroy())
        const more = () => {
          while (!response.closed && response.write('x'.repeat(65_536)));
        }
        return response.on('drain', more) && more()
      })
      await client.post(`${PATH}/test`)
      await receiver.until(1)
      expect(await attempts(client, 1)).toMatchObject([
        { response_status: 200, error: null, response_body: kept },
      ])
      expect(await pending(client)).toMatchObject([{ status: 'delivered' }])
    }
  })

  test('fails when nobody listens, and says how', async () => {
    const client = await service.partner()
    await client.put(PATH, { url: 'http://127.0.0.1:1/hook', secret: SECRET })
    await client.post(`${PATH}/test`)
    expect(await attempts(client, 1)).toMatchObject([
      {
        response_status: null,
        response_body: null,
        error: expect.stringContaining('ECONNREFUSED'),
      },
    ])
  })

  test('is given 5 seconds', async () => {
    const { client, receiver } = await subscriber((response) =>
      setTimeout(() => response.writeHead(200).end(), 5_600),
    )
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    await pause(4_500)
    expect((await client.get(`${PATH}/deliveries`)).body.deliveries).toEqual([])
    const [idempotency] = await attempts(client, 1)
    expect(idempotency).toMatchObject({ response_status: null, error: 'no response within 5 s' })
  })
})

describe('a retry', () => {
  test('comes nine times, later and later, each 20 % more or less', {
    timeout: 40_000,
  }, async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    const first = await receiver.until(1)
    for (const [index, delay] of DELAYS.entries()) {
      const made = (await attempts(client, index + 1)).at(-1)
      const [delivery] = await pending(client)
      const waits = Number(delivery?.due_at) - Date.parse(made?.at ?? '')
      expect(waits).toBeGreaterThanOrEqual(0.8 * delay)
      expect(waits).toBeLessThanOrEqual(1.2 * delay)

      const left = () => Number(delivery?.due_at) - service.clock.now().getTime()
      service.clock.advance(left() - 2 * SECOND)
      if (index < 3) {
        await pause(LOOKED_MS)
        expect(receiver.got).toHaveLength(index + 1)
      }
      service.clock.advance(left())
      const again = await receiver.until(index + 2)
      expect(again.body).toBe(first.body)
      expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
      expect(again.headers['x-service-signature']).toBe(first.headers['x-service-signature'])
    }
    expect(receiver.got).toHaveLength(10)
    const all = await attempts(client, 10)
    expect(all.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(1)

    expect(await pending(client)).toMatchObject([{ status: 'failed' }])
    service.clock.advance(2 * DAY)
    await pause(LOOKED_MS)
    expect(receiver.got).toHaveLength(10)
  })

  test('spreads its waits, so that failures that came together do not return together', async () => {
    const { client } = await subscriber(500)
    for (let sent = 0; sent < 4; sent++) await client.post(`${PATH}/test`)
    const made = await attempts(client, 4)
    const due = await pending(client)
    const waits = due.map(({ due_at }, index) => Number(due_at) - Date.parse(made[index]?.at ?? ''))
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(20)
  })

  test('signs anew with its own timestamp, over the same bytes', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    const first = await receiver.until(1)
    await attempts(client, 1)
    service.clock.advance(6 * SECOND)
    const second = await receiver.until(2)
    expect(second.body).toBe(first.body)
    const timestamps = [first, second].map(({ headers }) => Number(headers['webhook-timestamp']))
    expect((timestamps[1] ?? 0) - (timestamps[0] ?? 0)).toBeGreaterThanOrEqual(4)
    const webhook = new Webhook(new TextEncoder().encode(SECRET), { format: 'raw' })
    for (const { headers, body } of [first, second]) {
      const moment = new Date(Number(headers['webhook-timestamp']) * SECOND)
      expect(headers['webhook-signature']).toBe(
        webhook.sign(String(headers['webhook-id']), moment, body),
      )
    }
  })

  test.each([
    ['seconds', () => '7200'],
    ['a date', () => new Date(service.clock.now().getTime() + 2 * HOUR).toUTCString()],
  ])('waits as long as Retry-After says, in %s', async (_form, value) => {
    const { client, receiver } = await subscriber((response) =>
      response.writeHead(503, { 'retry-after': value() }).end(),
    )
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    const [made] = await attempts(client, 1)
    const [delivery] = await pending(client)
    const waits = Number(delivery?.due_at) - Date.parse(made?.at ?? '')
    expect(waits).toBeGreaterThan(2 * HOUR - 2 * SECOND)
    expect(waits).toBeLessThan(2 * HOUR + 2 * SECOND)
    receiver.answer(200)
    service.clock.advance(HOUR)
    await pause(LOOKED_MS)
    expect(receiver.got).toHaveLength(1)
    service.clock.advance(HOUR + SECOND)
    await receiver.until(2)
  })

  test.each(['0', '-5', 'soon', ''])('takes a Retry-After of "%s" for nothing', async (value) => {
    const { client, receiver } = await subscriber((response) =>
      response.writeHead(503, { 'retry-after': value }).end(),
    )
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    const [made] = await attempts(client, 1)
    const [delivery] = await pending(client)
    const waits = Number(delivery?.due_at) - Date.parse(made?.at ?? '')
    expect(waits).toBeGreaterThanOrEqual(4 * SECOND)
    expect(waits).toBeLessThanOrEqual(6 * SECOND)
  })

  test('goes to the address that is registered by then', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    const first = await receiver.until(1)
    await attempts(client, 1)
    const moved = await startReceiver()
    await client.put(PATH, { url: moved.url, secret: SECRET })
    service.clock.advance(7 * SECOND)
    expect((await moved.until(1)).body).toBe(first.body)
  })
})

describe('an endpoint', () => {
  test('that responds with 410 is switched off, and nothing more is sent', async () => {
    const { client, receiver } = await subscriber(410)
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    await eventually(async () => (await client.get(PATH)).body.active === false)
    expect((await client.get(PATH)).body.inactive_reason).toContain('410')
    service.clock.advance(DAY)
    await sold(client, 'manual-review.example')
    await pause(LOOKED_MS)
    expect(receiver.got).toHaveLength(1)

    const tried = await client.post(`${PATH}/test`)
    expect(tried.status).toBe(409)
    const [idempotency] = await attempts(client, 1)
    const resent = await client.post(`${PATH}/deliveries/${idempotency?.id}/resend`)
    expect(resent.status).toBe(409)
  })

  test('that responds with 410 to many deliveries at once is off all the same', async () => {
    const waiting: (() => void)[] = []
    const { client, receiver } = await subscriber((response) => {
      waiting.push(() => response.writeHead(410).end())
    })
    for (let sent = 0; sent < 8; sent++) await client.post(`${PATH}/test`)
    await receiver.until(8)
    for (const answer of waiting) answer()
    await attempts(client, 8)
    expect((await client.get(PATH)).body.active).toBe(false)
    expect((await pending(client)).filter(({ status }) => status === 'pending')).toEqual([])
    expect(service.logs.join('')).not.toContain('an attempt was lost')
  })

  test('is on again once it is registered again', async () => {
    const { client, receiver } = await subscriber(410)
    await client.post(`${PATH}/test`)
    await eventually(async () => (await client.get(PATH)).body.active === false)
    receiver.answer(200)
    const again = await client.put(PATH, { url: receiver.url, secret: SECRET })
    expect(again.body).toMatchObject({ active: true, inactive_reason: null })
    await client.post(`${PATH}/test`)
    await receiver.until(2)
    expect((await attempts(client, 2)).at(-1)).toMatchObject({ response_status: 200 })
  })

  test('that fails for five days is switched off', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    await attempts(client, 1)
    service.clock.advance(5 * DAY - MINUTE)
    await receiver.until(2)
    await attempts(client, 2)
    expect((await client.get(PATH)).body.active).toBe(true)
    service.clock.advance(10 * MINUTE)
    await receiver.until(3)
    await attempts(client, 3)
    expect((await client.get(PATH)).body).toMatchObject({
      active: false,
      inactive_reason: expect.stringContaining('5 days'),
    })
    service.clock.advance(5 * DAY)
    await pause(LOOKED_MS)
    expect(receiver.got).toHaveLength(3)
  })

  test('counts its five days anew after a success', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    await attempts(client, 1)
    receiver.answer(200)
    service.clock.advance(3 * DAY)
    await attempts(client, 2)
    receiver.answer(500)
    service.clock.advance(3 * DAY)
    await client.post(`${PATH}/test`)
    await attempts(client, 3)
    expect((await client.get(PATH)).body.active).toBe(true)
  })

  test('counts its five days anew where nothing was tried again', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    await attempts(client, 1)
    // One more, and the delivery has failed for good.
    await service.app.db
      .updateTable('webhook_deliveries')
      .set({ attempts: 9 })
      .where('endpoint_id', 'in', (db) =>
        db.selectFrom('webhook_endpoints').select('id').where('url', '=', receiver.url),
      )
      .execute()
    service.clock.advance(DAY)
    await attempts(client, 2)
    service.clock.advance(10 * DAY)
    await client.post(`${PATH}/test`)
    await attempts(client, 3)
    expect((await client.get(PATH)).body.active).toBe(true)
    receiver.answer(200)
    service.clock.advance(MINUTE)
    expect((await attempts(client, 4)).at(-1)).toMatchObject({ response_status: 200 })
  })

  test('counts its five days anew after it was registered again', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    await attempts(client, 1)
    service.clock.advance(3 * DAY)
    await attempts(client, 2)
    await client.put(PATH, { url: receiver.url, secret: SECRET })
    service.clock.advance(3 * DAY)
    await attempts(client, 3)
    expect((await client.get(PATH)).body.active).toBe(true)
  })
})

describe('GET /api/partner/webhooks/deliveries', () => {
  test('lists attempts, newest first, in pages and by event', async () => {
    const { client, receiver } = await subscriber()
    for (let sent = 1; sent <= 5; sent++) {
      await client.post(`${PATH}/test`)
      await receiver.until(sent)
      await attempts(client, sent)
    }
    const ids = receiver.got.map(({ event }) => event.id).toReversed()
    const all = (await client.get(`${PATH}/deliveries`)).body
    expect(all.next_cursor).toBeNull()
    expect(all.deliveries.map((one: { event_id: string }) => one.event_id)).toEqual(ids)
    expect(all.deliveries[0]).toMatchObject({
      id: expect.any(String),
      event_id: ids[0],
      type: 'webhook.test',
      attempt: 1,
      response_status: 200,
      error: null,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })

    const paged: string[] = []
    let cursor = ''
    do {
      const { deliveries, next_cursor } = (
        await client.get(`${PATH}/deliveries?${cursor && `cursor=${cursor}&`}limit=2`)
      ).body
      paged.push(...deliveries.map((one: { event_id: string }) => one.event_id))
      cursor = next_cursor ?? ''
    } while (cursor)
    expect(paged).toEqual(ids)

    const one = (await client.get(`${PATH}/deliveries?event_id=${ids[2]}`)).body
    expect(one.deliveries.map(({ event_id }: { event_id: string }) => event_id)).toEqual([ids[2]])
    const none = (await client.get(`${PATH}/deliveries?event_id=evt_none`)).body
    expect(none).toEqual({ deliveries: [], next_cursor: null })
  })

  test('rejects a cursor of other filters, and limits out of bounds', async () => {
    const { client, receiver } = await subscriber()
    await client.post(`${PATH}/test`)
    await client.post(`${PATH}/test`)
    await receiver.until(2)
    await attempts(client, 2)
    const { next_cursor } = (await client.get(`${PATH}/deliveries?limit=1`)).body
    const event = receiver.got[0]?.event.id
    const moved = await client.get(`${PATH}/deliveries?cursor=${next_cursor}&event_id=${event}`)
    expect(moved.body.error.code).toBe('invalid_cursor')
    const made = await client.get(`${PATH}/deliveries?cursor=nonsense`)
    expect(made.body.error.code).toBe('invalid_cursor')
    for (const limit of ['0', '101', '-1', 'x', '1.5']) {
      const response = await client.get(`${PATH}/deliveries?limit=${limit}`)
      expect(response.status).toBe(400)
      expect(response.body.error.code).toBe('validation_error')
    }
  })

  test('shows nobody else their attempts, nor those of the other environment', async () => {
    const { client, receiver } = await subscriber()
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    const [idempotency] = await attempts(client, 1)
    const stranger = await subscriber()
    const { partner_id } = client
    const live = await service.partner({ environment: 'live', partner_id })
    await live.put(PATH, { url: 'https://example.com/hook', secret: SECRET })
    for (const other of [stranger.client, live]) {
      expect((await other.get(`${PATH}/deliveries`)).body.deliveries).toEqual([])
      const filtered = await other.get(`${PATH}/deliveries?event_id=${idempotency?.event_id}`)
      expect(filtered.body.deliveries).toEqual([])
      const resent = await other.post(`${PATH}/deliveries/${idempotency?.id}/resend`)
      const absent = await other.post(`${PATH}/deliveries/att_none/resend`)
      expect(resent.status).toBe(404)
      expect(resent.body.error.message).toBe(absent.body.error.message)
    }
    await pause(300)
    expect(receiver.got).toHaveLength(1)
    expect(stranger.receiver.got).toHaveLength(0)
  })
})

describe('POST /api/partner/webhooks/deliveries/{id}/resend', () => {
  test('sends the same bytes again under the same event id', async () => {
    const { client, receiver } = await subscriber()
    await sold(client, 'transfer-fails.test')
    const first = await receiver.until(1)
    const [idempotency] = await attempts(client, 1)
    const response = await client.post(`${PATH}/deliveries/${idempotency?.id}/resend`)
    expect(response.status).toBe(202)
    expect(response.body).toEqual({ event_id: first.event.id, type: 'order.recorded' })
    const second = await receiver.until(2)
    expect(second.body).toBe(first.body)
    expect(second.headers['webhook-id']).toBe(first.event.id)
    expect(await attempts(client, 2)).toMatchObject([
      { event_id: first.event.id, attempt: 1 },
      { event_id: first.event.id, attempt: 1 },
    ])
  })

  test('of a delivery that has failed for good starts over', async () => {
    const { client, receiver } = await subscriber(500)
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    const [idempotency] = await attempts(client, 1)
    await service.app.db
      .updateTable('webhook_deliveries')
      .set({ status: 'failed', attempts: 10 })
      .where('event_id', '=', idempotency?.event_id ?? '')
      .execute()
    receiver.answer(200)
    await client.post(`${PATH}/deliveries/${idempotency?.id}/resend`)
    await receiver.until(2)
    expect(await attempts(client, 2)).toMatchObject([{ attempt: 1 }, { attempt: 1 }])
  })
})

describe('POST /api/partner/webhooks/test', () => {
  test('sends an event that reports nothing', async () => {
    const { client, receiver } = await subscriber()
    const response = await client.post(`${PATH}/test`)
    expect(response.status).toBe(202)
    const { event } = await receiver.until(1)
    expect(event).toMatchObject({
      id: response.body.event_id,
      type: 'webhook.test',
      partner_id: client.partner_id,
    })
    expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'partner_id', 'data'])
  })

  test('returns 404 when nothing is registered', async () => {
    const client = await service.partner()
    expect((await client.post(`${PATH}/test`)).status).toBe(404)
  })

  test('repeated with the same Idempotency-Key sends one', async () => {
    const { client, receiver } = await subscriber()
    const key = randomBytes(16).toString('hex')
    await client.post(`${PATH}/test`, {}, { key })
    await client.post(`${PATH}/test`, {}, { key })
    await receiver.until(1)
    await pause(300)
    expect(receiver.got).toHaveLength(1)
  })
})

describe('the environments', () => {
  test('deliver apart: a sale in the sandbox is no news for live', async () => {
    const { client, receiver } = await subscriber()
    const { partner_id } = client
    const live = await service.partner({ environment: 'live', partner_id })
    await live.put(PATH, { url: 'https://receiver.example/hook', secret: SECRET })
    await client.post(`${PATH}/test`)
    await receiver.until(1)
    await attempts(client, 1)
    expect((await live.get(`${PATH}/deliveries`)).body.deliveries).toEqual([])
  })

  test('a live delivery never reaches an address that turns out to be private', async () => {
    const receiver = await startReceiver()
    const { http } = service.app
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    service.app.http = createGuardedHttp({ lookup })
    try {
      const live = await service.partner({ environment: 'live' })
      const { port } = new URL(receiver.url)
      await live.put(PATH, { url: `https://receiver.example:${port}/hook`, secret: SECRET })
      await live.post(`${PATH}/test`)
      const [idempotency] = await attempts(live, 1)
      expect(idempotency).toMatchObject({
        response_status: null,
        error: 'the address is not a public one',
      })
      expect(JSON.stringify(idempotency)).not.toContain('127.0.0.1')
      expect(receiver.got).toHaveLength(0)
    } finally {
      await service.app.http.close()
      service.app.http = http
    }
  })
})

test('no secret, signature or credential stands in the logs', async () => {
  const { client, receiver } = await subscriber()
  await client.post(`${PATH}/test`)
  const { headers } = await receiver.until(1)
  await attempts(client, 1)
  const logs = service.logs.join('')
  for (const secret of [
    SECRET,
    client.credential.secret,
    String(headers['x-service-signature']),
    String(headers['webhook-signature']),
  ]) {
    expect(logs).not.toContain(secret)
  }
})
