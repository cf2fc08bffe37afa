import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { eventTypes, freshName, must, refusal } from '../support/market.ts'
import { orderBody, quote } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterAll(() => service.stop())

const asking = (fault: string) => ({ headers: { 'x-sandbox-fault': fault } })

describe('X-Sandbox-Fault', () => {
  test.each([
    ['429', 429, 'rate_limited'],
    ['503', 503, 'unavailable'],
  ])('%s refuses the first request and lets its repeat through', async (fault, status, code) => {
    const offered = await quote(client, await freshName(service))
    const send = () =>
      client.post('/orders', orderBody(offered, { external_payment_ref: `ref-${fault}` }), {
        key: `key-${fault}`,
        ...asking(fault),
      })
    const rejected = await send()
    expect(refusal(rejected)).toEqual({ status, code })
    expect(rejected.headers['retry-after']).toBe('1')
    expect((await client.get(`/orders?domain=${offered.domain}`)).body.orders).toEqual([])
    expect((await send()).status).toBe(201)
  })

  test('drop_after_commit records the order and repeats it with the stored bytes', async () => {
    const partner = await service.partner()
    const offered = await quote(partner, await freshName(service))
    const body = orderBody(offered)
    const send = () => partner.post('/orders', body, { key: 'k-1', ...asking('drop_after_commit') })
    await expect(send()).rejects.toThrow('socket hang up')
    const { orders } = (await partner.get('/orders')).body
    expect(orders).toHaveLength(1)
    const repeat = must(await send(), 201)
    expect(repeat.headers['idempotent-replayed']).toBe('true')
    expect(repeat.body.public_id).toBe(orders[0].public_id)
    expect(await eventTypes(partner)).toEqual(['order.recorded'])
  })

  test('drop_after_commit lets an error through', async () => {
    const response = await client.post('/quotes', {}, asking('drop_after_commit'))
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
  })

  test('is no error of the service: neither its log nor its metrics count one', async () => {
    const counts = async () => {
      const { text } = await service.send({
        method: 'GET',
        target: '/metrics',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      return text.split('\n').filter((line) => line.includes('_count{') && line.includes('"503"'))
    }
    const before = await counts()
    const said = service.logs.length
    const rejected = await client.get('/settlements?limit=3', asking('503'))
    expect(rejected.status).toBe(503)
    expect(await counts()).toEqual(before)
    const levels = service.logs.slice(said).map((line) => JSON.parse(line).level)
    expect(levels).not.toContain(50)
  })

  test('times says how often', async () => {
    const statuses = []
    for (let round = 0; round < 4; round++) {
      statuses.push((await client.get('/events?limit=7', asking('503; times=2'))).status)
    }
    expect(statuses).toEqual([503, 503, 200, 200])
  })

  test('requests that differ in target or key each meet their own', async () => {
    const statuses = await Promise.all(
      ['/events?limit=8', '/events?limit=9'].map(
        async (path) => (await client.get(path, asking('503'))).status,
      ),
    )
    expect(statuses).toEqual([503, 503])
  })

  test('delay holds the response back after the work is done', async () => {
    const domain = await freshName(service)
    let answered = false
    const held = client.post('/quotes', { domain }, asking('delay=1.5s')).then((response) => {
      answered = true
      return response
    })
    await expect
      .poll(async () => (await client.get(`/domains/${domain}`)).body.status, { timeout: 1_400 })
      .toBe('reserved')
    expect(answered).toBe(false)
    expect((await held).status).toBe(201)
  })

  test.each(['500', 'delay', 'delay=2', 'delay=61s', '503; times=0', 'drop', '', 'delay=-1s'])(
    '%j is refused and says what there is',
    async (fault) => {
      const response = await client.get('/events', asking(fault))
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].issue).toContain('drop_after_commit')
    },
  )

  test('is rejected for a live credential, and nothing is done', async () => {
    const live = await service.partner({ environment: 'live' })
    const domain = await freshName(service, 'live')
    const response = await live.post('/quotes', { domain }, asking('503'))
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details).toEqual([
      { field: 'X-Sandbox-Fault', issue: 'is for sandbox credentials only' },
    ])
    expect((await live.get(`/domains/${domain}`)).body.status).toBe('listed')
  })

  test('does not outlive the service: a delay ends when it stops', async () => {
    const own = await startService()
    const partner = await own.partner()
    const held = partner.get('/events', asking('delay=60s'))
    await expect.poll(() => own.logs.length, { timeout: 2_000 }).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await own.stop()
    expect((await held).status).toBe(200)
  })
})
