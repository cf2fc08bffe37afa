import { DELIVERIES, keepEndpoint, WEBHOOKS } from './deliveries.ts'
import { expectStatus, expectThat, shown, time } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import { expectDefaultLimit } from './lists.ts'

const RULE = 'service, Events'
const GAPS = 'contract 12'

const check = checksOf('events')

interface Event {
  id: string
  type: string
  created_at: string
  data: { order?: Record<string, unknown> }
}

/** Everything after an event, in pages of a size. */
async function historyOf(kit: Kit, limit: number, after?: string): Promise<Event[]> {
  const events: Event[] = []
  for (let from = after; ; ) {
    const place = from === undefined ? '' : `after_id=${from}&`
    const { body } = expectStatus(await kit.get(`/events?${place}limit=${limit}`), 200)
    events.push(...body.events)
    if (body.next_cursor === null) return events
    const last = body.events.at(-1)?.id
    expectThat(
      body.next_cursor === last,
      `GET /events: next_cursor is ${body.next_cursor} instead of the last id, ${last} (oldest first)`,
    )
    from = body.next_cursor
  }
}

export const EVENTS: Check[] = [
  check(RULE, 'has an order.recorded of each order', async (kit) => {
    const { body: order } = await kit.sale()
    const event = (await historyOf(kit, 100)).find(
      ({ type, data }) =>
        type === 'order.recorded' && data.order?.['public_id'] === order.public_id,
    )
    expectThat(event, `GET /events has no order.recorded of ${order.public_id}`)
    const told = event?.data.order ?? {}
    for (const field of ['domain', 'status', 'sale_price_cents', 'currency']) {
      expectThat(
        told[field] === order[field],
        `GET /events: data.order.${field} is ${shown(told[field])} instead of ${shown(order[field])}`,
      )
    }
    expectThat(time(event?.created_at), `GET /events: created_at is ${shown(event?.created_at)}`)
  }),
  check(RULE, 'tells of a refund', async (kit) => {
    const { public_id } = (await kit.sale()).body
    const before = (await historyOf(kit, 100)).at(-1)?.id
    const refund = await kit.post('/refunds', { public_id }, { key: crypto.randomUUID() })
    expectStatus(refund, 201)
    const types = (await historyOf(kit, 100, before)).map(({ type }) => type)
    expectThat(
      types.includes('order.refunded'),
      `GET /events: after POST /refunds came ${types.join(', ') || 'nothing'} instead of order.refunded`,
    )
  }),
  check(GAPS, 'lists events in the order in which they happened', async (kit) => {
    const before = (await historyOf(kit, 100)).at(-1)?.id
    const one = (await kit.sale()).body.public_id
    const two = (await kit.sale()).body.public_id
    for (const public_id of [one, two]) {
      const refund = await kit.post('/refunds', { public_id }, { key: crypto.randomUUID() })
      expectStatus(refund, 201)
    }
    // Others may act for the same partner meanwhile.
    const ours = (await historyOf(kit, 100, before)).filter(({ data }) =>
      [one, two].includes(data.order?.['public_id']),
    )
    const told = ours.map(({ type, data }) => `${type} ${String(data.order?.['public_id'])}`)
    const happened = [
      `order.recorded ${one}`,
      `order.recorded ${two}`,
      `order.refunded ${one}`,
      `order.refunded ${two}`,
    ]
    expectThat(
      told.join() === happened.join(),
      `GET /events lists ${told.join(', ') || 'nothing'} instead of ${happened.join(', ')}`,
    )
    for (const field of ['created_at', 'id'] as const) {
      const values = ours.map((event) => event[field])
      expectThat(
        values.join() === values.toSorted().join(),
        `GET /events is not sorted by ${field}, oldest first`,
      )
    }
  }),
  check(RULE, 'gives the same history in pages of any size', async (kit) => {
    await kit.sale()
    const all = await historyOf(kit, 100)
    const from = all.at(-6)?.id
    const ids = (events: Event[]) => events.map(({ id }) => id).join()
    const wanted = ids(from === undefined ? all : all.slice(-5))
    for (const limit of [1, 2, 100]) {
      const paged = ids(await historyOf(kit, limit, from))
      expectThat(
        paged === wanted,
        `GET /events: other events came in pages of ${limit} than of 100`,
      )
    }
  }),
  check(GAPS, 'rejects an after_id that it does not know', async (kit) => {
    expectStatus(await kit.get('/events?after_id=evt_none'), 400, 'invalid_cursor')
  }),
  check(GAPS, 'takes a limit of 1 to 100, 50 without one', async (kit) => {
    expectDefaultLimit(expectStatus(await kit.get('/events'), 200), 'events')
    for (const limit of ['0', '101', 'x']) {
      expectStatus(await kit.get(`/events?limit=${limit}`), 400, 'validation_error')
    }
  }),
  check(GAPS, 'rejects endpoints that no delivery may go to', async (kit) => {
    // A service that takes one of these has replaced what was registered.
    await keepEndpoint(kit)
    const secret = 'conformance-secret-0123456789'
    for (const endpoint of [
      { url: 'https://user:password@example.com/hook', secret },
      { url: 'ftp://example.com/hook', secret },
      { url: '/hook', secret },
      { url: 'https://example.com/hook', secret: 'short' },
    ]) {
      expectStatus(await kit.put(WEBHOOKS, endpoint), 400, 'validation_error')
    }
  }),
  ...DELIVERIES,
]
