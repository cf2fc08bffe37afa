import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { eventsOf, ledgerOf, must, offer, operate } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

interface Line {
  public_id: string
  type: string
  owed_cents: number
}

async function statements(client: PartnerClient) {
  const { settlements } = must(await client.get('/settlements?limit=100'), 200).body
  return Promise.all(
    settlements.map(
      async ({ id }: { id: string }) => (await client.get(`/settlements/${id}`)).body,
    ),
  )
}

test('completions and refunds during settlement runs each end in exactly one statement', async () => {
  const clients = await Promise.all([service.partner(), service.partner()])
  const orders: { client: PartnerClient; public_id: string }[] = []
  for (const [index, client] of clients.entries()) {
    const names = Array.from({ length: 20 }, (_, number) => `settle-${index}-${number}.test`)
    await offer(service, 'sandbox', names)
    for (const name of names) {
      const { public_id } = await sold(client, name)
      await operate(service, public_id, 'start')
      orders.push({ client, public_id })
    }
  }

  const closed: string[] = []
  let running = true
  const run = async (start: () => ReturnType<PartnerClient['post']>) => {
    while (running) {
      const response = await start()
      if (response.status === 503) continue
      const { settlements } = must(response, 201).body
      closed.push(...settlements.map(({ id }: { id: string }) => id))
    }
  }
  const runs = [
    run(() => service.admin('POST', '/settlement-runs', { environment: 'sandbox' })),
    run(() => service.admin('POST', '/settlement-runs', { environment: 'sandbox' })),
    ...clients.map((client) => run(() => client.post('/sandbox/settlement-runs'))),
  ]
  const moves = await Promise.all(
    orders.map(async ({ client, public_id }, index) => {
      const [path, body] =
        index % 5 === 0
          ? ['/refunds', { public_id }]
          : [`/sandbox/orders/${public_id}/complete-transfer`, {}]
      const key = randomUUID()
      for (;;) {
        const response = await client.post(path, body, { key })
        if (response.status !== 503) return response
      }
    }),
  )
  running = false
  await Promise.all(runs)
  expect(moves.map(({ status }) => status)).toEqual(
    orders.map((_, index) => (index % 5 === 0 ? 201 : 200)),
  )
  must(await service.admin('POST', '/settlement-runs', { environment: 'sandbox' }), 201)

  expect(new Set(closed).size).toBe(closed.length)
  for (const client of clients) {
    const own = orders.filter((order) => order.client === client).map(({ public_id }) => public_id)
    const all = await statements(client)
    const lines: Line[] = all.flatMap((statement) => statement.lines)
    expect(lines.map(({ public_id }) => public_id).toSorted()).toEqual(own.toSorted())
    const settled = (await eventsOf(client))
      .filter(({ type }) => type === 'order.settled')
      .map(({ data }): string => data.order.public_id)
    const sales = lines.filter(({ type }) => type === 'sale').map(({ public_id }) => public_id)
    expect(settled.toSorted()).toEqual(sales.toSorted())
    for (const public_id of sales) {
      expect((await client.get(`/orders/${public_id}`)).body.status).toBe('SETTLED')
    }
    expect(all.filter(({ status }) => status === 'open')).toHaveLength(1)
    for (const statement of all) {
      const owed = statement.lines.reduce((sum: number, line: Line) => sum + line.owed_cents, 0)
      expect(statement.amount_owed_cents).toBe(owed)
    }
    const ledger = await ledgerOf(service, {
      partnerId: client.partner_id,
      environment: 'sandbox',
    })
    const balance = (account: string) =>
      ledger
        .filter((line) => line.account === account)
        .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
    // Everything is delivered or refunded, and billed: nothing is left in between.
    expect(balance('undelivered_sales')).toBe(0)
    expect(balance('partner_funds')).toBe(0)
    expect(balance('partner_receivable')).toBe(sales.length * 9_000)
  }
}, 120_000)

test('two runs at once settle an order once', async () => {
  const client = await service.partner()
  const names = Array.from({ length: 5 }, (_, index) => `twice-${index}.test`)
  await offer(service, 'sandbox', names)
  for (const name of names) {
    const { public_id } = await sold(client, name)
    await operate(service, public_id, 'start', 'complete')
  }
  const runs = await Promise.all(
    Array.from({ length: 8 }, () => client.post('/sandbox/settlement-runs')),
  )
  const counts: number[] = runs.map((response) => must(response, 201).body.order_count)
  expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 5])
})
