import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

/** What instances of a newer version do to the tables, one after another, while this one serves. */
const CHANGES = ['orders', 'listings', 'quotes', 'checkout_sessions', 'events', 'webhook_endpoints']

describe('an instance of a version before', () => {
  let service: TestService
  let client: PartnerClient
  beforeAll(async () => {
    service = await startService()
    client = await service.partner()
  })
  afterAll(() => service.stop())

  /** Reads and writes, of one statement and of many. */
  async function everything(domain: string): Promise<string[]> {
    const held = await quote(client, domain)
    await client.delete(`/quotes/${held.quote_id}`)
    const order = await sold(client, domain)
    const session = await client.post('/checkout-session', { domain: `get${domain}` })
    const responses = [
      session,
      await client.get(`/orders/${order.public_id}`),
      await client.get(`/quotes/${held.quote_id}`),
      await client.get(`/checkout-session/${session.body.id}`),
      await client.get('/orders?limit=1'),
      await client.get('/events?limit=1'),
      await service.admin('POST', `/orders/${order.public_id}/start`),
      await client.post('/refunds', { public_id: order.public_id }),
    ]
    return responses.map(({ status, text }) => (status < 300 ? 'ok' : text))
  }

  test('serves on when columns have come to its tables', async () => {
    const names = ['one', 'two', 'three'].map((name) => `${name}shop.test`)
    const both = names.flatMap((name) => [name, `get${name}`])
    await service.list('sandbox', both.map((name) => `${name},5000,,USD`).join('\n'))
    const ok = Array.from({ length: 8 }, () => 'ok')
    expect(await everything(names[0] ?? '')).toEqual(ok)
    for (const table of CHANGES) {
      await service.app.server.query(`alter table ${table} add column later text`, [])
    }
    expect(await everything(names[1] ?? '')).toEqual(ok)

    // Those that were under way meet it too, many at once.
    await service.app.server.query('alter table orders add column later_still text', [])
    const reads = Array.from({ length: 30 }, () => client.get('/orders?limit=1'))
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await everything(names[2] ?? '')).toEqual(ok)
  })
})
