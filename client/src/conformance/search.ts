import {
  expectField,
  expectStatus,
  expectThat,
  expectThatOf,
  Failure,
  Skipped,
  shown,
  text,
} from './expect.ts'
import { type Check, checksOf, type Kit, QUERIES, unlisted } from './kit.ts'

const RULE = 'service, Search'
const GAPS = 'contract 7'
const MOST = 5

const check = checksOf('search')

async function found(kit: Kit, q: string) {
  const { body } = expectStatus(await kit.get(`/domains/search?q=${encodeURIComponent(q)}`), 200)
  return body
}

interface Found {
  domain: string
  tld: string
  price_cents: number
  score: number
  why: string
}

/** What one filter must keep away. */
async function expectFiltered(
  kit: Kit,
  filter: string,
  isWanted: (one: Found) => boolean,
): Promise<void> {
  const answer = expectStatus(await kit.get(`/domains/search?q=shop&${filter}`), 200)
  for (const one of answer.body.results) {
    expectThatOf(answer, isWanted(one), `finds ${one.domain} for ${one.price_cents} with ${filter}`)
  }
}

export const SEARCH: Check[] = [
  check(RULE, 'finds names of the sandbox', async (kit) => {
    for (const q of QUERIES) if ((await found(kit, q)).results.length > 0) return
    throw new Failure(
      `GET /domains/search finds nothing for ${QUERIES.join(', ')}: checks that need a name are skipped`,
    )
  }),
  check(GAPS, 'finds the best first, and says why', async (kit) => {
    for (const q of ['shop', 'a shop for books']) {
      const { results } = await found(kit, q)
      const scores = results.map(({ score }: Found) => score)
      const sorted = scores.toSorted((one: number, other: number) => other - one)
      const what = `GET /domains/search of "${q}"`
      expectThat(scores.join() === sorted.join(), `${what}: the scores are ${scores.join(', ')}`)
      for (const { domain, why } of results) {
        expectThat(text(why), `${what}: why of ${domain} is ${shown(why)}`)
      }
    }
  }),
  check(RULE, 'finds 5 domains at most', async (kit) => {
    for (const q of ['shop', 'home', 'music', 'a shop for books', 'shop&limit=50']) {
      const { count, results } = await found(kit, q)
      const what = `GET /domains/search of "${q}"`
      expectThat(results.length <= MOST, `${what}: ${results.length} results came`)
      expectThat(count === results.length, `${what}: count is ${count} of ${results.length}`)
    }
    const answer = expectStatus(await kit.get('/domains/search?q=shop&limit=50'), 200)
    const { length } = answer.body.results
    expectThatOf(answer, length <= MOST, `${length} results came with a limit of 50`)
  }),
  check(GAPS, 'wants a q that is not blank: 400 validation_error', async (kit) => {
    for (const query of ['?q=', '?q=%20', '']) {
      expectStatus(await kit.get(`/domains/search${query}`), 400, 'validation_error')
    }
  }),
  check(GAPS, 'finds no name above a max_price_cents, or on another tld', async (kit) => {
    const [first] = (await found(kit, 'shop')).results
    if (!first) throw new Skipped('nothing is found for shop')
    const { tld, price_cents } = first
    // One at a time, so that neither hides that the other is ignored.
    await expectFiltered(
      kit,
      `max_price_cents=${price_cents - 1}`,
      (one) => one.price_cents < price_cents,
    )
    for (const other of [tld, 'com', 'example']) {
      await expectFiltered(kit, `tld=${other}`, (one) => one.tld === other)
    }
  }),
  check(RULE, 'answers 404 to detail and pricing of a name that is not listed', async (kit) => {
    expectStatus(await kit.get(`/domains/${unlisted()}`), 404, 'not_found')
    expectStatus(await kit.get(`/pricing?domain=${unlisted()}`), 404, 'not_found')
  }),
  check(RULE, 'answers 200 and available false to one that is not listed', async (kit) => {
    const answer = expectStatus(await kit.get(`/availability?domain=${unlisted()}`), 200)
    expectField(answer, 'available', false)
    expectField(answer, 'price_cents', null)
  }),
  check(GAPS, 'says the same price of a name wherever it says one', async (kit) => {
    const { domain, sale_price_cents } = await kit.offer()
    for (const target of [
      `/domains/${domain}`,
      `/pricing?domain=${domain}`,
      `/domains/${domain.toUpperCase()}`,
    ]) {
      const answer = expectStatus(await kit.get(target), 200)
      expectField(answer, 'domain', domain)
      expectField(answer, 'price_cents', sale_price_cents)
      expectThatOf(answer, 'floor_price_cents' in answer.body, 'floor_price_cents is missing')
    }
  }),
  check('contract 1', 'rejects a malformed name: 400 validation_error', async (kit) => {
    for (const target of ['/availability?domain=-.-', '/pricing?domain=a%20b', '/availability']) {
      expectStatus(await kit.get(target), 400, 'validation_error')
    }
  }),
]
