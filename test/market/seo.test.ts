import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NAMES_A_FILE } from '../../src/domain/listings/sitemap.ts'
import { MINUTE } from '../../src/lib/clock.ts'
import { Buyer } from '../support/buyer.ts'
import { must, offer } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

const BASE = 'http://localhost:3000'

let service: TestService
let ann: Browser
beforeAll(async () => {
  service = await startService({ settings: { pagePrices: 'masked' } })
  service.app.sites.check = async () => 'none'
  await offer(service, 'live', ['dog-bakery.com', 'xn--bcher-kva.example'], 123_400)
  await makeUser(service, 'ann@example.com')
  ann = await signIn(service, 'ann@example.com')
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })
const locations = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, at]) => at)

/** Where each property of a page's Open Graph stands. */
function openGraph(text: string): Record<string, string> {
  const found = text.matchAll(/<meta property="([^"]+)" content="([^"]*)"\/>/g)
  return Object.fromEntries([...found].map(([, name, content]) => [name, content]))
}

// biome-ignore lint/suspicious/noExplicitAny: schema.org's words
function jsonLdOf(text: string): any {
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
  return JSON.parse(json)
}

describe('the sitemap', () => {
  test('is an index, with the pages and the names of the live market', async () => {
    const robots = await get('/robots.txt')
    expect(robots.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(robots.text).toContain(`\nSitemap: ${BASE}/sitemap.xml\n`)
    expect(robots.text).toContain('\nDisallow: /checkout\n')
    const index = await get('/sitemap.xml')
    expect(index.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(index.text).toContain(
      '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    )
    expect(locations(index.text)).toEqual([
      `${BASE}/sitemaps/pages.xml`,
      `${BASE}/sitemaps/names-1.xml`,
    ])
    const names = await get('/sitemaps/names-1.xml')
    expect(names.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(locations(names.text)).toEqual([
      `${BASE}/d/dog-bakery.com`,
      `${BASE}/d/xn--bcher-kva.example`,
    ])
    expect(names.text).toMatch(/<lastmod>\d{4}-\d\d-\d\d<\/lastmod>/)
    const pages = locations((await get('/sitemaps/pages.xml')).text)
    for (const path of ['/', '/browse', '/tlds/com', '/about', '/terms']) {
      expect(pages).toContain(BASE + path)
      expect((await get(path)).status).toBe(200)
    }
  })

  test.each(['names-0', 'names-2', 'names-01', 'names-99999999', 'names--1', 'others'])(
    'has no file %s',
    async (name) => {
      expect((await get(`/sitemaps/${name}.xml`)).status).toBe(404)
    },
  )

  test('has a name within a minute of its listing, and no more once it is sold or withdrawn', async () => {
    await offer(service, 'live', ['just-listed.com', 'soon-gone.com'])
    await offer(service, 'sandbox', ['sandbox-only.test'])
    service.clock.advance(MINUTE)
    const all = async () => {
      const files = locations((await get('/sitemap.xml')).text).slice(1)
      const texts = await Promise.all(
        files.map((url = '') => get(url.replace(BASE, '')).then(({ text }) => locations(text))),
      )
      return texts.flat()
    }
    expect(await all()).toContain(`${BASE}/d/just-listed.com`)
    expect(await all()).not.toContain(`${BASE}/d/sandbox-only.test`)
    await new Buyer(service).pay('/d/just-listed.com')
    must(await service.admin('DELETE', '/listings/soon-gone.com?environment=live'), 200)
    service.clock.advance(MINUTE)
    const left = await all()
    expect(left).toContain(`${BASE}/d/dog-bakery.com`)
    expect(left).not.toContain(`${BASE}/d/just-listed.com`)
    expect(left).not.toContain(`${BASE}/d/soon-gone.com`)
  })

  test('is split into files, none of which has more than 50,000 names, with each name once', async () => {
    const many = Array.from({ length: NAMES_A_FILE + 20 }, (_, index) => `many-${index}.com`)
    await offer(service, 'live', many)
    service.clock.advance(MINUTE)
    const files = locations((await get('/sitemap.xml')).text).slice(1)
    expect(files).toEqual([`${BASE}/sitemaps/names-1.xml`, `${BASE}/sitemaps/names-2.xml`])
    const lists: (string | undefined)[][] = []
    for (const url of files) lists.push(locations((await get(url?.replace(BASE, '') ?? '')).text))
    for (const list of lists) expect(list.length).toBeLessThanOrEqual(50_000)
    const all = lists.flat()
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual(
      expect.arrayContaining([`${BASE}/d/dog-bakery.com`, `${BASE}/d/${many.at(-1)}`]),
    )
    expect(all.length).toBeGreaterThan(many.length)
  }, 120_000)
})

describe('the head of a page', () => {
  test.each(['/', '/browse', '/browse?sort=price_asc', '/tlds', '/tlds/com', '/whois', '/docs'])(
    'of %s has its one address, and what networks show of it',
    async (path) => {
      const { text } = await get(path)
      const url = BASE + path.split('?')[0]
      expect(text).toContain(`<link rel="canonical" href="${url}"/>`)
      expect(text).toMatch(/<meta name="description" content="[^"]{20,}"\/>/)
      expect(text).toContain('<link rel="apple-touch-icon" href="/brand/touch-icon.png"/>')
      expect(openGraph(text)).toMatchObject({
        'og:type': 'website',
        'og:site_name': 'Domain Marketplace',
        'og:url': url,
        'og:image': `${BASE}/brand/card.png`,
        'og:image:width': '1200',
        'og:image:height': '630',
      })
    },
  )

  test('of a name has a picture of its own, and what is offered', async () => {
    const { text } = await get('/d/dog-bakery.com')
    expect(text).toContain(`<link rel="canonical" href="${BASE}/d/dog-bakery.com"/>`)
    expect(openGraph(text)).toMatchObject({
      'og:title': 'dog-bakery.com',
      'og:url': `${BASE}/d/dog-bakery.com`,
      'og:image': `${BASE}/d/dog-bakery.com/card.png`,
      'og:image:alt': 'dog-bakery.com, for sale',
    })
    expect(jsonLdOf(text)).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: 'dog-bakery.com',
      url: `${BASE}/d/dog-bakery.com`,
      image: `${BASE}/d/dog-bakery.com/card.png`,
      offers: {
        '@type': 'Offer',
        availability: 'https://schema.org/InStock',
        url: `${BASE}/d/dog-bakery.com`,
      },
    })
  })

  test('has the price for machines only where the page shows it', async () => {
    const masked = await get('/d/dog-bakery.com')
    expect(masked.text).not.toContain('$1,234.00')
    expect(jsonLdOf(masked.text).offers).not.toHaveProperty('price')
    expect(masked.text).not.toContain('1234')
    const shown = await ann.get('/d/dog-bakery.com')
    expect(shown.text).toContain('$1,234.00')
    expect(jsonLdOf(shown.text).offers).toMatchObject({ price: '1234.00', priceCurrency: 'USD' })
  })

  test('of what is private or nobody’s says nothing of itself', async () => {
    for (const path of ['/d/google.com', '/nothing-here', '/checkout?pt=x']) {
      const { text } = await get(path)
      expect(text).toContain('noindex')
      expect(text).not.toMatch(/rel="canonical"|og:|ld\+json/)
    }
  })
})

describe('pictures', () => {
  const load = async (path: string) => {
    const response = await fetch(service.baseUrl + path)
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      bytes: Buffer.from(await response.arrayBuffer()),
    }
  }
  const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)]

  test.each(['/brand/card.png', '/d/dog-bakery.com/card.png', '/d/BÜCHER.example/card.png'])(
    '%s is a PNG of 1200 by 630',
    async (path) => {
      const { status, type, bytes } = await load(path)
      expect([status, type]).toEqual([200, 'image/png'])
      expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
      expect(sizeOf(bytes)).toEqual([1200, 630])
      expect(bytes.subarray(-8, -4).toString()).toBe('IEND')
      expect(bytes.length).toBeLessThan(300_000)
    },
  )

  test('differ by name', async () => {
    const [one, other] = await Promise.all(
      ['dog-bakery.com', 'xn--bcher-kva.example'].map((name) => load(`/d/${name}/card.png`)),
    )
    expect(one?.bytes.equals(other?.bytes ?? Buffer.alloc(0))).toBe(false)
  })

  test('of a touch icon are square', async () => {
    expect(sizeOf((await load('/brand/touch-icon.png')).bytes)).toEqual([180, 180])
    expect((await load('/favicon.ico')).type).toBe('image/png')
  })

  test.each(['google.com', 'a%00b', '%20', 'nothing'])('there is none of %s', async (name) => {
    expect((await load(`/d/${name}/card.png`)).status).toBe(404)
  })
})

test('security researchers find whom to write to (RFC 9116)', async () => {
  const { headers, text } = await get('/.well-known/security.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text).toMatch(/^Contact: (?:mailto:|https?:)\S+$/m)
  const [, expires = ''] = /^Expires: (\S+)$/m.exec(text) ?? []
  const days = (Date.parse(expires) - service.clock.now().getTime()) / 86_400_000
  expect(days).toBeGreaterThan(30)
  expect(days).toBeLessThan(365)
})
