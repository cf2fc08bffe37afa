import {
  type Answer,
  type Check,
  checksOf,
  expectStatus,
  expectThat,
  type Kit,
  Skipped,
  unlisted,
} from './kit.ts'

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
  const { status } = expectStatus(await kit.get(`/quotes/${id}`), 200).body
  expectThat(status === state, `the quote is ${status} instead of ${state}`)
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
    const { status } = await post(kit, `/sandbox/orders/${public_id}/${move}`, {})
    expectThat(status < 300, `answered ${status} to ${move}`)
  }
  return public_id
}

export const QUOTE_STATES: Check[] = [
  check(QUOTES, 'reserves a name at a firm price for 10 minutes', async (kit) => {
    const { domain, quote_id, sale_price_cents } = await kit.offer()
    for (const [what, answer] of [
      ['POST /quotes', expectStatus(await post(kit, '/quotes', { domain }), 201)],
      ['GET /quotes/{quote_id}', expectStatus(await kit.get(`/quotes/${quote_id}`), 200)],
    ] as const) {
      const { body: quote } = answer
      const [from, until] = [quote.created_at, quote.expires_at].map(Date.parse) as [number, number]
      const lasts = (until - from) / 1000
      expectThat(lasts === WINDOW_S, `it lasts ${lasts} s in ${what}`)
      const age = kit.now() - from / 1000
      expectThat(age > -CLOCK_S && age < WINDOW_S, `it began ${Math.round(age)} s ago in ${what}`)
      expectThat(quote.domain === domain, `it is of ${quote.domain} in ${what}`)
      expectThat(
        quote.price_cents === sale_price_cents,
        `its price is ${quote.price_cents} in ${what}`,
      )
      expectThat(quote.status === 'active', `it is ${quote.status} in ${what}`)
    }
  }),
  check(GAPS, 'gives who asks again the quote that runs', async (kit) => {
    const { domain, quote_id } = await kit.offer()
    const { body } = expectStatus(await post(kit, '/quotes', { domain }), 201)
    expectThat(body.quote_id === quote_id, 'it is another')
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
    expectStatus(await orderOf(kit, body), 409, 'conflict')
    const again = expectStatus(await post(kit, '/quotes', { domain: body.domain }), 201)
    await release(kit, again.body.quote_id)
    expectThat(again.body.quote_id !== body.quote_id, 'it is given out again')
  }),
  check(GAPS, 'sells nothing by a quote that was used, even after a refund: 409', async (kit) => {
    const body = await kit.offer()
    const { public_id } = expectStatus(await orderOf(kit, body), 201).body
    await expectState(kit, body.quote_id, 'consumed')
    expectStatus(await orderOf(kit, body), 409, 'conflict')
    expectStatus(await post(kit, '/refunds', { public_id }), 201)
    expectStatus(await orderOf(kit, body), 409, 'conflict')
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
      const told = answer.body.error.details?.current_price_cents
      expectThat(told === body.sale_price_cents, `it tells ${told}`)
    }
  }),
  check(GAPS, 'takes a payment reference once: 409', async (kit) => {
    const [one, other] = [await kit.offer(), await kit.offer()]
    const { external_payment_ref } = expectStatus(await orderOf(kit, one), 201).body
    expectStatus(await orderOf(kit, other, { external_payment_ref }), 409, 'conflict')
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
    expectStatus(await post(kit, '/refunds', { public_id }), 409, 'conflict')
  }),
  check(STATES, 'refunds only before TRANSFER_COMPLETED: later is 409', async (kit) => {
    const public_id = await delivered(kit)
    expectStatus(await post(kit, '/refunds', { public_id }), 409, 'conflict')
  }),
]
