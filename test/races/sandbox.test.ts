import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { Buyer } from '../support/buyer.ts'
import type { Result } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { eventsOf, must, offer, operate } from '../support/market.ts'
import { orderBody, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('a reset beside quotes, orders and clicks leaves nothing half done', async () => {
  const client = await service.partner({ affiliate: true })
  const names = Array.from({ length: 60 }, (_, index) => `reset-${index}.test`)
  await offer(service, 'sandbox', names)
  const seen = new Map<string, number>()
  const note = (what: string, { status }: Result) => {
    seen.set(`${what} ${status}`, (seen.get(`${what} ${status}`) ?? 0) + 1)
  }
  let running = true
  let link: Result['body'] = must(await client.post('/links', { type: 'generic' }), 201).body

  async function order(from: number): Promise<void> {
    for (let index = from; running; index += 3) {
      const domain = names[index % names.length]
      const offered = await client.post('/quotes', { domain })
      note('quote', offered)
      if (offered.status === 201) {
        note('order', await client.post('/orders', orderBody(offered.body)))
      }
    }
  }
  async function click(): Promise<void> {
    while (running) note('click', await new Buyer(service).visit(link.url))
  }
  async function reset(): Promise<void> {
    for (let round = 0; round < 15; round++) {
      note('reset', await client.post('/sandbox/reset'))
      const made = await client.post('/links', { type: 'generic' })
      if (made.status === 201) link = made.body
    }
    running = false
  }
  await Promise.all([order(0), order(1), order(2), click(), reset()])

  const failed = [...seen.keys()].filter((key) => key.endsWith('500'))
  expect(failed).toEqual([])
  const { orders } = must(await client.get('/orders?limit=100'), 200).body
  const recorded = new Set((await eventsOf(client)).map(({ data }) => data.order.public_id))
  expect(new Set(orders.map(({ public_id }: Result['body']) => public_id))).toEqual(recorded)
  must(await client.post('/sandbox/reset'), 200)
  for (const domain of names) must(await client.post('/quotes', { domain }), 201)
}, 60_000)

test('the clock beside runs of the operator leaves no gap between two periods', async () => {
  const client = await service.partner()
  const names = Array.from({ length: 25 }, (_, index) => `gap-${index}.test`)
  await offer(service, 'sandbox', names)
  for (const name of names) {
    const { public_id } = await sold(client, name)
    must(await client.post('/refunds', { public_id }), 201)
    const [clock, run] = await Promise.all([
      client.post('/sandbox/clock', { advance_seconds: 1_000 }),
      service.admin('POST', '/settlement-runs', { environment: 'sandbox' }),
    ])
    must(clock, 200)
    must(run, 201)
  }
  const { settlements } = must(await client.get('/settlements?limit=100'), 200).body
  expect(settlements.length).toBeGreaterThan(names.length / 2)
  const [newest, ...closed] = settlements
  expect(newest.period_end).toBeNull()
  const starts = settlements.slice(0, -1).map(({ period_start }: Result['body']) => period_start)
  expect(closed.map(({ period_end }: Result['body']) => period_end)).toEqual(starts)
}, 60_000)

test('the clock and a reset wait for no act of the operator that waits for them', async () => {
  const client = await service.partner()
  const act = (path: string) => service.admin('POST', path, { environment: 'sandbox' })
  for (const path of ['/sandbox/clock', '/sandbox/reset']) {
    const names = Array.from({ length: 40 }, (_, index) => `beside-${path.slice(9)}-${index}.test`)
    await offer(service, 'sandbox', names)
    const orders: string[] = []
    for (const name of names) orders.push((await sold(client, name)).public_id)
    for (const id of orders) await operate(service, id, 'start')
    const seen = new Set<number>()
    let left = 3
    async function move(from: number): Promise<void> {
      for (let index = from; index < orders.length; index += 3) {
        const name = index % 2 === 0 ? 'complete' : 'refund'
        seen.add((await act(`/orders/${orders[index]}/${name}`)).status)
      }
      left -= 1
    }
    async function run(): Promise<void> {
      while (left > 0) seen.add((await act('/settlement-runs')).status)
    }
    async function change(): Promise<void> {
      while (left > 0) {
        // So that a reset comes in the middle of the moves, and finds some of them.
        await pause(path === '/sandbox/reset' ? 60 : 0)
        seen.add((await client.post(path, { advance_seconds: 60 })).status)
      }
    }
    await Promise.all([move(0), move(1), move(2), run(), change()])
    // 404: the reset was faster.
    for (const status of seen) expect([200, 201, 404]).toContain(status)
  }
  expect(await deadlocks()).toBe(0)
}, 120_000)

test('the clock waits for no sale of the pages that waits for it', async () => {
  const client = await service.partner()
  const names = Array.from({ length: 36 }, (_, index) => `paid-beside-${index}.test`)
  await offer(service, 'sandbox', names)
  let left = 3
  const orders = new Set<string | undefined>()
  async function pay(from: number): Promise<void> {
    for (let index = from; index < names.length; index += 3) {
      const domain = names[index]
      const { checkout_url } = must(await client.post('/checkout-session', { domain }), 201).body
      const buyer = new Buyer(service)
      await buyer.pay(checkout_url)
      orders.add(buyer.publicId)
    }
    left -= 1
  }
  async function change(): Promise<void> {
    while (left > 0) must(await client.post('/sandbox/clock', { advance_seconds: 60 }), 200)
  }
  await Promise.all([pay(0), pay(1), pay(2), change()])
  const listed = must(await client.get('/orders?limit=100'), 200).body.orders
  expect(new Set(listed.map(({ public_id }: Result['body']) => public_id))).toEqual(orders)
  expect(orders.size).toBe(names.length)
  expect(await deadlocks()).toBe(0)
}, 120_000)

test.skipIf(!POSTGRES)(
  'a reset waits for no sale of the marketplace that a link brought',
  async () => {
    const { app } = service
    const client = await service.partner({ affiliate: true })
    const link = must(await client.post('/links', { type: 'generic' }), 201).body
    await offer(service, 'sandbox', ['brought.test'])
    const buyer = new Buyer(service)
    await buyer.visit(link.url)
    await buyer.visit('/d/brought.test')
    await buyer.submit()
    let reset: Promise<Result> | undefined
    // What a payment holds while it writes the order, which refers to the link.
    await inTransaction(app, async (tx) => {
      const sessions = tx
        .selectFrom('checkout_sessions')
        .select('id')
        .where('link_id', '=', link.id)
      expect(await sessions.forUpdate().execute()).toHaveLength(1)
      reset ??= client.post('/sandbox/reset', {})
      await pause(300)
      const held = tx.selectFrom('referral_links').select('id').where('id', '=', link.id)
      expect(await held.forKeyShare().execute()).toHaveLength(1)
    })
    expect((await reset)?.status).toBe(200)
    expect(await deadlocks()).toBe(0)
  },
)

test('a reset waits for no first click on a link that waits for it', async () => {
  const client = await service.partner({ affiliate: true })
  const link = async () => must(await client.post('/links', { type: 'generic' }), 201).body.url
  for (let round = 0; round < 10; round++) {
    const [known, ...fresh] = await Promise.all(Array.from({ length: 9 }, link))
    await new Buyer(service).visit(known)
    const [reset, ...visits] = await Promise.all([
      client.post('/sandbox/reset', {}),
      ...fresh.map((url) => new Buyer(service).visit(url)),
    ])
    expect(reset.status).toBe(200)
    // 404: the reset was faster.
    for (const { status } of visits) expect([200, 404]).toContain(status)
  }
  expect(await deadlocks()).toBe(0)
}, 60_000)

/** How often the database had to end a transaction since two waited for each other. */
async function deadlocks(): Promise<number> {
  // The database counts once a second.
  await pause(1_500)
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks::int from pg_stat_database where datname = current_database()`.execute(
    service.app.db,
  )
  return rows[0]?.deadlocks ?? 0
}
