import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import type { PartnerClient } from '../support/client.ts'
import {
  closeReceivers,
  eventually,
  pause,
  type Receiver,
  startRawReceiver,
  startReceiver,
} from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/partner/webhooks'
const SECRET = 'sixteen-or-more-characters'
/** How long a delivery may take on a busy machine; the queues of receivers that hang take longer. */
const WITHIN_MS = 30_000

let service: TestService
let isStopped = false
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  if (!isStopped) await service.stop()
  closeReceivers()
})

async function subscriber(url: string): Promise<PartnerClient> {
  const client = await service.partner()
  expect((await client.put(PATH, { url, secret: SECRET })).status).toBe(200)
  return client
}

/** Sends to a receiver that responds, one event after the other has arrived. */
async function deliver(client: PartnerClient, receiver: Receiver, count: number) {
  const before = receiver.got.length
  for (let sent = 1; sent <= count; sent++) {
    await client.post(`${PATH}/test`)
    await receiver.until(before + sent, WITHIN_MS)
  }
}

/** Endpoints with a queue each, as a service has them that ran for a while. */
async function endpointsWithQueues(count: number, url: string, { failing }: { failing: boolean }) {
  const { secrets, clock } = service.app
  const now = clock.now()
  const partners = Array.from({ length: count }, () => `prt_${randomBytes(13).toString('hex')}`)
  // Before all others in every index: whoever goes by these would never come to the rest.
  const endpoints = partners.map((partner) => ({
    id: `wh_0${partner.slice(4)}`,
    partner_id: partner,
    environment: 'sandbox' as const,
    url,
    secret_sealed: secrets.seal(SECRET, `webhook ${partner} sandbox`),
    active: true,
    inactive_reason: null,
    failing_since: failing ? now : null,
    created_at: now,
    updated_at: now,
  }))
  const events = endpoints.flatMap(({ id, partner_id }) =>
    [1, 2].map((position) => ({ endpoint_id: id, partner_id, position, id: `${id}_${position}` })),
  )
  await inTransaction(service.app, async (tx) => {
    await tx
      .insertInto('partners')
      .values(
        partners.map((id) => ({
          id,
          name: 'Test',
          email: `${id}@example.com`,
          status: 'active' as const,
          hosted_checkout_bps: 0,
          referral_bps: 0,
          partner_collected_bps: 1_000,
          brokerage_bps: 1_000,
          created_at: now,
        })),
      )
      .execute()
    await tx.insertInto('webhook_endpoints').values(endpoints).execute()
    await tx
      .insertInto('events')
      .values(
        events.map(({ id, partner_id, position }) => ({
          id,
          partner_id,
          environment: 'sandbox' as const,
          position,
          type: 'webhook.test' as const,
          data: '{}',
          created_at: now,
        })),
      )
      .execute()
    await tx
      .insertInto('webhook_deliveries')
      .values(
        events.map(({ id, endpoint_id }) => ({
          id,
          endpoint_id,
          event_id: id,
          status: 'pending' as const,
          attempts: 0,
          due_at: now,
          leased_until: null,
          lease: null,
          created_at: now,
        })),
      )
      .execute()
  })
}

/** A receiver that hangs is tried for five seconds each, one after another: longer in all than its test may take. */
const QUEUED = 30

describe('one receiver that', () => {
  test('hangs, drips, resets or never ends delays nobody else', { timeout: 120_000 }, async () => {
    const asked = new Set<string>()
    const hangs = await startRawReceiver(() => asked.add('hangs'))
    const dripsHeader = await startRawReceiver((socket) => {
      asked.add('drips its header')
      socket.write('HTTP/1.1 200 OK\r\nx-drip: ')
      const timer = setInterval(() => socket.write('x'), 200)
      socket.on('close', () => clearInterval(timer))
    })
    const dripsBody = await startReceiver((response) => {
      asked.add('drips its body')
      response.writeHead(500, { 'content-length': '1000' }).write('x')
      const timer = setInterval(() => response.write('x'), 200)
      response.on('close', () => clearInterval(timer))
    })
    const resets = await startRawReceiver((socket) => {
      asked.add('resets')
      socket.once('data', () => socket.resetAndDestroy())
    })
    const endless = await startReceiver((response) => {
      asked.add('never ends')
      response.writeHead(500)
      const more = () => {
        while (!response.closed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    const endlessHeader = await startRawReceiver((socket) => {
      asked.add('never ends its header')
      const more = () => {
        while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)));
      }
      socket.on('drain', more)
      socket.once('data', more)
    })
    const broken = [hangs, dripsHeader, dripsBody, resets, endless, endlessHeader]
    const clients = await Promise.all(broken.map(({ url }) => subscriber(url)))
    const receiver = await startReceiver()
    const healthy = await subscriber(receiver.url)

    await Promise.all(
      clients.map(async (client) => {
        for (let sent = 0; sent < QUEUED; sent++) await client.post(`${PATH}/test`)
      }),
    )
    await deliver(healthy, receiver, 20)
    // What was sent last arrived first: the receiver that hangs has most of its queue before it.
    expect(hangs.connections()).toBeLessThan(QUEUED)
    await eventually(() => asked.size === broken.length, WITHIN_MS)
    expect([...asked].toSorted()).toEqual([
      'drips its body',
      'drips its header',
      'hangs',
      'never ends',
      'never ends its header',
      'resets',
    ])
    for (const client of clients) {
      const attempts = async () =>
        (await client.get(`${PATH}/deliveries?limit=100`)).body.deliveries
      await eventually(async () => (await attempts()).length > 0, WITHIN_MS)
      const deliveries = await attempts()
      for (const { error } of deliveries) expect(error).toEqual(expect.any(String))
    }
  })

  test('fails is asked one at a time', async () => {
    let underWay = 0
    let most = 0
    const receiver = await startReceiver((response) => {
      underWay += 1
      most = Math.max(most, underWay)
      setTimeout(() => {
        underWay -= 1
        response.writeHead(500).end()
      }, 700)
    })
    const client = await subscriber(receiver.url)
    await client.post(`${PATH}/test`)
    await eventually(
      async () => (await client.get(`${PATH}/deliveries`)).body.deliveries.length === 1,
    )
    for (let sent = 0; sent < 6; sent++) await client.post(`${PATH}/test`)
    await receiver.until(4, WITHIN_MS)
    expect(most).toBe(1)
  })
})

describe('several hundred receivers that hang', () => {
  test('leave the others room, and the service stops', { timeout: 180_000 }, async () => {
    const hangs = await startRawReceiver(() => {})
    await endpointsWithQueues(600, hangs.url, { failing: true })
    await eventually(() => hangs.connections() >= 200, WITHIN_MS)
    const receiver = await startReceiver()
    const healthy = await subscriber(receiver.url)
    await deliver(healthy, receiver, 10)

    // All of these seem well until they have failed once.
    await endpointsWithQueues(200, hangs.url, { failing: false })
    await pause(600)
    await deliver(healthy, receiver, 5)

    isStopped = true
    await service.stop()
  })
})
