import { isDeepStrictEqual } from 'node:util'
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

const RULE = 'service, Public read API'
const PAGES = 'service, Pagination rules'
const GAPS = 'contract 13'
const MOST = 20
const LISTINGS = '/api/market/listings'

const check = checksOf('public')

const read = (kit: Kit, target: string) => kit.send({ method: 'GET', target })

function post(kit: Kit, target: string, value: object, more = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...more }
  return kit.send({ method: 'POST', target, headers, body: JSON.stringify(value) })
}

async function listings(kit: Kit, query: string) {
  const { body } = expectStatus(await read(kit, `${LISTINGS}?${query}`), 200)
  const { items, page } = body
  const domains: string[] = items.map(({ domain }: { domain: string }) => domain)
  return { domains, page, next: `cursor=${encodeURIComponent(page.next_cursor ?? '')}` }
}

/** A page of listings that others follow. */
async function firstPage(kit: Kit, query: string) {
  const first = await listings(kit, query)
  if (first.page.total <= first.domains.length) throw new Skipped('too little is listed')
  expectThat(typeof first.page.next_cursor === 'string', 'there is no next_cursor')
  return first
}

const price = (id: number) => ({
  id: String(id),
  op: 'tld_registration_price',
  params: { tld: 'com', op: 'register' },
})
const batch = (kit: Kit, operations: object[]) => post(kit, '/api/batch', { operations })

/** An answer for which somebody else must have been asked. */
function upstream(answer: Answer): Answer {
  if (answer.status === 503) throw new Skipped('whom the service asks is away')
  return expectStatus(answer, 200)
}

/** Of several registries, and registered for as long as anything is. */
const REGISTERED = ['example.com', 'wikipedia.org', 'switch.ch']

const BULK = 'lock unlock set_auto_renew set_nameservers set_privacy renew list_for_sale delist'

export const PUBLIC: Check[] = [
  check(PAGES, 'pages through the listings by next_cursor, each once, until null', async (kit) => {
    const seen = new Set<string>()
    let { domains, page, next } = await firstPage(kit, 'limit=2')
    const { total } = page
    for (let pages = 1; pages <= 10; pages++) {
      for (const domain of domains) {
        expectThat(!seen.has(domain), `${domain} comes twice`)
        seen.add(domain)
      }
      if (page.next_cursor === null) {
        expectThat(seen.size === total, `${seen.size} of ${total} came`)
        return
      }
      // The first pages are small, and the others large, so that the end comes.
      ;({ domains, page, next } = await listings(kit, `limit=${pages < 3 ? 2 : 100}&${next}`))
    }
  }),
  check(PAGES, 'gives a next_cursor on offset pages too, for going on from there', async (kit) => {
    const first = await firstPage(kit, 'limit=2&offset=1')
    const { page } = first
    expectThat(page.offset === 1 && page.limit === 2, `it is ${page.limit} from ${page.offset}`)
    const [byCursor, byOffset] = [
      await listings(kit, `limit=2&${first.next}`),
      await listings(kit, 'limit=2&offset=3'),
    ]
    expectThat(byCursor.domains.join() === byOffset.domains.join(), 'they go on differently')
  }),
  check(PAGES, 'rejects a cursor with other filters or sort: 400 invalid_cursor', async (kit) => {
    const { next } = await firstPage(kit, 'limit=1&sort=price_asc')
    for (const other of ['sort=price_desc', 'sort=price_asc&tld=com', 'sort=price_asc&q=shop']) {
      const answer = await read(kit, `${LISTINGS}?limit=1&${other}&${next}`)
      expectStatus(answer, 400, 'invalid_cursor')
    }
    expectStatus(await read(kit, `${LISTINGS}?cursor=made-up`), 400, 'invalid_cursor')
  }),
  check('contract 1', 'takes a limit of 1 to 100, 20 without one', async (kit) => {
    for (const limit of ['0', '101', 'x']) {
      expectStatus(await read(kit, `${LISTINGS}?limit=${limit}`), 400, 'validation_error')
    }
    const { page, domains } = await listings(kit, '')
    expectThat(page.limit === 20 && domains.length <= 20, `it is ${page.limit}`)
    await listings(kit, 'limit=100')
  }),
  check(GAPS, 'filters listings by price for the holder of a token alone: 401', async (kit) => {
    const answer = expectStatus(await read(kit, `${LISTINGS}?max=100000`), 401)
    expectThat(answer.headers['www-authenticate'], 'there is no challenge')
  }),
  check(RULE, 'lists the operations of a batch', async (kit) => {
    const { body } = expectStatus(await read(kit, '/api/batch'), 200)
    expectThat(body.max_operations === MOST, `max_operations is ${body.max_operations}`)
    const names = body.operations.map(({ op }: { op: string }) => op)
    for (const name of ['search_domain', 'whois_lookup', 'tld_registration_price']) {
      expectThat(names.includes(name), `${name} is not there`)
    }
  }),
  check(RULE, `takes a batch of ${MOST}, and rejects ${MOST + 1} and none: 400`, async (kit) => {
    const entries = Array.from({ length: MOST + 1 }, (_, index) => price(index))
    const { body } = expectStatus(await batch(kit, entries.slice(1)), 200)
    expectThat(body.results.length === MOST, `${body.results.length} results came`)
    expectStatus(await batch(kit, entries), 400, 'validation_error')
    expectStatus(await batch(kit, []), 400, 'validation_error')
  }),
  check(RULE, 'answers a bad entry of a batch with its own 400, and the others', async (kit) => {
    const { params } = price(0)
    const bad = { ...price(2), params: { ...params, op: 'none' } }
    const entries = [price(1), bad, price(3)]
    const { body } = expectStatus(await batch(kit, entries), 200)
    const told = body.results.map(({ id, status }: { id: string; status: number }) => [id, status])
    expectThat(told.join(' ') === '1,200 2,400 3,200', `it answered ${told.join(' ')}`)
    expectThat(body.count === 3 && body.failed === 1, `${body.failed} of ${body.count} failed`)
    expectThat(body.results[1].body.error?.code === 'validation_error', 'it says no error')
    const single = expectStatus(await read(kit, '/api/pricing/tld?tld=com&op=register'), 200)
    const isSame = isDeepStrictEqual(body.results[0].body, single.body)
    expectThat(isSame, 'not as the single call')
  }),
  check(RULE, 'says what a TLD costs: to register, renew, transfer, restore', async (kit) => {
    for (const op of ['register', 'renew', 'transfer', 'restore']) {
      const { body } = upstream(await read(kit, `/api/pricing/tld?tld=com&op=${op}`))
      expectThat(body.tld === 'com' && body.op === op, `it is ${body.op} of ${body.tld}`)
      expectThat(Number.isInteger(body.price_cents), `it is ${body.price_cents} to ${op}`)
      expectThat(body.currency === 'USD', `it is in ${body.currency}`)
    }
    const { body } = expectStatus(await read(kit, '/api/pricing/tld?tld=com'), 200)
    expectThat(body.op === 'register', `it is ${body.op} without an op`)
  }),
  check(GAPS, 'answers 404 to the price of an unknown TLD, 400 to an unknown op', async (kit) => {
    const unknown = await read(kit, '/api/pricing/tld?tld=nosuchtld')
    expectStatus(unknown, 404, 'not_found')
    const op = await read(kit, '/api/pricing/tld?tld=com&op=none')
    expectStatus(op, 400, 'validation_error')
  }),
  check(RULE, 'says what a TLD requires: term, organization, nameservers', async (kit) => {
    const { body } = upstream(await read(kit, '/api/tlds/com/metadata'))
    expectThat(body.tld === 'com', `it is of ${body.tld}`)
    const { min_years, max_years } = body.term ?? {}
    expectThat(min_years >= 1 && max_years >= min_years, `${min_years} to ${max_years} years`)
    expectThat('organization' in body, 'there is no organization')
    const { required, min, max } = body.nameservers ?? {}
    expectThat(typeof required === 'boolean' && min <= max, 'there are no rules of nameservers')
  }),
  check(RULE, 'looks a domain up: registrar, registrant, dates, nameservers', async (kit) => {
    const { body } = upstream(await post(kit, '/api/tools/whois', { domain: 'EXAMPLE.com' }))
    expectThat(body.domain === 'example.com', `it is of ${body.domain}`)
    const fields = 'registered registrar registrant created_at expires_at nameservers source'
    for (const field of fields.split(' ')) expectThat(field in body, `there is no ${field}`)
    const malformed = await post(kit, '/api/tools/whois', { domain: '-.-' })
    expectStatus(malformed, 400, 'validation_error')
  }),
  check(RULE, 'knows of a name that is registered', async (kit) => {
    const known = []
    for (const domain of REGISTERED) {
      const { body } = upstream(await post(kit, '/api/tools/whois', { domain }))
      if (body.registered && body.created_at && body.nameservers?.length > 0) known.push(domain)
      // A registry may be away, though hardly all of them.
      if (known.length > 0) return
    }
    throw new Failure(`it knows nothing of ${REGISTERED.join(', ')}`)
  }),
  check(RULE, 'finds a domain, and its label on other TLDs', async (kit) => {
    const { body } = expectStatus(await post(kit, '/api/domain/search', { q: 'example.com' }), 200)
    const [asked, ...siblings] = body.results
    expectThat(asked?.domain === 'example.com', `the first is ${asked?.domain}`)
    expectThat(siblings.length > 0, 'there are no siblings')
    for (const { domain } of siblings) {
      expectThat(domain.startsWith('example.'), `${domain} is no sibling`)
    }
  }),
  check(GAPS, 'changes domains for who is signed in alone: 401', async (kit) => {
    const change = { domains: ['example.com'], params: {}, dry_run: true }
    for (const op of BULK.split(' ')) {
      const answer = await post(kit, `/api/domains/bulk/${op}`, change)
      expectThat(answer.status === 401, `answered ${answer.status} to ${op}`)
    }
    const bad = { authorization: 'Bearer made-up' }
    expectStatus(await post(kit, '/api/domains/bulk/lock', change, bad), 401)
  }),
  check('service, Versioning', 'publishes an OpenAPI 3.1 document of itself', async (kit) => {
    const { body } = expectStatus(await read(kit, '/openapi.json'), 200)
    expectThat(String(body?.openapi).startsWith('3.1'), `openapi is ${body?.openapi}`)
    const paths = ['/api/domain/search', '/api/tools/whois', '/api/batch', LISTINGS]
    for (const path of paths) expectThat(body.paths?.[path], `it has no ${path}`)
  }),
]
