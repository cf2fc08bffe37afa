import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit } from '../../src/domain/events/emit.ts'
import type { NewEvent } from '../../src/domain/events/event-view.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, refusal } from '../support/market.ts'
import { closeReceivers, eventually, type Receiver, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const REPLAYS = '/api/partner/webhooks/replays'
const HOUR = 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

/** Two sales an hour apart that nobody was told of, and then a receiver. */
async function missed() {
  const client = await service.partner()
  const first = await sold(client, await freshName(service))
  service.clock.advance(HOUR)
  const between = service.clock.now().toISOString()
  await new Promise((resolve) => setTimeout(resolve, 5))
  const second = await sold(client, await freshName(service))
  const receiver = await startReceiver()
  await register(client, receiver)
  return { client, receiver, first, second, between }
}

async function register(client: PartnerClient, { url }: Receiver): Promise<void> {
  must(await client.put('/api/partner/webhooks', { url, secret: 'a secret of 16 signs' }), 200)
}

/** Waits until the replay stands like this. */
async function until(client: PartnerClient, id: string, wanted: Record<string, unknown>) {
  const read = async () => must(await client.get(`${REPLAYS}/${id}`), 200).body
  await eventually(
    async () => {
      const replay = await read()
      return Object.entries(wanted).every(([field, value]) => replay[field] === value)
    },
    20_000,
    () => `not ${JSON.stringify(wanted)}`,
  )
}

const ordersIn = (got: { event: { data: { order: { public_id: string } } } }[]) =>
  got.map(({ event }) => event.data.order.public_id)

describe('a replay', () => {
  test('sends the events of a span again, and tells how far it is', async () => {
    const { client, receiver, first, second, between } = await missed()
    const made = must(await client.post(REPLAYS, { from: '2026-01-01' }), 202).body
    expect(made).toMatchObject({ status: 'running', event_count: 2, types: null })
    await receiver.until(2, 20_000)
    expect(ordersIn(receiver.got)).toEqual([first.public_id, second.public_id])
    await until(client, made.id, { status: 'done', delivered_count: 2 })
    const part = must(await client.post(REPLAYS, { from: between, types: ['order.recorded'] }), 202)
    expect(part.body.event_count).toBe(1)
    await receiver.until(3, 20_000)
    expect(ordersIn(receiver.got.slice(2))).toEqual([second.public_id])
    const none = must(await client.post(REPLAYS, { from: between, types: ['order.settled'] }), 202)
    expect(none.body.event_count).toBe(0)
    const { replays } = must(await client.get(`${REPLAYS}?limit=2`), 200).body
    expect(replays.map(({ id }: { id: string }) => id)).toEqual([none.body.id, part.body.id])
  }, 90_000)

  test('has what its span says and nothing else', async () => {
    const { client, receiver } = await missed()
    const live = await service.partner({ environment: 'live', partner_id: client.partner_id })
    const sell = async () => (await sold(client, await freshName(service))).public_id
    await sell()
    service.clock.advance(1_000)
    const from = service.clock.now().toISOString()
    const wanted = await sell()
    must(await client.post('/api/partner/webhooks/test'), 202)
    for (let sales = 0; sales < 5; sales++) await sold(live, await freshName(service, 'live'))
    service.clock.advance(1_000)
    const to = service.clock.now().toISOString()
    await sell()
    await receiver.until(4)
    const { id } = must(await client.post(REPLAYS, { from, to }), 202).body
    await until(client, id, { status: 'done', event_count: 1, queued_count: 1, delivered_count: 1 })
    expect(ordersIn(receiver.got.slice(4))).toEqual([wanted])
  }, 60_000)

  test('of many events goes on as they arrive, holds up no other, and ends with its endpoint', async () => {
    const events = Array.from({ length: 250 }, (_, index): NewEvent => {
      const order = { public_id: `ord_${index}`, domain: 'many.test', sale_price_cents: 1 }
      return {
        type: 'order.recorded',
        data: { order: { ...order, status: 'EXTERNALLY_PAID', currency: 'USD' } },
      }
    }) as [NewEvent, ...NewEvent[]]
    const started = async (answer: number) => {
      const client = await service.partner()
      const partner = { partnerId: client.partner_id, environment: 'sandbox' } as const
      await inTransaction(service.app, (tx) =>
        tx.executeQuery(emit(service.clock.now(), partner, events)),
      )
      service.clock.advance(1)
      await register(client, await startReceiver(answer))
      const made = must(await client.post(REPLAYS, { from: '2026-01-01' }), 202).body
      return { client, id: made.id as string }
    }
    const deaf = await started(500)
    await until(deaf.client, deaf.id, { status: 'running', queued_count: 200 })
    const well = await started(200)
    await until(well.client, well.id, { status: 'done', queued_count: 250, delivered_count: 250 })
    await until(deaf.client, deaf.id, { status: 'running', queued_count: 200 })
    const { endpoints } = must(
      await service.admin('GET', `/webhook-endpoints?partner_id=${deaf.client.partner_id}`),
      200,
    ).body
    must(await service.admin('POST', `/webhook-endpoints/${endpoints[0].endpoint_id}/off`), 200)
    await until(deaf.client, deaf.id, { status: 'cancelled', queued_count: 200 })
  }, 90_000)

  test('runs alone, until it is cancelled', async () => {
    const { client } = await missed()
    // Both at once: whichever comes second finds the other running.
    const answers = await Promise.all([
      client.post(REPLAYS, { from: '2026-01-01' }),
      client.post(REPLAYS, { from: '2026-01-01' }),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409])
    const { id } = answers.find(({ status }) => status === 202)?.body ?? {}
    const ended = must(await client.delete(`${REPLAYS}/${id}`), 200).body
    expect(['cancelled', 'done']).toContain(ended.status)
    expect(must(await client.delete(`${REPLAYS}/${id}`), 200).body.status).toBe(ended.status)
  }, 60_000)

  test('is rejected without an endpoint, or for a span that is none', async () => {
    const client = await service.partner()
    expect(refusal(await client.post(REPLAYS, { from: '2026-01-01' }))).toEqual({
      status: 404,
      code: 'not_found',
    })
    const { client: other } = await missed()
    for (const body of [
      {},
      { from: 'yesterday' },
      { from: '2126-01-01' },
      { from: '2026-01-02', to: '2026-01-01' },
      { from: '2026-01-01', types: [] },
      { from: '2026-01-01', types: ['order.lost'] },
    ]) {
      const response = await other.post(REPLAYS, body)
      expect(refusal(response), JSON.stringify(body)).toEqual({
        status: 400,
        code: 'validation_error',
      })
    }
    expect(refusal(await other.get(`${REPLAYS}?cursor=x`)).code).toBe('invalid_cursor')
    for (const method of ['GET', 'DELETE']) {
      expect(refusal(await other.call(method, `${REPLAYS}/rpl_0`)).code).toBe('not_found')
    }
  }, 60_000)
})
