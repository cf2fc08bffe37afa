import { DELIVERIES, keepEndpoint, WEBHOOKS } from './deliveries.ts'
import { type Check, checksOf, expectStatus, expectThat, type Kit } from './kit.ts'

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
    expectThat(body.next_cursor === body.events.at(-1)?.id, 'next_cursor is not the last id')
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
    expectThat(event, 'it is not in the history')
    const told = event?.data.order ?? {}
    for (const field of ['domain', 'status', 'sale_price_cents', 'currency']) {
      expectThat(told[field] === order[field], `data.order.${field} is ${String(told[field])}`)
    }
    expectThat(/^\d{4}-.*Z$/.test(event?.created_at ?? ''), 'created_at is no RFC 3339 in UTC')
  }),
  check(RULE, 'tells of a refund', async (kit) => {
    const { public_id } = (await kit.sale()).body
    const before = (await historyOf(kit, 100)).at(-1)?.id
    const refund = await kit.post('/refunds', { public_id }, { key: crypto.randomUUID() })
    expectStatus(refund, 201)
    const types = (await historyOf(kit, 100, before)).map(({ type }) => type)
    expectThat(types.includes('order.refunded'), `after it came ${types.join(', ') || 'nothing'}`)
  }),
  check(GAPS, 'tells things in the order in which they happened', async (kit) => {
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
    expectThat(told.join() === happened.join(), `it tells ${told.join(', ') || 'nothing'}`)
    for (const field of ['created_at', 'id'] as const) {
      const values = ours.map((event) => event[field])
      expectThat(values.join() === values.toSorted().join(), `not by ${field}`)
    }
  }),
  check(RULE, 'gives the same history in pages of any size', async (kit) => {
    await kit.sale()
    const all = await historyOf(kit, 100)
    const from = all.at(-6)?.id
    const ids = (events: Event[]) => events.map(({ id }) => id).join()
    const wanted = ids(from === undefined ? all : all.slice(-5))
    for (const limit of [1, 2, 100]) {
      expectThat(ids(await historyOf(kit, limit, from)) === wanted, `not in pages of ${limit}`)
    }
  }),
  check(GAPS, 'rejects an after_id that it does not know', async (kit) => {
    expectStatus(await kit.get('/events?after_id=evt_none'), 400, 'invalid_cursor')
  }),
  check(GAPS, 'takes a limit of 1 to 100', async (kit) => {
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
