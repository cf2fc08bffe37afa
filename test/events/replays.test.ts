import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshName, must, refusal } from '../support/market.ts'
import { closeReceivers, eventually, startReceiver } from '../support/receiver.ts'
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
  must(
    await client.put('/api/partner/webhooks', {
      url: receiver.url,
      secret: 'a secret of 16 signs',
    }),
    200,
  )
  return { client, receiver, first, second, between }
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
    await eventually(
      async () => {
        const { status, delivered_count } = (await client.get(`${REPLAYS}/${made.id}`)).body
        return status === 'done' && delivered_count === 2
      },
      20_000,
      () => 'not done',
    )
    const part = must(await client.post(REPLAYS, { from: between, types: ['order.recorded'] }), 202)
    expect(part.body.event_count).toBe(1)
    await receiver.until(3, 20_000)
    expect(ordersIn(receiver.got.slice(2))).toEqual([second.public_id])
    const none = must(await client.post(REPLAYS, { from: between, types: ['order.settled'] }), 202)
    expect(none.body.event_count).toBe(0)
    const { replays } = must(await client.get(`${REPLAYS}?limit=2`), 200).body
    expect(replays.map(({ id }: { id: string }) => id)).toEqual([none.body.id, part.body.id])
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

  test('is refused without an endpoint, or for a span that is none', async () => {
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
      const answer = await other.post(REPLAYS, body)
      expect(refusal(answer), JSON.stringify(body)).toEqual({
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
