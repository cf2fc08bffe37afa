import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit } from '../../src/domain/events/emit.ts'
import type { NewEvent } from '../../src/domain/events/event-view.ts'
import type { PartnerClient } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { closeReceivers, pause, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/partner/webhooks'
const WRITERS = 8
const SALES_EACH = 3

let service: TestService
let instances: TestService[]
const names = Array.from({ length: 120 }, (_, index) => `history-${index}.test`)
beforeAll(async () => {
  service = await startService()
  instances = POSTGRES ? [service, await service.another()] : [service]
  const rows = names.map((name) => `${name},10000,9000,USD`)
  await service.list(
    'sandbox',
    ['domain,price_cents,floor_price_cents,currency', ...rows].join('\n'),
  )
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

const nextName = () => names.pop() ?? expect.unreachable('there are no more names')

const RECORDED: NewEvent = {
  type: 'order.recorded',
  data: {
    order: {
      public_id: 'ord_1',
      domain: 'history.test',
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 10_000,
      currency: 'USD',
    },
  },
}

interface Shown {
  id: string
  type: string
  created_at: string
  data: { order: { public_id: string; domain: string; status: string } }
}

async function history(client: PartnerClient, limit = 100): Promise<Shown[]> {
  const all: Shown[] = []
  let after = ''
  do {
    const response = await client.get(`/events?${after && `after_id=${after}&`}limit=${limit}`)
    expect(response.status).toBe(200)
    all.push(...response.body.events)
    after = response.body.next_cursor ?? ''
  } while (after)
  return all
}

describe('GET /events', () => {
  test('is empty at first', async () => {
    const client = await service.partner()
    expect((await client.get('/events')).body).toEqual({ events: [], next_cursor: null })
  })

  test('shows id, type, created_at and data, oldest first', async () => {
    const client = await service.partner()
    const order = await sold(client, nextName())
    await client.post(`/sandbox/orders/${order.public_id}/start-transfer`)
    const moved = await client.post(`/sandbox/orders/${order.public_id}/complete-transfer`)
    expect(moved.status).toBe(200)
    const { events, next_cursor } = (await client.get('/events')).body
    expect(next_cursor).toBeNull()
    expect(events.map(({ type }: Shown) => type)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
    ])
    expect(Object.keys(events[0])).toEqual(['id', 'type', 'created_at', 'data'])
    expect(events[0].created_at).toBe(order.created_at)
    expect(events[2].data.order).toEqual({
      public_id: order.public_id,
      domain: order.domain,
      status: 'TRANSFER_COMPLETED',
      sale_price_cents: 10_000,
      currency: 'USD',
    })
  })

  test('pages by after_id; next_cursor is the last id when more follow, else null', async () => {
    const client = await service.partner()
    for (let made = 0; made < 4; made++) await sold(client, nextName())
    const all = (await client.get('/events')).body.events
    expect(all).toHaveLength(4)
    const first = (await client.get('/events?limit=2')).body
    expect(first).toEqual({ events: all.slice(0, 2), next_cursor: all[1].id })
    const second = (await client.get(`/events?after_id=${all[1].id}&limit=2`)).body
    expect(second).toEqual({ events: all.slice(2), next_cursor: null })
    const rest = (await client.get(`/events?after_id=${all[0].id}`)).body
    expect(rest.events).toEqual(all.slice(1))
    const none = (await client.get(`/events?after_id=${all[3].id}`)).body
    expect(none).toEqual({ events: [], next_cursor: null })
  })

  test('returns 50 when no limit is given, and 1 to 100', async () => {
    const client = await service.partner()
    const partner = { partnerId: client.partner_id, environment: 'sandbox' } as const
    const more = Array.from({ length: 100 }, () => RECORDED)
    await inTransaction(service.app, (tx) =>
      tx.executeQuery(emit(service.clock.now(), partner, [RECORDED, ...more])),
    )
    const sizes = await Promise.all(
      ['', '?limit=1', '?limit=100'].map(
        async (query) => (await client.get(`/events${query}`)).body.events.length,
      ),
    )
    expect(sizes).toEqual([50, 1, 100])
    for (const limit of ['0', '101', '-1', 'x', '1.5', '']) {
      const response = await client.get(`/events?limit=${limit}`)
      expect(response.status).toBe(400)
      expect(response.body.error).toMatchObject({
        code: 'validation_error',
        details: [{ field: 'limit' }],
      })
    }
    expect(new Set((await history(client)).map(({ id }) => id)).size).toBe(101)
  })

  test('rejects an after_id that is unknown, foreign or of the other environment', async () => {
    const client = await service.partner()
    await sold(client, nextName())
    const own = (await client.get('/events')).body.events[0].id
    const stranger = await service.partner()
    const { partner_id } = client
    const live = await service.partner({ environment: 'live', partner_id })
    const answers = await Promise.all([
      client.get('/events?after_id=evt_01jd0000000000000000000000'),
      client.get('/events?after_id=nonsense'),
      client.get('/events?after_id='),
      stranger.get(`/events?after_id=${own}`),
      live.get(`/events?after_id=${own}`),
    ])
    for (const response of answers) {
      expect(response.status).toBe(400)
      expect(response.body.error.code).toBe('invalid_cursor')
    }
    expect((await live.get('/events')).body.events).toEqual([])
    expect((await stranger.get('/events')).body.events).toEqual([])
  })

  test('shows no test event, but its id is a place to go on from', async () => {
    const client = await service.partner()
    const receiver = await startReceiver()
    await client.put(PATH, { url: receiver.url, secret: 'sixteen-or-more-characters' })
    await sold(client, nextName())
    await receiver.until(1)
    await client.post(`${PATH}/test`)
    const tried = (await receiver.until(2)).event
    await sold(client, nextName())
    const { events } = (await client.get('/events')).body
    expect(events.map(({ type }: Shown) => type)).toEqual(['order.recorded', 'order.recorded'])
    const rest = (await client.get(`/events?after_id=${tried.id}`)).body
    expect(rest).toEqual({ events: [events[1]], next_cursor: null })
    const last = (await client.get('/events?limit=1')).body
    expect(last.next_cursor).toBe(events[0].id)
  })

  test('shows nothing of a change that was rejected', async () => {
    const client = await service.partner()
    const order = await sold(client, nextName())
    const rejected = await client.post(`/sandbox/orders/${order.public_id}/complete-transfer`)
    expect(rejected.status).toBe(409)
    expect(await history(client)).toHaveLength(1)
  })
})

describe('a reader that follows after_id', () => {
  test('misses nothing and sees nothing twice while eight write', async () => {
    const reader = await service.partner()
    const { partner_id } = reader
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, (_, index) =>
        (instances[index % instances.length] ?? service).partner({ partner_id }),
      ),
    )
    let writing = true
    const seen: Shown[] = []
    const read = async () => {
      const last = seen.at(-1)?.id
      const response = await reader.get(`/events?${last ? `after_id=${last}&` : ''}limit=3`)
      expect(response.status).toBe(200)
      seen.push(...response.body.events)
      return response.body.events.length
    }
    const reading = (async () => {
      while (writing) await read()
      while ((await read()) > 0);
    })()
    await Promise.all(
      writers.map(async (writer) => {
        for (let made = 0; made < SALES_EACH; made++) {
          const { public_id } = await sold(writer, nextName())
          for (const move of ['start-transfer', 'complete-transfer']) {
            expect((await writer.post(`/sandbox/orders/${public_id}/${move}`)).status).toBe(200)
          }
        }
      }),
    )
    writing = false
    await reading

    expect(seen).toHaveLength(WRITERS * SALES_EACH * 3)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
    expect(await history(reader)).toEqual(seen)
    expect(await history(reader, 7)).toEqual(seen)
    for (const order of new Set(seen.map(({ data }) => data.order.public_id))) {
      const events = seen.filter(({ data }) => data.order.public_id === order)
      expect(events.map(({ data }) => data.order.status)).toEqual([
        'EXTERNALLY_PAID',
        'TRANSFER_IN_PROGRESS',
        'TRANSFER_COMPLETED',
      ])
    }
  })

  test.skipIf(!POSTGRES)('waits for an older event that is still being written', async () => {
    const reader = await service.partner()
    const partner = { partnerId: reader.partner_id, environment: 'sandbox' } as const
    const [first, second] = instances as [TestService, TestService]
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    let started = () => {}
    const emitted = new Promise<void>((resolve) => {
      started = resolve
    })
    const slow = inTransaction(first.app, async (tx) => {
      await tx.executeQuery(emit(service.clock.now(), partner, [RECORDED]))
      started()
      await held
    })
    await emitted
    let isDone = false
    const quick = inTransaction(second.app, (tx) =>
      tx.executeQuery(emit(service.clock.now(), partner, [RECORDED])),
    ).then(() => {
      isDone = true
    })
    await pause(200)
    expect(isDone).toBe(false)
    expect(await history(reader)).toEqual([])
    finish()
    await Promise.all([slow, quick])
    expect(await history(reader)).toHaveLength(2)
  })
})
