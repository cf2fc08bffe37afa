import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PartnerClient, type Result } from '../support/client.ts'
import { eventsOf, must, operate } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService, testClock } from '../support/service.ts'

/** A market of 0.2.0 as `pg_dump --inserts` wrote it, and what its API returned then. */
const DUMP = new URL('./market-0.2.0.sql.gz', import.meta.url)
const RETURNED = new URL('./market-0.2.0.json', import.meta.url)

interface Kept {
  credential: { key_id: string; secret: string }
  read: Record<string, Result['body']>
}

describe('a market of 0.2.0 that is upgraded', () => {
  let service: TestService
  let kept: { sandbox: Kept & { events: { id: string }[] }; live: Kept }
  let clients: Record<'sandbox' | 'live', PartnerClient>
  beforeAll(async () => {
    const { written_at, ...then } = JSON.parse(await readFile(RETURNED, 'utf8'))
    kept = then
    // Minutes later: what ends with time has not ended yet.
    const clock = testClock()
    clock.advance(Date.parse(written_at) + 5 * 60_000 - Date.now())
    const dump = (await promisify(gunzip)(await readFile(DUMP))).toString()
    service = await startService({ clock, dump })
    const clientOf = ({ credential }: Kept) =>
      new PartnerClient(service.baseUrl, clock.now, { partner_id: '', ...credential })
    clients = { sandbox: clientOf(kept.sandbox), live: clientOf(kept.live) }
  })
  afterAll(() => service?.stop())

  test.each(['sandbox', 'live'] as const)(
    'reads in the %s environment as before: orders, money, cases, domains',
    async (environment) => {
      for (const [path, before] of Object.entries(kept[environment].read)) {
        expect(must(await clients[environment].get(path), 200).body, path).toMatchObject(before)
      }
    },
  )

  test('has all events, in their order', async () => {
    const now = await eventsOf(clients.sandbox)
    expect(now.slice(0, kept.sandbox.events.length)).toMatchObject(kept.sandbox.events)
  })

  test('its orders are delivered, and it sells on', async () => {
    const orders = Object.values(kept.live.read)
    const { public_id } = orders.find((body) => body.public_id)
    const order = await operate(service, public_id, 'start')
    expect(order.status).toBe('TRANSFER_IN_PROGRESS')
    expect(await sold(clients.live, 'stillforsale.com')).toMatchObject({
      sale_price_cents: 250_000,
    })
    must(await clients.sandbox.post('/quotes', { domain: 'aquariumatlas.example' }), 409)
  })
})
