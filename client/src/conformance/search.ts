import {
  type Check,
  checksOf,
  expectStatus,
  expectThat,
  type Kit,
  Skipped,
  unlisted,
} from './kit.ts'

const RULE = 'service, Search'
const GAPS = 'contract 7'
const MOST = 5

const check = checksOf('search')

async function found(kit: Kit, q: string) {
  const { body } = expectStatus(await kit.get(`/domains/search?q=${encodeURIComponent(q)}`), 200)
  return body
}

export const SEARCH: Check[] = [
  check(RULE, 'finds 5 domains at most', async (kit) => {
    for (const q of ['shop', 'home', 'music', 'a shop for books', 'shop&limit=50']) {
      const { count, results } = await found(kit, q)
      expectThat(results.length <= MOST, `${results.length} for ${q}`)
      expectThat(count === results.length, `count is ${count} of ${results.length}`)
    }
    const { body } = expectStatus(await kit.get('/domains/search?q=shop&limit=50'), 200)
    expectThat(body.results.length <= MOST, `${body.results.length} for a limit of 50`)
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
    const query = `q=shop&tld=${tld}&max_price_cents=${price_cents}`
    const { body } = expectStatus(await kit.get(`/domains/search?${query}`), 200)
    for (const one of body.results) {
      expectThat(one.tld === tld && one.price_cents <= price_cents, `${one.domain} is found`)
    }
  }),
  check(RULE, 'answers 404 to detail and pricing of a name that is not listed', async (kit) => {
    expectStatus(await kit.get(`/domains/${unlisted()}`), 404, 'not_found')
    expectStatus(await kit.get(`/pricing?domain=${unlisted()}`), 404, 'not_found')
  }),
  check(RULE, 'answers 200 and available false to one that is not listed', async (kit) => {
    const { body } = expectStatus(await kit.get(`/availability?domain=${unlisted()}`), 200)
    expectThat(body.available === false, `available is ${body.available}`)
    expectThat(body.price_cents === null, `price_cents is ${body.price_cents}`)
  }),
  check(GAPS, 'says the same price of a name wherever it says one', async (kit) => {
    const { domain, sale_price_cents } = await kit.offer()
    for (const target of [
      `/domains/${domain}`,
      `/pricing?domain=${domain}`,
      `/domains/${domain.toUpperCase()}`,
    ]) {
      const { body } = expectStatus(await kit.get(target), 200)
      expectThat(body.domain === domain, `${target} is of ${body.domain}`)
      expectThat(body.price_cents === sale_price_cents, `it is ${body.price_cents} in ${target}`)
      expectThat('floor_price_cents' in body, `${target} has no floor_price_cents`)
    }
  }),
  check('contract 1', 'rejects a malformed name: 400 validation_error', async (kit) => {
    for (const target of ['/availability?domain=-.-', '/pricing?domain=a%20b', '/availability']) {
      expectStatus(await kit.get(target), 400, 'validation_error')
    }
  }),
]
