import { type Answer, type Check, checksOf, expectStatus, expectThat, type Kit } from './kit.ts'

const check = checksOf('answers')

/** Reads and writes of both APIs, good and rejected: what stands on every answer stands on these. */
async function answersOf(kit: Kit): Promise<[string, Answer][]> {
  const open = (method: string, target: string, body?: string) =>
    kit.send({
      method,
      target,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
    })
  const search = JSON.stringify({ q: 'example.com' })
  return [
    ['GET /availability', await kit.get('/availability?domain=example.com')],
    ['GET /orders', await kit.get('/orders?limit=1')],
    ['POST /orders', await kit.sale()],
    ['a partner’s 404', await kit.get('/orders/ord_none')],
    ['a wrong signature', await kit.get('/orders', { secret: 'wrong' })],
    ['GET /api/batch', await open('GET', '/api/batch')],
    ['GET /api/market/listings', await open('GET', '/api/market/listings')],
    ['POST /api/domain/search', await open('POST', '/api/domain/search', search)],
    ['a public 400', await open('POST', '/api/domain/search', '{}')],
  ]
}

type Is = (value: unknown) => boolean
type Shape = Record<string, Is>

const text: Is = (value) => typeof value === 'string' && value !== ''
const whole: Is = (value) => Number.isInteger(value)
const time: Is = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/.test(value)
const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value)

const ORDER: Shape = {
  public_id: (value) => String(value).startsWith('ord_'),
  domain: text,
  status: text,
  payment_model: (value) => value === 'partner_collected',
  sale_price_cents: whole,
  currency: text,
  commission_cents: whole,
  amount_owed_cents: whole,
  held: (value) => typeof value === 'boolean',
  hold_reason: orNull(text),
  quote_id: text,
  external_payment_ref: text,
  buyer: (value) => text((value as { email?: unknown } | null)?.email),
  return_url: orNull(text),
  cancel_url: orNull(text),
  transfer: (value) => typeof value === 'object' && value !== null,
  created_at: time,
  updated_at: time,
  timeline: (value) => Array.isArray(value) && value.length > 0,
}
const STEP: Shape = { at: time, type: text, status: text, note: orNull(text) }

function expectShape(value: Record<string, unknown>, shape: Shape, what: string): void {
  for (const [field, is] of Object.entries(shape)) {
    expectThat(is(value[field]), `${what} has a ${field} of ${JSON.stringify(value[field])}`)
  }
}

export const ANSWERS: Check[] = [
  check('contract 1', 'names each request, whatever the answer', async (kit) => {
    for (const [what, { headers }] of await answersOf(kit)) {
      expectThat(headers['x-request-id'], `${what} has no X-Request-Id`)
    }
  }),
  check('contract 2', 'gives an error its form, with the id of the request', async (kit) => {
    for (const [what, { status, headers, body }] of await answersOf(kit)) {
      if (status < 400) continue
      const { message, request_id } = body?.error ?? {}
      expectThat(typeof message === 'string' && message !== '', `${what} has no message`)
      expectThat(request_id === headers['x-request-id'], `${what} has another request_id`)
    }
  }),
  check('contract 4', 'shows everyone where they stand in their limit', async (kit) => {
    for (const [what, { headers }] of await answersOf(kit)) {
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
        const value = String(headers[name])
        expectThat(/^\d+$/.test(value), `${name} of ${what} is ${value}`)
      }
      expectThat(headers['ratelimit-policy'], `${what} has no ratelimit-policy`)
    }
  }),
  check('contract 7', 'gives an order all its fields, wherever it shows one', async (kit) => {
    const { body: made } = await kit.sale()
    const { body: one } = expectStatus(await kit.get(`/orders/${made.public_id}`), 200)
    const { body: list } = expectStatus(await kit.get(`/orders?domain=${made.domain}`), 200)
    const [listed = {}] = list.orders
    for (const [what, order] of Object.entries({
      'POST /orders': made,
      'GET /orders/{public_id}': one,
      'GET /orders': listed,
    })) {
      expectShape(order, ORDER, what)
      for (const step of order.timeline) expectShape(step, STEP, `the timeline of ${what}`)
      const { commission_cents, amount_owed_cents, sale_price_cents } = order
      expectThat(
        commission_cents + amount_owed_cents === sale_price_cents,
        `the parts of ${what} do not add up to its price`,
      )
    }
  }),
  check('contract 7', 'tells the steps of an order, oldest first', async (kit) => {
    const { public_id } = (await kit.sale()).body
    const refund = await kit.post('/refunds', { public_id }, { key: crypto.randomUUID() })
    expectStatus(refund, 201)
    const { status, timeline } = expectStatus(await kit.get(`/orders/${public_id}`), 200).body
    const types = timeline.map(({ type }: { type: string }) => type).join(', ')
    expectThat(types === 'order.recorded, order.refunded', `they are ${types}`)
    expectThat(status === 'REFUNDED', `the order is ${status}`)
  }),
]
