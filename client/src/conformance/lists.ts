import {
  type Answer,
  type Check,
  checksOf,
  expectStatus,
  expectThat,
  Failure,
  type Kit,
  Skipped,
} from './kit.ts'

const ORDERS = 'service, Quotes and orders'
const CONVENTIONS = 'contract 1'
const ERRORS = 'contract 2'

const check = checksOf('lists')

/** The partner's lists: the field that holds the entries, and the one that they are sorted by. */
const LISTS: [target: string, field: string, time: string][] = [
  ['/orders', 'orders', 'created_at'],
  ['/settlements', 'settlements', 'period_start'],
  ['/transactions', 'transactions', 'created_at'],
  ['/payouts', 'payouts', 'created_at'],
  ['/brokerage', 'cases', 'created_at'],
  ['/links', 'links', 'created_at'],
  ['/me/sales', 'sales', 'created_at'],
  ['/me/commissions', 'entries', 'created_at'],
  ['/me/payouts', 'payouts', 'created_at'],
  ['/api/partner/webhooks/deliveries', 'deliveries', 'at'],
]
/** Those of the scopes `search`, `buy` and `webhook`, which the kit's credential must have. */
const READABLE = ['/orders', '/settlements', '/api/partner/webhooks/deliveries']

type Read = (query: string) => Promise<Answer>

/** Tries each list, and says in the end which the credential may not read. */
async function eachList(
  kit: Kit,
  run: (read: Read, field: string, time: string) => Promise<void>,
): Promise<void> {
  const untried: string[] = []
  for (const [target, field, time] of LISTS) {
    const read: Read = (query) => kit.get(`${target}?${query}`)
    if (!READABLE.includes(target) && (await read('limit=1')).status === 403) {
      untried.push(target)
      continue
    }
    await run(read, field, time).catch((error: unknown) => {
      throw error instanceof Failure ? new Failure(`GET ${target} ${error.message}`) : error
    })
  }
  if (untried.length > 0) {
    throw new Skipped(`the credential may not read ${untried.join(', ')}; the others are right`)
  }
}

/** Sells some names, and answers a query for what was sold from then on, with the ids, newest first. */
async function sell(kit: Kit, count: number) {
  const sold: { public_id: string; created_at: string }[] = []
  for (let made = 0; made < count; made++) sold.unshift((await kit.sale()).body)
  const since = `from=${encodeURIComponent(sold.at(-1)?.created_at ?? '')}`
  return { since, ids: sold.map(({ public_id }) => public_id) }
}

export const LIST_READS: Check[] = [
  check(CONVENTIONS, 'answers each list with its plural and next_cursor', (kit) =>
    eachList(kit, async (read, field) => {
      const { body } = expectStatus(await read('limit=1'), 200)
      expectThat(Array.isArray(body[field]), `has no ${field}`)
      expectThat(body[field].length <= 1, 'has more than one with limit=1')
      const { next_cursor: next } = body
      expectThat(next === null || typeof next === 'string', `has the next_cursor ${next}`)
    }),
  ),
  check(CONVENTIONS, 'takes a limit of 1 to 100, and rejects others: 400', (kit) =>
    eachList(kit, async (read) => {
      for (const limit of ['1', '100']) expectStatus(await read(`limit=${limit}`), 200)
      for (const limit of ['0', '101', '-1', 'x']) {
        expectStatus(await read(`limit=${limit}`), 400, 'validation_error')
      }
    }),
  ),
  check(ERRORS, 'rejects a cursor that it did not give: 400 invalid_cursor', (kit) =>
    eachList(kit, async (read) => {
      expectStatus(await read('cursor=made-up'), 400, 'invalid_cursor')
    }),
  ),
  check(ERRORS, 'rejects a cursor with other filters: 400 invalid_cursor', async (kit) => {
    const { since } = await sell(kit, 2)
    const { body } = expectStatus(await kit.get(`/orders?${since}&limit=1`), 200)
    expectThat(typeof body.next_cursor === 'string', 'there is no next_cursor')
    const cursor = encodeURIComponent(body.next_cursor)
    for (const filters of ['status=REFUNDED', 'domain=example.com']) {
      const answer = await kit.get(`/orders?${filters}&limit=1&cursor=${cursor}`)
      expectStatus(answer, 400, 'invalid_cursor')
    }
  }),
  check(CONVENTIONS, 'tells the newest first', async (kit) => {
    await sell(kit, 2)
    await eachList(kit, async (read, field, time) => {
      const { body } = expectStatus(await read('limit=100'), 200)
      const times: string[] = body[field].map((entry: Record<string, string>) => entry[time])
      expectThat(times.every(Boolean), `has an entry without ${time}`)
      const newestFirst = times.toSorted().toReversed()
      expectThat(times.join() === newestFirst.join(), `is not sorted by ${time}, newest first`)
    })
  }),
  check(ORDERS, 'pages through the orders by cursor, each once, to the end', async (kit) => {
    const { since, ids } = await sell(kit, 3)
    for (const limit of [1, 2]) {
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = expectStatus(
          await kit.get(`/orders?${since}&limit=${limit}${cursor}`),
          200,
        )
        for (const { public_id } of body.orders) {
          expectThat(!seen.includes(public_id), `${public_id} comes twice in pages of ${limit}`)
          seen.push(public_id)
        }
        if (body.next_cursor === null) break
        expectThat(body.orders.length === limit, `a page of ${limit} has ${body.orders.length}`)
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
      }
      // Others may sell for the same partner meanwhile.
      const ours = seen.filter((id) => ids.includes(id))
      expectThat(ours.join() === ids.join(), `of ${ids.join()} came ${ours.join() || 'none'}`)
    }
  }),
  check(ORDERS, 'filters orders by status, domain and date range', async (kit) => {
    const { body: order } = await kit.sale()
    const { public_id, domain, created_at } = order
    const has = async (query: string) => {
      const { orders } = expectStatus(await kit.get(`/orders?${query}&limit=100`), 200).body
      return orders.some((one: { public_id: string }) => one.public_id === public_id)
    }
    const time = encodeURIComponent(created_at)
    for (const query of ['status=EXTERNALLY_PAID', `domain=${domain}`, `from=${time}`]) {
      expectThat(await has(query), `it is not there by ${query}`)
    }
    for (const query of ['status=REFUNDED', 'domain=example.com', `to=${time}`]) {
      expectThat(!(await has(query)), `it is there by ${query}`)
    }
    expectStatus(await kit.get('/orders?status=NONE'), 400, 'validation_error')
  }),
  check('contract 10', 'adds the totals up over the whole filter, not the page', async (kit) => {
    const { since } = await sell(kit, 2)
    const page = await kit.get(`/transactions?${since}&limit=1`)
    if (page.status === 403) throw new Skipped('the credential lacks the scope report')
    const { body } = expectStatus(page, 200)
    expectThat(body.totals.count >= 2, `the count is ${body.totals.count}`)
    const all = expectStatus(await kit.get(`/transactions?${since}&limit=100`), 200).body
    const sum = (field: string) =>
      all.transactions.reduce(
        (total: number, one: Record<string, number>) => total + (one[field] ?? 0),
        0,
      )
    expectThat(body.totals.gmv_cents === all.totals.gmv_cents, 'they differ by page')
    expectThat(body.totals.count === all.transactions.length, 'not the count')
    expectThat(body.totals.gmv_cents === sum('amount_cents'), 'not gmv_cents')
  }),
]
