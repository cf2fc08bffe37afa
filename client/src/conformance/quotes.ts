import {
  expectConflict,
  expectField,
  expectShape,
  expectStatus,
  expectThatOf,
  idOf,
  type Shape,
  Skipped,
  text,
  time,
  whole,
} from './expect.ts'
import { type Check, checksOf, type Kit, unlisted } from './kit.ts'
import { type Answer } from './wire.ts'

const QUOTES = 'service, Quotes and orders'
const STATES = 'service, States'
const ERRORS = 'service, Errors'
const GAPS = 'contract 7'
const WINDOW_S = 600
/** How far the service's clock may be from what its Date field says. */
const CLOCK_S = 5

const check = checksOf('quotes')

/** A POST with a key of its own. */
const post = (kit: Kit, target: string, value: object) =>
  kit.post(target, value, { key: crypto.randomUUID() })

/** An order by a quote, beside any other of the same quote. */
function orderOf(kit: Kit, body: object, change: object = {}): Promise<Answer> {
  const external_payment_ref = `conformance-${crypto.randomUUID()}`
  return post(kit, '/orders', { ...body, external_payment_ref, ...change })
}

const release = (kit: Kit, id: string) => kit.signed({ method: 'DELETE', target: `/quotes/${id}` })

async function expectState(kit: Kit, id: string, state: string): Promise<void> {
  expectField(expectStatus(await kit.get(`/quotes/${id}`), 200), 'status', state)
}

/** A 409 that names the state in which an order is. */
function expectNotAllowed(answer: Answer, ...states: string[]): void {
  const { status } = expectConflict(answer, 'not_allowed_now').body.error.details
  const wanted = states.join(' or ')
  expectThatOf(
    answer,
    states.includes(status),
    `error.details.status is ${status} instead of ${wanted}`,
  )
}

/** Makes all of the sandbox older. */
async function pass(kit: Kit, seconds: number): Promise<void> {
  const answer = await post(kit, '/sandbox/clock', { advance_seconds: seconds })
  if (answer.status === 404) throw new Skipped('this service has no POST /sandbox/clock')
  expectStatus(answer, 200)
}

/** An order that nothing can take back; one stays in the sandbox, for the next run too. */
export async function delivered(kit: Kit): Promise<string> {
  for (const status of ['TRANSFER_COMPLETED', 'SETTLED']) {
    const { body } = expectStatus(await kit.get(`/orders?status=${status}&limit=100`), 200)
    const ours = body.orders.find((order: Record<string, unknown>) =>
      String(order['external_payment_ref']).startsWith('conformance-'),
    )
    if (ours) return ours.public_id
  }
  const { public_id } = (await kit.sale()).body
  for (const move of ['start-transfer', 'complete-transfer']) {
    expectStatus(await post(kit, `/sandbox/orders/${public_id}/${move}`, {}), 200)
  }
  return public_id
}

const QUOTE: Shape = {
  quote_id: idOf('qt_'),
  quote_token: text,
  domain: text,
  price_cents: whole,
  currency: text,
  status: text,
  created_at: time,
  expires_at: time,
}
const REFUND: Shape = {
  refund_id: idOf('rf_'),
  public_id: idOf('ord_'),
  status: text,
  amount_cents: whole,
  currency: text,
  created_at: time,
}

export const QUOTE_STATES: Check[] = [
  check(QUOTES, 'reserves a name at a firm price for 10 minutes', async (kit) => {
    const { domain, quote_id, sale_price_cents, currency } = await kit.offer()
    for (const answer of [
      expectStatus(await post(kit, '/quotes', { domain }), 201),
      expectStatus(await kit.get(`/quotes/${quote_id}`), 200),
    ]) {
      const { body: quote, operation } = answer
      expectShape(quote, QUOTE, operation)
      const [from, until] = [quote.created_at, quote.expires_at].map(Date.parse) as [number, number]
      const lasts = (until - from) / 1000
      expectThatOf(answer, lasts === WINDOW_S, `it lasts ${lasts} s instead of ${WINDOW_S}`)
      const age = kit.now() - from / 1000
      expectThatOf(
        answer,
        age > -CLOCK_S && age < WINDOW_S,
        `created_at is ${Math.round(age)} s ago`,
      )
      expectField(answer, 'domain', domain)
      expectField(answer, 'price_cents', sale_price_cents)
      expectField(answer, 'currency', currency)
      expectField(answer, 'status', 'active')
    }
  }),
  check(GAPS, 'gives who asks again the quote that runs', async (kit) => {
    const { domain, quote_id } = await kit.offer()
    const again = expectStatus(await post(kit, '/quotes', { domain }), 201)
    expectField(again, 'quote_id', quote_id)
  }),
  check(GAPS, 'quotes no other price than the expected one: 422 price_mismatch', async (kit) => {
    const { domain, quote_id, sale_price_cents } = await kit.offer()
    await release(kit, quote_id)
    const expected = { domain, expected_price: sale_price_cents + 1 }
    expectStatus(await post(kit, '/quotes', expected), 422, 'price_mismatch')
  }),
  check(ERRORS, 'quotes and sells no name that was never listed: 404', async (kit) => {
    expectStatus(await post(kit, '/quotes', { domain: unlisted() }), 404, 'not_found')
    const order = await orderOf(kit, await kit.offer(), { domain: unlisted() })
    expectStatus(order, 404, 'not_found')
  }),
  check(GAPS, 'sells nothing by a quote that was released: 409', async (kit) => {
    const body = await kit.offer()
    await release(kit, body.quote_id)
    await expectState(kit, body.quote_id, 'released')
    expectConflict(await orderOf(kit, body), 'quote_released')
    const again = expectStatus(await post(kit, '/quotes', { domain: body.domain }), 201)
    await release(kit, again.body.quote_id)
    expectThatOf(again, again.body.quote_id !== body.quote_id, 'a released quote is given again')
  }),
  check(GAPS, 'sells nothing by a quote that was used, even after a refund: 409', async (kit) => {
    const body = await kit.offer()
    const { public_id } = expectStatus(await orderOf(kit, body), 201).body
    await expectState(kit, body.quote_id, 'consumed')
    expectConflict(await orderOf(kit, body), 'domain_sold', 'quote_used')
    expectStatus(await post(kit, '/refunds', { public_id }), 201)
    expectConflict(await orderOf(kit, body), 'quote_used')
  }),
  check(
    ERRORS,
    'honours a quote for 10 minutes, and then answers 422 quote_expired',
    async (kit) => {
      const [early, late] = [await kit.offer(), await kit.offer()]
      await pass(kit, WINDOW_S - 60)
      expectStatus(await orderOf(kit, early), 201)
      await pass(kit, 60)
      expectStatus(await orderOf(kit, late), 422, 'quote_expired')
      await expectState(kit, late.quote_id, 'expired')
    },
  ),
  check(GAPS, 'sells nothing by an unknown quote, or one of another name: 400', async (kit) => {
    const [one, other] = [await kit.offer(), await kit.offer()]
    expectStatus(await orderOf(kit, one, { quote_id: 'qt_none' }), 400)
    expectStatus(await orderOf(kit, one, { quote_id: other.quote_id }), 400)
  }),
  check(GAPS, 'takes the token of a quote for its id', async (kit) => {
    const body = await kit.offer()
    const { quote_token } = expectStatus(
      await post(kit, '/quotes', { domain: body.domain }),
      201,
    ).body
    expectStatus(await orderOf(kit, body, { quote_id: quote_token }), 201)
  }),
  check(GAPS, 'tells the current price with a price_mismatch', async (kit) => {
    const body = await kit.offer()
    for (const change of [
      { sale_price_cents: body.sale_price_cents + 1 },
      { expected_price: body.sale_price_cents + 1 },
    ]) {
      const answer = expectStatus(await orderOf(kit, body, change), 422, 'price_mismatch')
      expectField(answer, 'error.details.current_price_cents', body.sale_price_cents)
    }
  }),
  check(GAPS, 'takes a payment reference once: 409', async (kit) => {
    const [one, other] = [await kit.offer(), await kit.offer()]
    const { external_payment_ref } = expectStatus(await orderOf(kit, one), 201).body
    expectConflict(await orderOf(kit, other, { external_payment_ref }), 'payment_ref_used')
  }),
  check(GAPS, 'wants each required field of an order: 400 validation_error', async (kit) => {
    const body = await kit.offer()
    for (const field of [
      'domain',
      'quote_id',
      'sale_price_cents',
      'external_payment_ref',
      'buyer',
    ]) {
      const answer = await orderOf(kit, body, { [field]: undefined })
      expectStatus(answer, 400, 'validation_error')
    }
  }),
  check(STATES, 'refunds an order once: the second time is 409', async (kit) => {
    const { public_id } = (await kit.sale()).body
    expectStatus(await post(kit, '/refunds', { public_id }), 201)
    expectNotAllowed(await post(kit, '/refunds', { public_id }), 'REFUNDED')
  }),
  check(GAPS, 'refunds the full amount, and puts the domain back on the market', async (kit) => {
    const { public_id, domain, sale_price_cents, currency } = (await kit.sale()).body
    const available = async () => expectStatus(await kit.get(`/availability?domain=${domain}`), 200)
    expectField(await available(), 'available', false)
    const refund = expectStatus(await post(kit, '/refunds', { public_id }), 201)
    expectShape(refund.body, REFUND, refund.operation)
    expectField(refund, 'public_id', public_id)
    expectField(refund, 'amount_cents', sale_price_cents)
    expectField(refund, 'currency', currency)
    expectField(await available(), 'available', true)
  }),
  check(STATES, 'refunds only before TRANSFER_COMPLETED: later is 409', async (kit) => {
    const public_id = await delivered(kit)
    expectNotAllowed(await post(kit, '/refunds', { public_id }), 'TRANSFER_COMPLETED', 'SETTLED')
  }),
]
