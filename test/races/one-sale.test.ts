import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PartnerClient, Result } from '../support/client.ts'
import { eventsOf, freshName, ledgerOf, must, offer, refusal } from '../support/market.ts'
import { orderBody, quote } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partners: PartnerClient[]
beforeAll(async () => {
  service = await startService()
  partners = await Promise.all(
    Array.from({ length: 4 }, () => service.partner({ environment: 'live' })),
  )
})
afterAll(() => service.stop())

/** As a client should: what got a 503 is repeated with its key until it gets another response. */
async function persist(
  client: PartnerClient | undefined,
  path: string,
  body: unknown,
  key = randomUUID(),
): Promise<Result> {
  for (;;) {
    if (!client) throw new Error('no such partner')
    const response = await client.post(path, body, { key })
    if (response.status !== 503) return response
  }
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

async function ordersFor(domain: string) {
  return await service.app.db
    .selectFrom('orders')
    .selectAll()
    .where('domain', '=', domain)
    .execute()
}

async function recorded(domain: string): Promise<number> {
  const histories = await Promise.all(partners.map(eventsOf))
  return histories.flat().filter(({ data }) => data.order?.domain === domain).length
}

test('of 64 concurrent orders by four partners for one domain one is recorded', async () => {
  const domain = await freshName(service, 'live')
  // Each partner has had its quote; the last one's runs, the others' have been released.
  const quotes: Awaited<ReturnType<typeof quote>>[] = []
  for (const [index, client] of partners.entries()) {
    quotes.push(await quote(client, domain))
    if (index < 3) must(await client.delete(`/quotes/${quotes[index].quote_id}`), 200)
  }
  const responses = await Promise.all(
    times(64, (index) => persist(partners[index % 4], '/orders', orderBody(quotes[index % 4]))),
  )
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(63)
  expect(await ordersFor(domain)).toHaveLength(1)
  expect(await recorded(domain)).toBe(1)
})

test('of 64 that quote and order at once, one buys', async () => {
  const domain = await freshName(service, 'live')
  const responses = await Promise.all(
    times(64, async (index) => {
      const client = partners[index % 4] as PartnerClient
      const offered = await persist(client, '/quotes', { domain })
      if (offered.status !== 201) return offered
      return persist(client, '/orders', orderBody(offered.body))
    }),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const response of responses.filter(({ status }) => status !== 201)) {
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
  }
  const orders = await ordersFor(domain)
  expect(orders).toHaveLength(1)
  const partnerId = orders[0]?.partner_id ?? ''
  const ledger = await ledgerOf(service, { partnerId, environment: 'live' })
  expect(ledger.filter(({ source }) => source === orders[0]?.public_id)).toHaveLength(2)
})

test('50 concurrent repeats of one key make one order, one event and 50 equal responses', async () => {
  const client = await service.partner()
  const body = orderBody(await quote(client, await freshName(service)))
  const key = randomUUID()
  const responses = await Promise.all(times(50, () => persist(client, '/orders', body, key)))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
  const replayed = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
  expect(replayed).toHaveLength(49)
  expect(await ordersFor(body.domain)).toHaveLength(1)
  expect(await eventsOf(client)).toHaveLength(1)
})

test('one key with many bodies at once: one is recorded, the others are conflicts', async () => {
  const client = await service.partner()
  const offered = await quote(client, await freshName(service))
  const key = randomUUID()
  const responses = await Promise.all(
    times(30, () => persist(client, '/orders', orderBody(offered), key)),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(29)
  expect(await eventsOf(client)).toHaveLength(1)
})

test('one payment reference for many domains at once is recorded once', async () => {
  const client = await service.partner()
  const names = times(20, (index) => `ref-${index}.test`)
  await offer(service, 'sandbox', names)
  const quotes = await Promise.all(names.map((name) => quote(client, name)))
  const external_payment_ref = randomUUID()
  const responses = await Promise.all(
    quotes.map((offered) =>
      persist(client, '/orders', orderBody(offered, { external_payment_ref })),
    ),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const response of responses.filter(({ status }) => status !== 201)) {
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
  }
  expect(await eventsOf(client)).toHaveLength(1)
  const listed = await Promise.all(names.map((name) => client.get(`/domains/${name}`)))
  expect(listed.filter(({ body }) => body.status === 'sold')).toHaveLength(1)
})

test('a rejected order leaves nothing behind, not even late', async () => {
  const client = await service.partner()
  const names = times(40, (index) => `late-${index}.test`)
  await offer(service, 'sandbox', names)
  const quotes = await Promise.all(names.map((name) => quote(client, name)))
  const external_payment_ref = randomUUID()
  await Promise.all(
    quotes.map((offered) =>
      persist(client, '/orders', orderBody(offered, { external_payment_ref })),
    ),
  )
  const { rows } = await sql<{ domain: string }>`
    select domain from sandbox_listings l where status = 'sold' and not exists (
      select 1 from orders o where o.partner_id = l.partner_id and o.domain = l.domain)
    union all select domain from quotes q where status = 'consumed' and not exists (
      select 1 from orders o where o.quote_id = q.id)
    union all select source from ledger_transactions t where not exists (
      select 1 from orders o where o.public_id = t.source)`.execute(service.app.db)
  expect(rows).toEqual([])
  expect(await eventsOf(client)).toHaveLength(1)
})

test('of concurrent quotes by four partners one holds the domain', async () => {
  const domain = await freshName(service, 'live')
  const responses = await Promise.all(
    times(40, (index) => persist(partners[index % 4], '/quotes', { domain })),
  )
  const made = responses.filter(({ status }) => status === 201)
  expect(made).toHaveLength(10)
  expect(new Set(made.map(({ body }) => body.quote_id)).size).toBe(1)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(30)
  const stored = await service.app.db
    .selectFrom('quotes')
    .select('id')
    .where('domain', '=', domain)
    .execute()
  expect(stored).toHaveLength(1)
})

test('of a burst of 120 quotes by one partner a hundred run', async () => {
  const client = await service.partner()
  const names = times(120, (index) => `burst-${index}.test`)
  await offer(service, 'sandbox', names)
  const responses = await Promise.all(names.map((domain) => persist(client, '/quotes', { domain })))
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(100)
  for (const response of responses.filter(({ status }) => status !== 201)) {
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
  }
  const listed = await Promise.all(names.map((name) => client.get(`/availability?domain=${name}`)))
  expect(listed.filter(({ body }) => body.available)).toHaveLength(20)
})

test('a release and an order that meet leave the domain sold or free, never both', async () => {
  const client = await service.partner()
  for (let round = 0; round < 15; round++) {
    const offered = await quote(client, await freshName(service))
    const [order, release] = await Promise.all([
      client.post('/orders', orderBody(offered)),
      client.delete(`/quotes/${offered.quote_id}`),
    ])
    const { status } = (await client.get(`/domains/${offered.domain}`)).body
    const statuses = [order.status, release.status, status]
    expect([
      [201, 409, 'sold'],
      [409, 200, 'listed'],
    ]).toContainEqual(statuses)
  }
})

test('a refund, a completion and a failure that meet end one way', async () => {
  const client = await service.partner()
  for (let round = 0; round < 10; round++) {
    const offered = await quote(client, await freshName(service))
    const { public_id } = must(await client.post('/orders', orderBody(offered)), 201).body
    must(await client.post(`/sandbox/orders/${public_id}/start-transfer`), 200)
    const moves = await Promise.all([
      client.post('/refunds', { public_id }),
      client.post(`/sandbox/orders/${public_id}/complete-transfer`),
      service.admin('POST', `/orders/${public_id}/refund`, {}),
      client.post(`/sandbox/orders/${public_id}/complete-transfer`),
    ])
    expect(moves.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(moves.filter(({ status }) => status === 409)).toHaveLength(3)
    const { status } = (await client.get(`/orders/${public_id}`)).body
    const domain = (await client.get(`/domains/${offered.domain}`)).body
    expect([
      ['REFUNDED', 'listed'],
      ['TRANSFER_COMPLETED', 'sold'],
    ]).toContainEqual([status, domain.status])
  }
})
