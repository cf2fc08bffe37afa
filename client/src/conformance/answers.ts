import {
  expectField,
  expectShape,
  expectStatus,
  expectThat,
  expectUncached,
  flag,
  idOf,
  list,
  orNull,
  type Shape,
  shown,
  text,
  time,
  whole,
} from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import type { Answer } from './wire.ts'

const check = checksOf('answers')

interface Told {
  what: string
  answer: Answer
  isPartners: boolean
}

/** Reads and writes of both APIs, good and rejected: what stands on every answer stands on these. */
async function answersOf(kit: Kit): Promise<Told[]> {
  const open = (method: string, target: string, body?: string) =>
    kit.send({
      method,
      target,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
    })
  const search = JSON.stringify({ q: 'example.com' })
  const partners = [
    await kit.get('/availability?domain=example.com'),
    await kit.get('/orders?limit=1'),
    await kit.sale(),
    await kit.get('/orders/ord_none'),
    await kit.get('/orders', { secret: 'wrong' }),
  ]
  const everyones = [
    await open('GET', '/api/batch'),
    await open('GET', '/api/market/listings'),
    await open('POST', '/api/domain/search', search),
    await open('POST', '/api/domain/search', '{}'),
  ]
  return [...partners, ...everyones].map((answer) => ({
    what: `${answer.operation} (${answer.status})`,
    answer,
    isPartners: partners.includes(answer),
  }))
}

const ORDER: Shape = {
  public_id: idOf('ord_'),
  domain: text,
  status: text,
  payment_model: (value) => value === 'partner_collected',
  sale_price_cents: whole,
  currency: text,
  commission_cents: whole,
  amount_owed_cents: whole,
  held: flag,
  hold_reason: orNull(text),
  quote_id: idOf('qt_'),
  external_payment_ref: text,
  buyer: (value) => text((value as { email?: unknown } | null)?.email),
  return_url: orNull(text),
  cancel_url: orNull(text),
  transfer: (value) => typeof value === 'object' && value !== null,
  delivery: (value) => text((value as { method?: unknown } | null)?.method),
  created_at: time,
  updated_at: time,
  timeline: (value) => list(value) && (value as []).length > 0,
}
const STEP: Shape = { at: time, type: text, status: text, note: orNull(text) }

export const ANSWERS: Check[] = [
  check(
    'contract 1',
    'names each request by an id of its own, whatever the answer',
    async (kit) => {
      const seen = new Map<string, string>()
      for (const { what, answer } of await answersOf(kit)) {
        const id = String(answer.headers['x-request-id'] ?? '')
        expectThat(id, `${what} has no X-Request-Id`)
        expectThat(!seen.has(id), `${what} has the X-Request-Id ${id} of ${seen.get(id)}`)
        seen.set(id, what)
      }
    },
  ),
  check('contract 2', 'gives an error its form, with the id of the request', async (kit) => {
    for (const { what, answer } of await answersOf(kit)) {
      const { status, headers, body } = answer
      if (status < 400) continue
      const error = body?.error
      const isForm = text(error?.code) && text(error?.message)
      expectThat(
        isForm,
        `${what}: the body is ${shown(body)} instead of {"error": {"code", "message", "request_id"}}`,
      )
      const id = headers['x-request-id']
      expectThat(
        error.request_id === id,
        `${what}: error.request_id is ${shown(error.request_id)}, and X-Request-Id is ${shown(id)}`,
      )
    }
  }),
  check('contract 1', 'answers JSON, which no shared cache may keep for partners', async (kit) => {
    for (const { what, answer, isPartners } of await answersOf(kit)) {
      const { 'content-type': type = 'missing' } = answer.headers
      expectThat(/^application\/json\b/.test(type), `${what}: Content-Type is ${type}`)
      if (isPartners) expectUncached(answer)
    }
  }),
  check('contract 4', 'shows everyone where they stand in their limit', async (kit) => {
    for (const { what, answer } of await answersOf(kit)) {
      for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']) {
        const value = answer.headers[name.toLowerCase()]
        expectThat(/^\d+$/.test(String(value)), `${what}: ${name} is ${shown(value)}`)
      }
      expectThat(answer.headers['ratelimit-policy'], `${what} has no RateLimit-Policy`)
    }
  }),
  check('contract 7', 'gives an order all its fields, wherever it shows one', async (kit) => {
    const wanted = await kit.offer()
    const key = crypto.randomUUID()
    const { body: made } = expectStatus(await kit.post('/orders', wanted, { key }), 201)
    const { body: one } = expectStatus(await kit.get(`/orders/${made.public_id}`), 200)
    const { body: all } = expectStatus(await kit.get(`/orders?domain=${made.domain}`), 200)
    for (const [what, order] of Object.entries({
      'POST /orders': made,
      'GET /orders/{public_id}': one,
      'GET /orders': all.orders[0] ?? {},
    })) {
      expectShape(order, ORDER, what)
      for (const step of order.timeline) expectShape(step, STEP, `the timeline of ${what}`)
      const { commission_cents, amount_owed_cents, sale_price_cents, buyer } = order
      expectThat(
        commission_cents + amount_owed_cents === sale_price_cents,
        `${what}: commission_cents and amount_owed_cents do not add up to sale_price_cents`,
      )
      expectThat(
        buyer.email === wanted.buyer.email,
        `${what}: buyer.email is ${buyer.email} instead of ${wanted.buyer.email}`,
      )
    }
  }),
  check('contract 7', 'lists the steps of an order, oldest first', async (kit) => {
    const { public_id } = (await kit.sale()).body
    const refund = await kit.post('/refunds', { public_id }, { key: crypto.randomUUID() })
    expectStatus(refund, 201)
    const answer = expectStatus(await kit.get(`/orders/${public_id}`), 200)
    const types = answer.body.timeline.map(({ type }: { type: string }) => type).join(', ')
    const wanted = 'order.recorded, order.refunded'
    expectThat(
      types === wanted,
      `${answer.operation}: the timeline is ${types} instead of ${wanted}`,
    )
    expectField(answer, 'status', 'REFUNDED')
  }),
]
