import {
  expectConflict,
  expectField,
  expectStatus,
  expectThat,
  expectThatOf,
  Skipped,
  shown,
} from './expect.ts'
import { type Check, checksOf, type Kit, type OrderBody } from './kit.ts'
import { type Answer } from './wire.ts'

const RULE = 'service, Quotes and orders'
const GAPS = 'contract 5'

const check = checksOf('idempotency')

const newKey = () => crypto.randomUUID()

/** That there is one order with the payment reference of a body. */
async function expectOneOrder(kit: Kit, { domain, external_payment_ref }: OrderBody) {
  const answer = expectStatus(await kit.get(`/orders?domain=${domain}`), 200)
  const { length } = answer.body.orders.filter(
    (order: Record<string, unknown>) => order['external_payment_ref'] === external_payment_ref,
  )
  expectThatOf(answer, length === 1, `${length} orders have one external_payment_ref`)
}

/** Sends the same twice, and answers the first answer. */
async function repeated(send: () => Promise<Answer>, status = 201): Promise<Answer> {
  const first = await send()
  if (first.status === 403) throw new Skipped(String(first.body?.error?.message))
  expectStatus(first, status)
  const again = expectStatus(await send(), status)
  expectThatOf(again, first.text === again.text, 'the bytes of a repeat differ')
  expectReplayed(again)
  return first
}

function expectReplayed({ operation, headers }: Answer): void {
  const told = headers['idempotent-replayed']
  expectThat(told === 'true', `${operation}: Idempotent-Replayed of a repeat is ${shown(told)}`)
}

/** A POST that takes effect once for each key. */
function repeats(
  target: string,
  bodyFor: (kit: Kit) => Promise<object>,
  // biome-ignore lint/suspicious/noExplicitAny: of every shape
  takeBack?: (kit: Kit, made: any) => Promise<unknown>,
): Check {
  return check(GAPS, `honours a key on POST ${target}`, async (kit) => {
    const [body, key] = [await bodyFor(kit), newKey()]
    const { body: made } = await repeated(() => kit.post(target, body, { key }))
    try {
      const other = await kit.post(target, { ...body, more: true }, { key })
      expectConflict(other, 'key_reused')
    } finally {
      await takeBack?.(kit, made)
    }
  })
}

export const IDEMPOTENCY: Check[] = [
  check(RULE, 'wants a key on POST /orders', async (kit) => {
    const body = await kit.offer()
    for (const key of [undefined, '']) {
      const answer = await kit.post('/orders', body, key === undefined ? {} : { key })
      expectStatus(answer, 400, 'missing_idempotency_key')
    }
  }),
  check(GAPS, 'rejects a key of more than 255 characters', async (kit) => {
    const answer = await kit.post('/quotes', { domain: 'a.test' }, { key: 'k'.repeat(256) })
    expectStatus(answer, 400, 'validation_error')
  }),
  check(RULE, 'answers a repeat with the same bytes, and says so', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const first = await repeated(() => kit.post('/orders', body, { key }))
    expectThatOf(
      first,
      first.headers['idempotent-replayed'] === undefined,
      'the first response has Idempotent-Replayed too',
    )
    await expectOneOrder(kit, body)
  }),
  check(RULE, 'rejects a key with another body', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    expectStatus(await kit.post('/orders', body, { key }), 201)
    const other = { ...body, external_payment_ref: `conformance-${newKey()}` }
    expectConflict(await kit.post('/orders', other, { key }), 'key_reused')
  }),
  check(GAPS, 'makes one order of requests that come together', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kit.post('/orders', body, { key })),
    )
    for (const answer of answers) expectStatus(answer, 201)
    const texts = new Set(answers.map(({ text }) => text))
    expectThat(texts.size === 1, 'POST /orders: the bytes of repeats that come together differ')
    await expectOneOrder(kit, body)
  }),
  check(GAPS, 'stores no refusal', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const wrong = { ...body, sale_price_cents: body.sale_price_cents + 1 }
    expectStatus(await kit.post('/orders', wrong, { key }), 422, 'price_mismatch')
    expectStatus(await kit.post('/orders', body, { key }), 201)
  }),
  repeats('/quotes', async (kit) => ({ domain: (await kit.offer()).domain })),
  repeats('/refunds', async (kit) => ({ public_id: (await kit.sale()).body.public_id })),
  repeats('/checkout-session', async (kit) => ({ domain: (await kit.offer()).domain })),
  check(GAPS, 'honours a key on POST /offers', async (kit) => {
    const { domain, sale_price_cents } = await kit.offer()
    // What is reserved takes no offers.
    await kit.releaseAll()
    const body = { domain, amount_cents: 100, buyer: { email: 'conformance@example.com' } }
    const key = newKey()
    const make = (more: object) => kit.post('/offers', { ...body, ...more }, { key })
    const first = await make({})
    if (first.status === 404) throw new Skipped('this service has no POST /offers')
    if (first.status !== 201) throw new Skipped(`${domain} takes no offer of 1 USD`)
    try {
      await repeated(() => make({}))
      expectConflict(await make({ amount_cents: sale_price_cents }), 'key_reused')
    } finally {
      await kit.post(`/offers/${first.body.offer_id}/withdraw`, {}, { key: newKey() })
    }
  }),
  repeats('/links', () => Promise.resolve({ type: 'generic', label: 'Conformance kit' })),
  repeats(
    '/brokerage',
    () =>
      Promise.resolve({
        domain: `conformance-${newKey().slice(0, 8)}.com`,
        tier: 'managed',
        buyer_email: 'conformance@example.com',
        budget: 100_000,
      }),
    (kit, { case_id }) => kit.post(`/sandbox/brokerage/${case_id}/cancel`, {}, { key: newKey() }),
  ),
  check(GAPS, 'honours a key on a POST that only reads', async (kit) => {
    const read = { id: '1', op: 'search_domain', params: { q: 'example.com' } }
    for (const [target, body, other] of [
      ['/api/domain/search', { q: 'example.com' }, { q: 'example.net' }],
      ['/api/tools/whois', { domain: 'example.com' }, { domain: 'example.net' }],
      ['/api/batch', { operations: [read] }, { operations: [{ ...read, id: '2' }] }],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': newKey() }
      const post = (value: object) =>
        kit.send({ method: 'POST', target, headers, body: JSON.stringify(value) })
      await repeated(() => post(body), 200)
      expectConflict(await post(other), 'key_reused')
    }
  }),
  check(GAPS, 'keeps keys of different paths apart', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const { public_id } = expectStatus(await kit.post('/orders', body, { key }), 201).body
    const refund = expectStatus(await kit.post('/refunds', { public_id }, { key }), 201)
    expectField(refund, 'public_id', public_id)
  }),
  check('API-DESIGN', 'keeps an order whose answer was lost', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const send = () =>
      kit.post('/orders', body, { key, headers: { 'x-sandbox-fault': 'drop_after_commit' } })
    const lost = await send().catch(() => undefined)
    if (lost) throw new Skipped('this service has no X-Sandbox-Fault')
    const again = expectStatus(await send(), 201)
    expectReplayed(again)
    await expectOneOrder(kit, body)
  }),
  check(RULE, 'sells a domain once, whoever asks together', async (kit) => {
    const body = await kit.offer()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        kit.post(
          '/orders',
          { ...body, external_payment_ref: `${body.external_payment_ref}-${index}` },
          { key: newKey() },
        ),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    expectThat(made.length === 1, `POST /orders sold ${body.domain} ${made.length} times`)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectConflict(answer, 'domain_sold', 'domain_reserved', 'quote_used')
    }
  }),
]
