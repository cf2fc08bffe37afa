import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: Browser
beforeAll(async () => {
  service = await startService({ settings: { pagePrices: 'masked' } })
  const many = Array.from({ length: 60 }, (_, index) => `bakery-${index}.com`)
  await offer(service, 'live', many, 50_000)
  await offer(service, 'live', ['abc.net'], 900_000)
  await makeUser(service, 'ann@example.com')
  ann = await signIn(service, 'ann@example.com')
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })
const namesOn = (page: { text: string }) =>
  [...page.text.matchAll(/class="name-row"[^>]*><a href="\/d\/([^"]+)"/g)].map(([, name]) => name)

/** Where the page's link to the next one leads. */
function nextOf(page: { text: string }): string | null {
  const [, href] = /<a href="([^"]+)" rel="next">/.exec(page.text) ?? []
  return href?.replaceAll('&amp;', '&') ?? null
}

test.each([
  '/?x=a%00b',
  '/?a%00b=x',
  '/search?q=a%00b',
  '/browse?cursor=%00',
  '/tlds?q=%00',
  '/whois?name=a%00b',
])('%s holds what is no text, and says so', async (path) => {
  const page = await get(path)
  expect(page.status).toBe(400)
  expect(page.headers['content-type']).toContain('text/html')
  expect(page.text).toContain('holds a character that is no text')
})

describe('browsing', () => {
  test('goes through all names by cursor, each once', async () => {
    const names: (string | undefined)[] = []
    for (let path: string | null = '/browse'; path !== null; ) {
      const page = await get(path)
      expect(page.status).toBe(200)
      names.push(...namesOn(page))
      path = nextOf(page)
    }
    expect(names).toHaveLength(61)
    expect(new Set(names).size).toBe(61)
  })

  test('filters by words, end and length, and keeps them in the cursor', async () => {
    expect(namesOn(await get('/browse?length=4'))).toEqual(['abc.net'])
    expect(namesOn(await get('/browse?tld=net'))).toEqual(['abc.net'])
    expect(namesOn(await get('/browse?q=bakery-17'))).toEqual(['bakery-17.com'])
    const next = nextOf(await get('/browse?q=bakery&sort=price_asc'))
    expect(next).toContain('q=bakery')
    expect(namesOn(await get(String(next)))).toHaveLength(10)
    expect((await get(`${next}x`)).status).toBe(400)
    expect((await get(String(next).replace('q=bakery', 'q=abc'))).status).toBe(400)
  })

  test('by price is for those who see prices', async () => {
    const page = await get('/browse?min=8000')
    expect(page.text).not.toContain('name="min"')
    expect(page.text).not.toContain('9,000.00')
    expect(namesOn(page)).toHaveLength(50)
    const own = await ann.get('/browse?min=8,000')
    expect(namesOn(own)).toEqual(['abc.net'])
    expect(own.text).toContain('$9,000.00')
    expect(namesOn(await ann.get('/browse?max=500.00'))).toHaveLength(50)
  })

  test.each([
    ['min=cheap', 'Write an amount'],
    ['min=900&max=500', 'Is above the highest'],
    ['q=%25', 'Use letters or digits'],
    ['tld=c_m', 'Write it as com'],
    ['length=99', 'Choose 1 to 63'],
  ])('%s is answered beside its field', async (query, said) => {
    const page = await ann.get(`/browse?${query}`)
    expect(page.status).toBe(400)
    expect(page.text).toContain(said)
    expect(page.text).toContain('aria-invalid="true"')
  })

  test('says what to do when nothing fits', async () => {
    const page = await get('/browse?q=zzzzzz')
    expect(page.status).toBe(200)
    expect(page.text).toContain('No name fits')
    expect(page.text).toContain('/search?q=zzzzzz')
  })
})

describe('the price table', () => {
  const tldsOn = (page: { text: string }) =>
    [...page.text.matchAll(/<a href="\/tlds\/([^"]+)">/g)].map(([, tld]) => tld)

  test.each(['tld', 'register', 'renew'])('in order of %s has each end once', async (sort) => {
    const seen: (string | undefined)[] = []
    for (let path: string | null = `/tlds?sort=${sort}`; path !== null; ) {
      const page = await get(path)
      seen.push(...tldsOn(page))
      path = nextOf(page)
    }
    const rows = await service.app.db
      .selectFrom('tld_prices')
      .select('tld')
      .where('op', '=', 'register')
      .where('price_cents', 'is not', null)
      .execute()
    expect(seen).toHaveLength(rows.length)
    expect(new Set(seen)).toEqual(new Set(rows.map(({ tld }) => tld)))
  })

  test('is searched with or without the dot, in letters of any script', async () => {
    expect(tldsOn(await get('/tlds?q=.COM'))).toContain('com')
    expect(tldsOn(await get(`/tlds?q=${encodeURIComponent('рф')}`))).toEqual(['xn--p1ai'])
    expect((await get('/tlds?q=nosuchend')).text).toContain('None that we know of')
    for (const path of ['/tlds', '/browse']) {
      const page = await get(`${path}?cursor=x`)
      expect(page.status).toBe(400)
      expect(page.text).toContain(`<a href="${path}">Open the page without filters`)
    }
  })

  test('leads to what one end costs and asks for', async () => {
    const page = await get('/tlds/ai')
    expect(page.text).toContain('for 2 years')
    expect(page.text).toContain('No .ai is for sale')
    expect((await get('/tlds/com')).text).toContain('href="/browse?tld=com"')
    expect((await get('/tlds/.COM')).headers.location).toBe('/tlds/com')
    expect((await get('/tlds/nosuchend')).status).toBe(404)
    expect((await get('/tlds/-')).status).toBe(404)
  })
})

describe('the WHOIS page', () => {
  test('asks, responds, and says what is wrong beside the field', async () => {
    expect((await get('/whois')).text).toContain('name="domain"')
    const page = await get('/whois?domain=Example.com')
    expect(page.text).toContain('Internet Assigned Numbers Authority')
    expect(page.text).toContain('href="/d/example.com"')
    const wrong = await get('/whois?domain=nonsense')
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Write a whole name')
  })

  test('counts in the limit of look-ups', async () => {
    const limited = await startService({ settings: { rateLimits: { whoisPerMinute: 1 } } })
    try {
      const look = () => limited.send({ method: 'GET', target: '/whois?domain=example.com' })
      expect((await look()).status).toBe(200)
      expect((await look()).status).toBe(429)
    } finally {
      await limited.stop()
    }
  })
})
