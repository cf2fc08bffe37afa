import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import type { PartnerClient } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { must } from '../support/market.ts'
import {
  closeReceivers,
  eventually,
  pause,
  type Receiver,
  startReceiver,
} from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/partner/webhooks'
const SECRET = 'sixteen-or-more-characters'
const SECOND = 1_000
const LEASE_MS = 15 * SECOND

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  closeReceivers()
})

async function subscriber(how: Parameters<typeof startReceiver>[0] = 200) {
  const client = await service.partner()
  const receiver = await startReceiver(how)
  await client.put(PATH, { url: receiver.url, secret: SECRET })
  return { client, receiver }
}

async function attempts(client: PartnerClient) {
  return (await client.get(`${PATH}/deliveries?limit=100`)).body.deliveries
}

async function deliveryOf(eventId: string) {
  return await service.app.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow()
}

/** What another instance's claim leaves behind. */
async function takenByAnother(eventId: string): Promise<void> {
  await service.app.db
    .updateTable('webhook_deliveries')
    .set({
      lease: 'of an instance that died',
      leased_until: new Date(service.clock.now().getTime() + LEASE_MS),
    })
    .where('event_id', '=', eventId)
    .execute()
}

/** A receiver that says when it has been asked, and returns when it is told to. */
async function patient(): Promise<{
  client: PartnerClient
  receiver: Receiver
  release: (status: number) => void
}> {
  let release: (status: number) => void = () => {}
  const { client, receiver } = await subscriber((response) => {
    release = (status) => response.writeHead(status).end()
  })
  return { client, receiver, release: (status) => release(status) }
}

describe('a lease', () => {
  test.each([200, 500, 410])('that was lost makes a late report of %i void', async (status) => {
    const { client, receiver, release } = await patient()
    await client.post(`${PATH}/test`)
    const { event } = await receiver.until(1)
    await takenByAnother(event.id)
    const before = await deliveryOf(event.id)
    release(status)
    await pause(300)
    expect(await deliveryOf(event.id)).toEqual(before)
    expect(await attempts(client)).toEqual([])
    expect((await client.get(PATH)).body.active).toBe(true)
    const endpoint = await service.app.db
      .selectFrom('webhook_endpoints')
      .select('failing_since')
      .where('partner_id', '=', client.partner_id)
      .executeTakeFirstOrThrow()
    expect(endpoint.failing_since).toBeNull()
  })

  test('of an instance that died before it wrote a 200 down runs out, and it is sent again', async () => {
    const { client, receiver, release } = await patient()
    await client.post(`${PATH}/test`)
    const first = await receiver.until(1)
    await takenByAnother(first.event.id)
    release(200)
    receiver.answer(200)
    service.clock.advance(LEASE_MS - 2 * SECOND)
    await pause(700)
    expect(receiver.got).toHaveLength(1)
    service.clock.advance(2 * SECOND)
    const second = await receiver.until(2)
    expect(second.body).toBe(first.body)
    expect(second.headers['webhook-id']).toBe(first.event.id)
    await eventually(async () => (await deliveryOf(first.event.id)).status === 'delivered')
    expect(await attempts(client)).toMatchObject([{ attempt: 1, response_status: 200 }])
    service.clock.advance(2 * LEASE_MS)
    await pause(700)
    expect(receiver.got).toHaveLength(2)
  })

  test('keeps others off while an attempt is under way', async () => {
    const { client, receiver, release } = await patient()
    await client.post(`${PATH}/test`)
    const { event } = await receiver.until(1)
    await pause(1_200)
    expect(receiver.got).toHaveLength(1)
    release(200)
    await eventually(async () => (await deliveryOf(event.id)).status === 'delivered')
    expect(receiver.got).toHaveLength(1)
  })
})

describe('an endpoint that the operator switches off', () => {
  const switchTo = async (client: PartnerClient, to: 'on' | 'off') => {
    const { id } = await service.app.db
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('partner_id', '=', client.partner_id)
      .executeTakeFirstOrThrow()
    must(await service.admin('POST', `/webhook-endpoints/${id}/${to}`), 200)
  }

  test.each([
    [500, 'dropped'],
    [200, 'delivered'],
  ])('while an attempt is under way that ends in %i has it %s', async (status, outcome) => {
    const { client, receiver, release } = await patient()
    await client.post(`${PATH}/test`)
    const { event } = await receiver.until(1)
    await switchTo(client, 'off')
    release(status)
    await eventually(async () => (await attempts(client)).length === 1)
    expect((await deliveryOf(event.id)).status).toBe(outcome)
    await switchTo(client, 'on')
    service.clock.advance(10 * SECOND)
    await pause(700)
    expect(receiver.got).toHaveLength(1)
  })

  test('has no more of what waits dropped at once than there is time for, and soon the rest', async () => {
    const { client } = await subscriber()
    await client.post(`${PATH}/test`)
    await eventually(async () => (await attempts(client)).length === 1)
    const [{ event_id }] = await attempts(client)
    const { endpoint_id } = await deliveryOf(event_id)
    const later = new Date(service.clock.now().getTime() + 24 * 3_600 * SECOND)
    await sql`insert into webhook_deliveries (id, endpoint_id, event_id, status, attempts, due_at, created_at)
      select ${endpoint_id} || n, ${endpoint_id}, ${event_id}, 'pending', 1, ${later}, ${later}
      from generate_series(1, 10500) as n`.execute(service.app.db)
    const waiting = async () => {
      const { rows } = await sql<{
        count: number
      }>`select count(*)::int as count from webhook_deliveries
        where endpoint_id = ${endpoint_id} and status = 'pending'`.execute(service.app.db)
      return rows[0]?.count
    }
    await switchTo(client, 'off')
    expect(await waiting()).toBe(500)
    service.clock.advance(60 * SECOND)
    await eventually(async () => (await waiting()) === 0)
  })
})

describe.skipIf(!POSTGRES)('two instances', () => {
  let instances: TestService[]
  beforeAll(async () => {
    instances = [service, await service.another()]
  })

  test('deliver each event once under load', async () => {
    const EVENTS = 60
    const all = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { client, receiver } = await subscriber((response) =>
          setTimeout(() => response.writeHead(200).end(), 5 * Math.random()),
        )
        const { partner_id } = client
        const clients = await Promise.all(instances.map((one) => one.partner({ partner_id })))
        return { client, clients, receiver }
      }),
    )
    await Promise.all(
      all.flatMap(({ clients }) =>
        clients.map(async (client) => {
          for (let sent = 0; sent < EVENTS / clients.length; sent++) {
            expect((await client.post(`${PATH}/test`)).status).toBe(202)
          }
        }),
      ),
    )
    for (const { client, receiver } of all) {
      await receiver.until(EVENTS, 10_000)
      await eventually(async () => (await attempts(client)).length >= EVENTS)
    }
    await pause(700)
    for (const { client, receiver } of all) {
      expect(receiver.got).toHaveLength(EVENTS)
      expect(new Set(receiver.got.map(({ event }) => event.id)).size).toBe(EVENTS)
      expect(await attempts(client)).toHaveLength(EVENTS)
    }
  })

  test('deliver a backlog once when both find it at the same moment', async () => {
    const EVENTS = 90
    const { client, receiver } = await subscriber()
    const now = service.clock.now()
    const later = new Date(now.getTime() + 60 * SECOND)
    const { app } = service
    const { id } = await app.db
      .selectFrom('webhook_endpoints')
      .select('id')
      .where('partner_id', '=', client.partner_id)
      .executeTakeFirstOrThrow()
    const ids = Array.from({ length: EVENTS }, (_, index) => `${client.partner_id}_${index}`)
    await inTransaction(app, async (tx) => {
      await tx
        .insertInto('events')
        .values(
          ids.map((event, index) => ({
            id: event,
            partner_id: client.partner_id,
            environment: 'sandbox' as const,
            position: 1_000 + index,
            type: 'webhook.test' as const,
            data: '{}',
            created_at: now,
          })),
        )
        .execute()
      await tx
        .insertInto('webhook_deliveries')
        .values(
          ids.map((event) => ({
            id: `del_${event}`,
            endpoint_id: id,
            event_id: event,
            status: 'pending' as const,
            attempts: 0,
            due_at: later,
            leased_until: null,
            lease: null,
            created_at: now,
          })),
        )
        .execute()
    })
    service.clock.advance(61 * SECOND)
    await receiver.until(EVENTS, 10_000)
    await eventually(async () => (await attempts(client)).length >= EVENTS)
    await pause(300)
    expect(receiver.got).toHaveLength(EVENTS)
    expect(new Set(receiver.got.map(({ event }) => event.id))).toEqual(new Set(ids))
  })

  test('stand in for each other: what one leaves the other sends', async () => {
    const other = await service.another()
    const { client, receiver } = await subscriber(500)
    const through = await other.partner({ partner_id: client.partner_id })
    await through.post(`${PATH}/test`)
    const first = await receiver.until(1)
    await eventually(async () => (await attempts(client)).length === 1)
    await other.stop()
    receiver.answer(200)
    service.clock.advance(7 * SECOND)
    expect((await receiver.until(2)).body).toBe(first.body)
  })
})
