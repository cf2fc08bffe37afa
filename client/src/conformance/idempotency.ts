import {
  type Answer,
  type Check,
  checksOf,
  expectStatus,
  expectThat,
  type Kit,
  type OrderBody,
  Skipped,
} from './kit.ts'

const RULE = 'service, Quotes and orders'
const GAPS = 'contract 5'

const check = checksOf('idempotency')

const newKey = () => crypto.randomUUID()

/** How many orders there are with the payment reference of a body. */
async function ordersOf(kit: Kit, wanted: OrderBody): Promise<number> {
  const { body } = expectStatus(await kit.get(`/orders?domain=${wanted.domain}`), 200)
  return body.orders.filter(
    (order: Record<string, unknown>) =>
      order['external_payment_ref'] === wanted.external_payment_ref,
  ).length
}

/** Sends the same twice, and answers the first answer. */
async function repeated(send: () => Promise<Answer>, status = 201): Promise<Answer> {
  const first = await send()
  if (first.status === 403) throw new Skipped(String(first.body?.error?.message))
  expectStatus(first, status)
  const again = expectStatus(await send(), status)
  expectThat(first.text === again.text, 'the bytes differ')
  expectThat(again.headers['idempotent-replayed'] === 'true', 'Idempotent-Replayed is not there')
  return first
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
      expectStatus(await kit.post(target, { ...body, more: true }, { key }), 409, 'conflict')
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
    expectThat(
      first.headers['idempotent-replayed'] === undefined,
      'the first is said to be one too',
    )
    expectThat((await ordersOf(kit, body)) === 1, 'the order is not there once')
  }),
  check(RULE, 'rejects a key with another body', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    expectStatus(await kit.post('/orders', body, { key }), 201)
    const other = { ...body, external_payment_ref: `conformance-${newKey()}` }
    expectStatus(await kit.post('/orders', other, { key }), 409, 'conflict')
  }),
  check(GAPS, 'makes one order of requests that come together', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kit.post('/orders', body, { key })),
    )
    for (const answer of answers) expectStatus(answer, 201)
    expectThat(new Set(answers.map(({ text }) => text)).size === 1, 'the bytes differ')
    expectThat((await ordersOf(kit, body)) === 1, 'the order is not there once')
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
    const headers = { 'content-type': 'application/json', 'idempotency-key': newKey() }
    const sent = { method: 'POST', target: '/api/domain/search', headers }
    const search = (q: string) => kit.send({ ...sent, body: JSON.stringify({ q }) })
    await repeated(() => search('example.com'), 200)
    expectStatus(await search('example.net'), 409, 'conflict')
  }),
  check(GAPS, 'keeps keys of different paths apart', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const { public_id } = expectStatus(await kit.post('/orders', body, { key }), 201).body
    expectStatus(await kit.post('/refunds', { public_id }, { key }), 201)
  }),
  check('API-DESIGN', 'keeps an order whose answer was lost', async (kit) => {
    const [body, key] = [await kit.offer(), newKey()]
    const send = () =>
      kit.post('/orders', body, { key, headers: { 'x-sandbox-fault': 'drop_after_commit' } })
    const lost = await send().catch(() => undefined)
    if (lost) throw new Skipped('this service has no X-Sandbox-Fault')
    const again = expectStatus(await send(), 201)
    expectThat(again.headers['idempotent-replayed'] === 'true', 'it was recorded anew')
    expectThat((await ordersOf(kit, body)) === 1, 'the order is not there once')
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
    expectThat(made.length === 1, `it was sold ${made.length} times`)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectStatus(answer, 409, 'conflict')
    }
  }),
]
