import {
  expectField,
  expectStatus,
  expectThat,
  expectThatOf,
  Failure,
  Skipped,
  shown,
  text,
  whole,
} from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import { type Answer } from './wire.ts'

const RULE = 'service, Public read API'
const PAGES = 'service, Pagination rules'
const GAPS = 'contract 13'
const LISTINGS = '/api/market/listings'

const check = checksOf('public')

const read = (kit: Kit, target: string) => kit.send({ method: 'GET', target })

function post(kit: Kit, target: string, value: object, more = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...more }
  return kit.send({ method: 'POST', target, headers, body: JSON.stringify(value) })
}

async function listings(kit: Kit, query: string) {
  const answer = expectStatus(await read(kit, `${LISTINGS}?${query}`), 200)
  const { items, page } = answer.body
  const domains: string[] = items.map(({ domain }: { domain: string }) => domain)
  expectField(answer, 'page.has_more', page.next_cursor !== null)
  return { domains, page, next: `cursor=${encodeURIComponent(page.next_cursor ?? '')}` }
}

/** A page of listings that others follow. */
async function firstPage(kit: Kit, query: string) {
  const first = await listings(kit, query)
  if (first.page.total <= first.domains.length) throw new Skipped('too little is listed')
  expectThat(text(first.page.next_cursor), `GET ${LISTINGS}?${query}: page.next_cursor is missing`)
  return first
}

/** An answer for which somebody else must have been asked. */
function upstream(answer: Answer): Answer {
  if (answer.status === 503) throw new Skipped('whom the service asks is away')
  return expectStatus(answer, 200)
}

/** Of several registries, and registered for as long as anything is. */
const REGISTERED = ['example.com', 'wikipedia.org', 'switch.ch']

const BULK = 'lock unlock set_auto_renew set_nameservers set_privacy renew list_for_sale delist'

async function expectDocument(kit: Kit, target: string, paths: string[]): Promise<void> {
  const answer = expectStatus(await read(kit, target), 200)
  const { openapi, paths: covered } = answer.body ?? {}
  expectThatOf(answer, String(openapi).startsWith('3.1'), `openapi is ${shown(openapi)}`)
  for (const path of paths) expectThatOf(answer, covered?.[path], `paths has no ${path}`)
}

const WHOIS =
  'registered registrar registrant created_at updated_at expires_at status nameservers dnssec source checked_at'

export const PUBLIC: Check[] = [
  check(PAGES, 'pages through the listings by next_cursor, each once, until null', async (kit) => {
    const seen = new Set<string>()
    let { domains, page, next } = await firstPage(kit, 'limit=2')
    const { total } = page
    for (let pages = 1; pages <= 10; pages++) {
      for (const domain of domains) {
        expectThat(!seen.has(domain), `GET ${LISTINGS}: ${domain} comes twice`)
        seen.add(domain)
      }
      if (page.next_cursor === null) {
        expectThat(seen.size === total, `GET ${LISTINGS}: ${seen.size} of page.total ${total} came`)
        return
      }
      // The first pages are small, and the others large, so that the end comes.
      ;({ domains, page, next } = await listings(kit, `limit=${pages < 3 ? 2 : 100}&${next}`))
    }
  }),
  check(PAGES, 'gives a next_cursor on offset pages too, for going on from there', async (kit) => {
    const first = await firstPage(kit, 'limit=2&offset=1')
    const { page } = first
    const isAsked = page.offset === 1 && page.limit === 2
    expectThat(isAsked, `GET ${LISTINGS}?limit=2&offset=1: page is ${shown(page)}`)
    const [byCursor, byOffset] = [
      await listings(kit, `limit=2&${first.next}`),
      await listings(kit, 'limit=2&offset=3'),
    ]
    expectThat(
      byCursor.domains.join() === byOffset.domains.join(),
      `GET ${LISTINGS}: after the next_cursor of an offset page comes ${byCursor.domains.join(', ')} instead of ${byOffset.domains.join(', ')}`,
    )
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
    const isDefault = page.limit === 20 && domains.length <= 20
    expectThat(isDefault, `GET ${LISTINGS}: page.limit is ${page.limit} without a limit`)
    await listings(kit, 'limit=100')
  }),
  check(GAPS, 'filters listings by price for the holder of a token alone: 401', async (kit) => {
    const answer = expectStatus(await read(kit, `${LISTINGS}?max=100000`), 401)
    expectThatOf(answer, answer.headers['www-authenticate'], 'WWW-Authenticate is missing')
  }),
  check(RULE, 'says what a TLD costs: to register, renew, transfer, restore', async (kit) => {
    for (const op of ['register', 'renew', 'transfer', 'restore']) {
      const answer = upstream(await read(kit, `/api/pricing/tld?tld=com&op=${op}`))
      const { price_cents } = answer.body
      expectField(answer, 'tld', 'com')
      expectField(answer, 'op', op)
      expectThatOf(answer, whole(price_cents), `price_cents is ${shown(price_cents)} to ${op}`)
      expectField(answer, 'currency', 'USD')
    }
    const unsaid = expectStatus(await read(kit, '/api/pricing/tld?tld=com'), 200)
    expectField(unsaid, 'op', 'register')
  }),
  check(GAPS, 'answers 404 to the price of an unknown TLD, 400 to an unknown op', async (kit) => {
    const unknown = await read(kit, '/api/pricing/tld?tld=nosuchtld')
    expectStatus(unknown, 404, 'not_found')
    const op = await read(kit, '/api/pricing/tld?tld=com&op=none')
    expectStatus(op, 400, 'validation_error')
  }),
  check(RULE, 'says what a TLD requires: term, organization, nameservers', async (kit) => {
    const answer = upstream(await read(kit, '/api/tlds/com/metadata'))
    const { term, nameservers } = answer.body
    expectField(answer, 'tld', 'com')
    const isTerm = term?.min_years >= 1 && term.max_years >= term.min_years
    expectThatOf(answer, isTerm, `term is ${shown(term)}`)
    expectThatOf(answer, 'organization' in answer.body, 'organization is missing')
    const isRule = typeof nameservers?.required === 'boolean' && nameservers.min <= nameservers.max
    expectThatOf(answer, isRule, `nameservers is ${shown(nameservers)}`)
  }),
  check(RULE, 'looks a domain up: registrar, registrant, dates, nameservers', async (kit) => {
    const answer = upstream(await post(kit, '/api/tools/whois', { domain: 'EXAMPLE.com' }))
    expectField(answer, 'domain', 'example.com')
    for (const field of WHOIS.split(' ')) {
      expectThatOf(answer, field in answer.body, `${field} is missing`)
    }
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
    throw new Failure(`POST /api/tools/whois knows nothing of ${REGISTERED.join(', ')}`)
  }),
  check(RULE, 'finds a domain, and its label on other TLDs', async (kit) => {
    const answer = await post(kit, '/api/domain/search', { q: 'example.com' })
    const [asked, ...siblings] = expectStatus(answer, 200).body.results
    expectThatOf(answer, asked?.domain === 'example.com', `the first result is ${asked?.domain}`)
    expectThatOf(answer, siblings.length > 0, 'there are no siblings on other TLDs')
    for (const { domain } of siblings) {
      expectThatOf(answer, domain.startsWith('example.'), `${domain} is no sibling`)
    }
  }),
  check(GAPS, 'searches line by line where NDJSON is accepted', async (kit) => {
    const accept = 'application/x-ndjson'
    const answer = await post(kit, '/api/domain/search', { q: 'example.com' }, { accept })
    const { 'content-type': type = 'missing' } = expectStatus(answer, 200).headers
    expectThatOf(answer, type.startsWith(accept), `Content-Type is ${type} instead of ${accept}`)
    const rows = answer.text.split('\n').filter(Boolean)
    const isFirst = /"kind":\s*"row"/.test(rows[0] ?? '') && rows[0]?.includes('"example.com"')
    expectThatOf(answer, isFirst, `the first line is ${rows[0]}`)
  }),
  check(GAPS, 'changes domains only for signed-in users: 401', async (kit) => {
    const change = { domains: ['example.com'], params: {}, dry_run: true }
    for (const op of BULK.split(' ')) {
      const answer = await post(kit, `/api/domains/bulk/${op}`, change)
      expectStatus(answer, 401)
    }
    const bad = { authorization: 'Bearer made-up' }
    expectStatus(await post(kit, '/api/domains/bulk/lock', change, bad), 401)
  }),
  check('service, Versioning', 'publishes an OpenAPI 3.1 document of itself', async (kit) => {
    await expectDocument(kit, '/openapi.json', [
      '/api/domain/search',
      '/api/tools/whois',
      '/api/batch',
      LISTINGS,
    ])
  }),
  check('contract 14', 'publishes an OpenAPI 3.1 document of the partner API', async (kit) => {
    await expectDocument(kit, '/openapi-partner.json', [
      '/api/partner/v1/quotes',
      '/api/partner/v1/orders',
      '/api/partner/webhooks',
    ])
  }),
]
