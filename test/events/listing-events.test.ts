import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { tellListingChanges } from '../../src/domain/orders/tell-changes.ts'
import type { PartnerClient } from '../support/client.ts'
import { must, operate } from '../support/market.ts'
import { quote, sell, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY = 24 * 3_600_000

let service: TestService
let seller: PartnerClient
let reader: PartnerClient
beforeAll(async () => {
  service = await startService()
  seller = await service.partner({ environment: 'live' })
  reader = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

async function list(domain: string, price = 50_000, environment: 'live' | 'sandbox' = 'live') {
  await service.list(environment, `domain,price_cents\n${domain},${price}\n`)
}

async function told(client: PartnerClient, domain: string) {
  await tellListingChanges.run(service.app, new AbortController().signal)
  const { body } = must(await client.get('/events?limit=100'), 200)
  return body.events
    .filter(({ data }: any) => data.listing?.domain === domain)
    .map(({ type, data }: any) => ({ type, ...data.listing }))
}

async function watched(domain: string, count = 1): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await service.app.db
      .selectFrom('listing_watches')
      .selectAll()
      .where('domain', '=', domain)
      .execute()
    expect(rows.length).toBe(count)
  })
}

const shown = { price_cents: 50_000, currency: 'USD' }

describe('a partner who has read a listing', () => {
  test('hears that its price changed, once', async () => {
    await list('changing.com')
    await reader.get('/domains/changing.com')
    await watched('changing.com')
    expect(await told(reader, 'changing.com')).toEqual([])
    await list('changing.com', 60_000)
    const changed = {
      type: 'listing.changed',
      domain: 'changing.com',
      price_cents: 60_000,
      currency: 'USD',
      status: 'listed',
    }
    expect(await told(reader, 'changing.com')).toEqual([changed])
    expect(await told(reader, 'changing.com')).toEqual([changed])
    expect(await told(seller, 'changing.com')).toEqual([])
  })

  test('hears that it was withdrawn, and that it is back', async () => {
    await list('leaving.com')
    await reader.get('/pricing?domain=leaving.com')
    await watched('leaving.com')
    must(await service.admin('DELETE', '/listings/leaving.com?environment=live'), 200)
    const withdrawn = { type: 'listing.withdrawn', domain: 'leaving.com', ...shown }
    expect(await told(reader, 'leaving.com')).toEqual([{ ...withdrawn, status: 'delisted' }])
    await list('leaving.com')
    expect((await told(reader, 'leaving.com')).map(({ type }: any) => type).toSorted()).toEqual([
      'listing.changed',
      'listing.withdrawn',
    ])
  })

  test('hears that somebody else sold it, and the seller does not', async () => {
    await list('selling.com')
    await reader.get('/availability?domain=selling.com')
    await watched('selling.com')
    await sold(seller, 'selling.com')
    expect(await told(reader, 'selling.com')).toEqual([
      { type: 'listing.sold', domain: 'selling.com', ...shown, status: 'sold' },
    ])
    expect(await told(seller, 'selling.com')).toEqual([])
  })

  test('hears nothing of a reservation, or after 30 days', async () => {
    await list('resting.com')
    await reader.get('/domains/resting.com')
    await watched('resting.com')
    await quote(seller, 'resting.com')
    expect(await told(reader, 'resting.com')).toEqual([])
    service.clock.advance(31 * DAY)
    await list('resting.com', 70_000)
    expect(await told(reader, 'resting.com')).toEqual([])
  })
})

test('a search makes nobody hear of a listing', async () => {
  await list('searched.com')
  must(await reader.get('/domains/search?q=searched'), 200)
  await list('searched.com', 60_000)
  expect(await told(reader, 'searched.com')).toEqual([])
})

test('who has quoted or linked it hears of it', async () => {
  await list('quoted.com')
  const { quote_id } = await quote(reader, 'quoted.com')
  must(await reader.delete(`/quotes/${quote_id}`), 200)
  await list('linked.com')
  must(await reader.post('/checkout-session', { domain: 'linked.com' }), 201)
  await list('quoted.com', 60_000)
  await list('linked.com', 60_000)
  expect(await told(reader, 'quoted.com')).toMatchObject([{ type: 'listing.changed' }])
  expect(await told(reader, 'linked.com')).toMatchObject([{ type: 'listing.changed' }])
})

test('a sale that is refunded puts it back for those who asked', async () => {
  await list('returned.com')
  await reader.get('/domains/returned.com')
  await watched('returned.com')
  const { body } = await sell(seller, 'returned.com')
  await told(reader, 'returned.com')
  await operate(service, body.public_id, 'cancel')
  expect((await told(reader, 'returned.com')).map(({ type }: any) => type).toSorted()).toEqual([
    'listing.changed',
    'listing.sold',
  ])
  // Whose order it was has its events.
  expect(await told(seller, 'returned.com')).toEqual([])
})

test('who sold it once hears when somebody else sells it next', async () => {
  await list('resold.com')
  const { body } = await sell(seller, 'resold.com')
  await operate(service, body.public_id, 'cancel')
  await told(seller, 'resold.com')
  await sold(reader, 'resold.com')
  expect((await told(seller, 'resold.com')).map(({ type }: any) => type)).toEqual(['listing.sold'])
  expect(await told(reader, 'resold.com')).toEqual([])
})

test('in the sandbox a partner hears of the names that all share', async () => {
  const sandbox = await service.partner()
  await list('sandboxed.test', 50_000, 'sandbox')
  await sandbox.get('/domains/sandboxed.test')
  await watched('sandboxed.test')
  await list('sandboxed.test', 60_000, 'sandbox')
  expect(await told(sandbox, 'sandboxed.test')).toMatchObject([{ type: 'listing.changed' }])
})
