import { domainToASCII } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { BAD_DOMAINS, queryOf } from '../support/inputs.ts'
import { freshName, must, offer, operate, refusal } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const HOURS_MS = 3_600_000

let service: TestService
let partner: PartnerClient
/** Of the partner, oldest first, an hour apart. */
const orders: { public_id: string; domain: string; created_at: string }[] = []
beforeAll(async () => {
  service = await startService({ settings: { settlementSchedule: 'manual' } })
  partner = await service.partner()
  for (let count = 0; count < 5; count++) {
    orders.push(await sold(partner, await freshName(service)))
    service.clock.advance(HOURS_MS)
  }
  await operate(service, orders[1]?.public_id ?? '', 'start')
  await operate(service, orders[2]?.public_id ?? '', 'refund')
})
afterAll(() => service.stop())

const ids = async (query: string, client = partner): Promise<string[]> =>
  must(await client.get(`/orders${query}`), 200).body.orders.map(
    ({ public_id }: { public_id: string }) => public_id,
  )
const idOf = (index: number) => orders[index]?.public_id ?? ''
const timeOf = (index: number) => encodeURIComponent(orders[index]?.created_at ?? '')

/** All pages, and how long each was. */
async function pages(client: PartnerClient, filters: Parameters<typeof queryOf>[0]) {
  const seen: string[] = []
  const sizes: number[] = []
  let cursor: string | undefined
  for (;;) {
    const { body } = must(await client.get(`/orders${queryOf({ ...filters, cursor })}`), 200)
    seen.push(...body.orders.map(({ public_id }: { public_id: string }) => public_id))
    sizes.push(body.orders.length)
    if (body.next_cursor === null) return { seen, sizes }
    cursor = body.next_cursor
  }
}

describe('GET /orders', () => {
  test('lists the orders newest first, each as it reads alone', async () => {
    const { body } = must(await partner.get('/orders'), 200)
    expect(body.next_cursor).toBeNull()
    expect(await ids('')).toEqual(orders.map(({ public_id }) => public_id).toReversed())
    for (const order of body.orders) {
      expect(order).toEqual((await partner.get(`/orders/${order.public_id}`)).body)
    }
  })

  test("shows no one else's, and none of the other environment", async () => {
    const other = await service.partner()
    const live = await service.partner({ partner_id: partner.partner_id, environment: 'live' })
    expect(await ids('', other)).toEqual([])
    expect(await ids('', live)).toEqual([])
  })

  test('is open to search or buy', async () => {
    for (const scope of ['search', 'buy'] as const) {
      const client = await service.partner({ partner_id: partner.partner_id, scopes: [scope] })
      expect(await ids('', client)).toHaveLength(5)
    }
    const reporter = await service.partner({ scopes: ['report', 'webhook', 'embed'] })
    expect(refusal(await reporter.get('/orders'))).toEqual({ status: 403, code: 'forbidden' })
  })
})

test('pages of a span of time go on where they stopped, after the clock was moved too', async () => {
  const seller = await service.partner()
  const { created_at } = await sold(seller, await freshName(service))
  const before = await sold(seller, await freshName(service))
  must(await seller.post('/sandbox/clock', { advance_seconds: 86_400 }), 200)
  const after = await sold(seller, await freshName(service))
  const from = new Date(Date.parse(created_at) - 25 * HOURS_MS).toISOString()
  const { seen } = await pages(seller, { limit: 1, from })
  expect(seen.slice(0, 2)).toEqual([after.public_id, before.public_id])
  expect(seen).toHaveLength(3)
  const yesterday = {
    limit: 1,
    from,
    to: new Date(Date.parse(created_at) - HOURS_MS).toISOString(),
  }
  expect((await pages(seller, yesterday)).seen).toEqual(seen.slice(1))
})

test('pages part orders of one moment, each of which comes once', async () => {
  const seller = await service.partner()
  const made: string[] = []
  for (let count = 0; count < 5; count++) {
    made.push((await sold(seller, await freshName(service))).public_id)
  }
  await service.app.db
    .updateTable('orders')
    .set({ created_at: service.clock.now() })
    .where('public_id', 'in', made)
    .execute()
  expect(await pages(seller, { limit: 2 })).toEqual({ seen: made.toReversed(), sizes: [2, 2, 1] })
})

describe('the filters', () => {
  test('by status', async () => {
    expect(await ids('?status=TRANSFER_IN_PROGRESS')).toEqual([idOf(1)])
    expect(await ids('?status=REFUNDED')).toEqual([idOf(2)])
    expect(await ids('?status=EXTERNALLY_PAID')).toEqual([idOf(4), idOf(3), idOf(0)])
    expect(await ids('?status=SETTLED')).toEqual([])
  })

  test('by domain, in any case and as U-labels', async () => {
    expect(await ids(`?domain=${orders[3]?.domain.toUpperCase()}`)).toEqual([idOf(3)])
    await offer(service, 'sandbox', [domainToASCII('grün.test')])
    const client = await service.partner()
    const { public_id } = await sold(client, 'grün.test')
    expect(await ids('?domain=GR%C3%9CN.test', client)).toEqual([public_id])
    expect(await ids('?domain=petpantry.test', client)).toEqual([])
  })

  test('from a moment on, up to another and not at it', async () => {
    expect(await ids(`?from=${timeOf(3)}`)).toEqual([idOf(4), idOf(3)])
    expect(await ids(`?from=${timeOf(3).replace('T', 't').replace('Z', 'z')}`)).toEqual([
      idOf(4),
      idOf(3),
    ])
    expect(await ids(`?to=${timeOf(3)}`)).toEqual([idOf(2), idOf(1), idOf(0)])
    expect(await ids(`?from=${timeOf(1)}&to=${timeOf(3)}`)).toEqual([idOf(2), idOf(1)])
    expect(await ids(`?from=${timeOf(3)}&to=${timeOf(1)}`)).toEqual([])
  })

  test('a moment finer than a millisecond is after what happened at that millisecond', async () => {
    const finer = timeOf(3).replace('Z', '001Z')
    expect(await ids(`?from=${finer}`)).toEqual([idOf(4)])
    expect(await ids(`?to=${finer}`)).toEqual([idOf(3), idOf(2), idOf(1), idOf(0)])
    const same = timeOf(3).replace('Z', '000Z')
    expect(await ids(`?from=${same}`)).toEqual([idOf(4), idOf(3)])
    expect(await ids(`?to=${same}`)).toEqual([idOf(2), idOf(1), idOf(0)])
  })

  test('by a date, which is its midnight in UTC, and by an offset', async () => {
    const day = (index: number, days: number) =>
      new Date(Date.parse(orders[index]?.created_at ?? '') + days * 24 * HOURS_MS)
        .toISOString()
        .slice(0, 10)
    expect(await ids(`?from=${day(0, 0)}`)).toHaveLength(5)
    expect(await ids(`?to=${day(0, 0)}`)).toEqual([])
    expect(await ids(`?to=${day(4, 1)}`)).toHaveLength(5)
    const shifted = new Date(Date.parse(orders[3]?.created_at ?? '') + 2 * HOURS_MS)
      .toISOString()
      .replace('Z', '+02:00')
    expect(await ids(`?from=${encodeURIComponent(shifted)}`)).toEqual([idOf(4), idOf(3)])
  })

  test('together', async () => {
    expect(await ids(`?from=${timeOf(1)}&status=EXTERNALLY_PAID`)).toEqual([idOf(4), idOf(3)])
  })

  test.each([
    ['status', 'PAID_OUT'],
    ['status', ''],
    ['from', 'yesterday'],
    ['from', '2026-02-30'],
    ['from', '2026-01-01T00:00:00'],
    ['to', '1767225600'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', 'abc'],
    ['limit', ''],
    ['limit', '1e2'],
  ])('refuses %s=%s', async (field, value) => {
    const response = await partner.get(`/orders${queryOf({ [field]: value })}`)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe(field)
  })

  test('shows how to write a time, of which a blank for its + makes none', async () => {
    const response = await partner.get(`/orders${queryOf({ from: '2026-11-23T09:00:00 02:00' })}`)
    expect(response.body.error.message).toBe(
      'from: must be a date or an RFC 3339 time, such as 2026-11-23 or 2026-11-23T09:00:00Z',
    )
  })

  test('rejects names that are none', async () => {
    for (const domain of BAD_DOMAINS) {
      const response = await partner.get(`/orders${queryOf({ domain })}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
  })

  test('ignores what it does not know', async () => {
    expect(await ids('?colour=red')).toHaveLength(5)
  })
})

describe('the pages', () => {
  test.each([1, 2, 4, 5, 100])('of %i have everything once', async (limit) => {
    const { seen, sizes } = await pages(partner, { limit })
    expect(seen).toEqual(orders.map(({ public_id }) => public_id).toReversed())
    expect(Math.max(...sizes)).toBe(Math.min(limit, 5))
    expect(sizes).toHaveLength(Math.ceil(5 / limit))
  })

  test('of a filtered list stay filtered', async () => {
    const { seen } = await pages(partner, { limit: 1, status: 'EXTERNALLY_PAID' })
    expect(seen).toEqual([idOf(4), idOf(3), idOf(0)])
  })

  test('miss and repeat nothing while orders arrive', async () => {
    const busy = await service.partner()
    const names = Array.from({ length: 24 }, (_, index) => `arriving-${index}.test`)
    await offer(service, 'sandbox', names)
    const earlier: string[] = []
    for (const name of names.slice(0, 12)) earlier.push((await sold(busy, name)).public_id)
    const arriving = Promise.all(names.slice(12).map((name) => sold(busy, name)))
    const { seen } = await pages(busy, { limit: 2 })
    await arriving
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => earlier.includes(id))).toEqual(earlier.toReversed())
    expect(seen).toEqual(seen.toSorted().toReversed())
  })

  test('are fifty long unless said', async () => {
    const busy = await service.partner()
    const names = Array.from({ length: 51 }, (_, index) => `many-${index}.test`)
    await offer(service, 'sandbox', names)
    await Promise.all(names.map((name) => sold(busy, name)))
    expect((await pages(busy, {})).sizes).toEqual([50, 1])
    expect((await pages(busy, { limit: 51 })).sizes).toEqual([51])
  })
})

describe('a cursor', () => {
  const cursorOf = async (filters: Record<string, string> = {}): Promise<string> =>
    must(await partner.get(`/orders${queryOf({ ...filters, limit: 1 })}`), 200).body.next_cursor

  test('is good for its filters only', async () => {
    const status = 'EXTERNALLY_PAID'
    const plain = await cursorOf()
    const filtered = await cursorOf({ status })
    for (const query of [
      { cursor: plain, status },
      { cursor: filtered },
      { cursor: filtered, status: 'REFUNDED' },
      { cursor: filtered, status, domain: 'petpantry.test' },
      { cursor: plain, from: '2020-01-01' },
      { cursor: plain, to: '2100-01-01' },
    ]) {
      const response = await partner.get(`/orders${queryOf(query)}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'invalid_cursor' })
    }
    expect(await ids(queryOf({ cursor: filtered, status }))).toEqual([idOf(3), idOf(0)])
  })

  test('may be used with another limit', async () => {
    expect(await ids(queryOf({ cursor: await cursorOf(), limit: 2 }))).toEqual([idOf(3), idOf(2)])
  })

  test('of another partner, or with a letter more, is rejected', async () => {
    const other = await service.partner()
    const cursor = await cursorOf()
    for (const [reader, given] of [
      [other, cursor],
      [partner, `${cursor}A`],
    ] as const) {
      const response = await reader.get(`/orders?cursor=${given}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'invalid_cursor' })
    }
  })

  test('of another list is rejected', async () => {
    const all = await service.admin('GET', '/orders?limit=1')
    const response = await partner.get(`/orders?cursor=${all.body.next_cursor}`)
    expect(refusal(response)).toEqual({ status: 400, code: 'invalid_cursor' })
  })

  test.each(['', 'x', 'bnVsbA', 'W10', 'WyJvcmRfMSIsInt9Il0', 'a'.repeat(5_000)])(
    'that is none is refused: %s',
    async (cursor) => {
      const response = await partner.get(`/orders${queryOf({ cursor })}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'invalid_cursor' })
    },
  )
})
