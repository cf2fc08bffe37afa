import { expectStatus, expectThat, expectThatOf, Skipped, shown, text } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import type { Answer } from './wire.ts'

const ORDERS = 'service, Quotes and orders'
const CONVENTIONS = 'contract 1'
const ERRORS = 'contract 2'
const DEFAULT_LIMIT = 50

const check = checksOf('lists')

interface List {
  target: string
  /** The field that holds the entries, and the one that they are sorted by. */
  field: string
  sortedBy: string
}

/** The partner's lists. */
const LISTS: List[] = [
  { target: '/orders', field: 'orders', sortedBy: 'created_at' },
  { target: '/settlements', field: 'settlements', sortedBy: 'period_start' },
  { target: '/transactions', field: 'transactions', sortedBy: 'created_at' },
  { target: '/payouts', field: 'payouts', sortedBy: 'created_at' },
  { target: '/brokerage', field: 'cases', sortedBy: 'created_at' },
  { target: '/links', field: 'links', sortedBy: 'created_at' },
  { target: '/me/sales', field: 'sales', sortedBy: 'created_at' },
  { target: '/me/commissions', field: 'entries', sortedBy: 'created_at' },
  { target: '/me/payouts', field: 'payouts', sortedBy: 'created_at' },
  { target: '/api/partner/webhooks/deliveries', field: 'deliveries', sortedBy: 'at' },
]
/** Those of the scopes `search`, `buy` and `webhook`, which the kit's credential must have. */
const READABLE = ['/orders', '/settlements', '/api/partner/webhooks/deliveries']

type Read = (query: string) => Promise<Answer>

/** Tries each list, and says in the end which the credential may not read. */
export async function eachList(
  kit: Kit,
  run: (read: Read, list: List) => Promise<void>,
): Promise<void> {
  const untried: string[] = []
  for (const list of LISTS) {
    const { target } = list
    const read: Read = (query) => kit.get(query === '' ? target : `${target}?${query}`)
    if (!READABLE.includes(target) && (await read('limit=1')).status === 403) {
      untried.push(target)
      continue
    }
    await run(read, list)
  }
  if (untried.length > 0) {
    throw new Skipped(`the credential may not read ${untried.join(', ')}; the others are right`)
  }
}

/** That a list without a `limit` has as many entries as the contract says. */
export function expectDefaultLimit(answer: Answer, field: string): void {
  const { [field]: entries, next_cursor: next } = answer.body
  const { length } = entries
  const isSo = length === DEFAULT_LIMIT || (length < DEFAULT_LIMIT && next === null)
  expectThatOf(answer, isSo, `${length} entries came without a limit instead of ${DEFAULT_LIMIT}`)
}

/** What a list calls its entry. */
const idOfEntry = ({ id, public_id, case_id }: Record<string, string>) => public_id ?? id ?? case_id

/** The ids of a few pages, each after the other. */
async function walk(read: Read, { field }: List, limit: number): Promise<(string | undefined)[]> {
  const seen: (string | undefined)[] = []
  for (let pages = 0, cursor = ''; pages < 4; pages++) {
    const { body } = expectStatus(await read(`limit=${limit}${cursor}`), 200)
    seen.push(...body[field].map(idOfEntry))
    if (body.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
  return seen
}

/** Makes links until there are so many: each stays for ever. */
async function expectLinks(kit: Kit, count: number): Promise<void> {
  const { status, body } = await kit.get(`/links?limit=${count}`)
  if (status !== 200) return
  for (let made = body.links.length; made < count; made++) {
    const link = { type: 'generic', label: 'Conformance kit' }
    expectStatus(await kit.post('/links', link, { key: crypto.randomUUID() }), 201)
  }
}

/** Sells some names, and answers a query for what was sold from then on, with the ids, newest first. */
export async function sell(kit: Kit, count: number) {
  const sold: { public_id: string; created_at: string }[] = []
  for (let made = 0; made < count; made++) sold.unshift((await kit.sale()).body)
  const since = `from=${encodeURIComponent(sold.at(-1)?.created_at ?? '')}`
  return { since, ids: sold.map(({ public_id }) => public_id) }
}

export const LIST_READS: Check[] = [
  check(CONVENTIONS, 'answers each list with its plural and next_cursor', (kit) =>
    eachList(kit, async (read, { field }) => {
      const answer = expectStatus(await read('limit=1'), 200)
      const { [field]: entries, next_cursor: next } = answer.body
      expectThatOf(answer, Array.isArray(entries), `${field} is ${shown(entries)}`)
      expectThatOf(answer, entries.length <= 1, `${entries.length} ${field} came with limit=1`)
      const isCursor = next === null || typeof next === 'string'
      expectThatOf(answer, isCursor, `next_cursor is ${shown(next)}`)
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
    expectThat(text(body.next_cursor), 'GET /orders: next_cursor is missing after 1 of 2 orders')
    const cursor = encodeURIComponent(body.next_cursor)
    for (const filters of ['status=REFUNDED', 'domain=example.com']) {
      const answer = await kit.get(`/orders?${filters}&limit=1&cursor=${cursor}`)
      expectStatus(answer, 400, 'invalid_cursor')
    }
  }),
  check(CONVENTIONS, 'lists the newest first', async (kit) => {
    await sell(kit, 2)
    await eachList(kit, async (read, { field, sortedBy }) => {
      const answer = expectStatus(await read('limit=100'), 200)
      const times: string[] = answer.body[field].map(
        (entry: Record<string, string>) => entry[sortedBy],
      )
      expectThatOf(answer, times.every(Boolean), `an entry has no ${sortedBy}`)
      const isSorted = times.join() === times.toSorted().toReversed().join()
      expectThatOf(answer, isSorted, `not sorted by ${sortedBy}, newest first`)
    })
  }),
  check(CONVENTIONS, 'pages through each list by cursor, each entry once', async (kit) => {
    await sell(kit, 3)
    await expectLinks(kit, 3)
    await eachList(kit, async (read, list) => {
      for (const limit of [1, 2]) {
        const walked = await walk(read, list, limit)
        // New entries come before those of the walk, and never between them.
        const answer = expectStatus(await read('limit=100'), 200)
        const all: unknown[] = answer.body[list.field].map(idOfEntry)
        const start = all.indexOf(walked[0])
        const wanted = all.slice(start, start + walked.length)
        expectThatOf(
          answer,
          walked.join() === wanted.join(),
          `in pages of ${limit} came ${walked.join(', ')} instead of ${wanted.join(', ')}`,
        )
      }
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
          expectThat(
            !seen.includes(public_id),
            `GET /orders: ${public_id} comes twice in pages of ${limit}`,
          )
          seen.push(public_id)
        }
        if (body.next_cursor === null) break
        const { length } = body.orders
        expectThat(
          length === limit,
          `GET /orders: a page of ${limit} has ${length} and a next_cursor`,
        )
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
      }
      // Others may sell for the same partner meanwhile.
      const ours = seen.filter((id) => ids.includes(id))
      expectThat(
        ours.join() === ids.join(),
        `GET /orders: of ${ids.join()} came ${ours.join() || 'none'}`,
      )
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
      expectThat(await has(query), `GET /orders?${query} does not have ${public_id}`)
    }
    for (const query of ['status=REFUNDED', 'domain=example.com', `to=${time}`]) {
      expectThat(!(await has(query)), `GET /orders?${query} has ${public_id}`)
    }
    expectStatus(await kit.get('/orders?status=NONE'), 400, 'validation_error')
  }),
  check(CONVENTIONS, 'takes a limit of 1 to 100, 50 without one, and rejects others: 400', (kit) =>
    eachList(kit, async (read, { field }) => {
      expectDefaultLimit(expectStatus(await read(''), 200), field)
      for (const limit of ['1', '100']) expectStatus(await read(`limit=${limit}`), 200)
      for (const limit of ['0', '101', '-1', 'x']) {
        expectStatus(await read(`limit=${limit}`), 400, 'validation_error')
      }
    }),
  ),
]
