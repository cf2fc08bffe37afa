import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const BASE = 'https://market.example'

let service: TestService
beforeAll(async () => {
  service = await startService({
    settings: { baseUrl: BASE, trustedProxies: ['loopback'] },
  })
  await offer(service, 'live', ['dog-bakery.com', 'xn--bcher-kva.example'], 123_400)
  await offer(service, 'sandbox', ['only-a-test.test'], 5_000)
})
afterAll(() => service.stop())

const at = (host: string, target = '/', more: { method?: string; headers?: object } = {}) =>
  service.send({
    method: more.method ?? 'GET',
    target,
    headers: { host, accept: 'text/html', ...more.headers },
  })

describe('a lander', () => {
  test.each(['dog-bakery.com', 'DOG-Bakery.COM', 'dog-bakery.com:8443', 'dog-bakery.com.'])(
    'is what %s shows',
    async (host) => {
      const page = await at(host)
      expect(page.status).toBe(200)
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.text).toContain('$1,234.00')
      expect(page.text).toContain(`href="${BASE}/d/dog-bakery.com/checkout"`)
      expect(page.text).toContain('How you get it')
      expect(page.text).toContain('What protects your money')
    },
  )

  test('needs no session, sets no cookie, and binds browsers to nothing', async () => {
    const page = await at('dog-bakery.com')
    expect(page.headers['set-cookie']).toBeUndefined()
    expect(page.headers['strict-transport-security']).toBeUndefined()
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.text).not.toContain('/sign-in')
    expect(page.text).not.toContain('<script>')
    expect(page.headers['x-robots-tag']).toBeUndefined()
  })

  test('has the marketplace’s rules and pages in full, and its own page as the canonical one', async () => {
    const { text } = await at('dog-bakery.com')
    for (const path of ['/terms', '/privacy', '/about', '/contact', '/']) {
      expect(text).toContain(`href="${BASE}${path}"`)
    }
    expect(text).toContain(`<link rel="canonical" href="${BASE}/d/dog-bakery.com"/>`)
    // What else is linked is of the look, which each host serves.
    const paths = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) expect((await at('dog-bakery.com', path)).status, path).toBe(200)
  })

  test('is what each path shows, and no API', async () => {
    for (const path of ['/old/page?x=1', '/api/market/listings', '/d/dog-bakery.com', '/sign-in']) {
      const page = await at('dog-bakery.com', path)
      expect(page.status, path).toBe(200)
      expect(page.text, path).toContain('This domain name is for sale')
    }
    const posted = await at('dog-bakery.com', '/sign-in', { method: 'POST' })
    expect(refusal(await at('dog-bakery.com', '/mcp', { method: 'POST' })).status).toBe(405)
    expect(posted.status).toBe(405)
    expect(posted.headers.allow).toBe('GET, HEAD')
    expect((await at('dog-bakery.com', '/', { method: 'HEAD' })).status).toBe(200)
  })

  test('serves an icon and robots of its own', async () => {
    expect((await at('dog-bakery.com', '/favicon.ico')).headers['content-type']).toBe('image/png')
    expect((await at('dog-bakery.com', '/robots.txt')).text).toBe('User-agent: *\nAllow: /\n')
  })

  test('www. leads to it', async () => {
    const page = await at('WWW.dog-bakery.com:8080', '/x?y=1', {
      headers: { 'x-forwarded-proto': 'https' },
    })
    expect(page.status).toBe(302)
    expect(page.headers.location).toBe('https://dog-bakery.com:8080/x?y=1')
  })

  test('of an internationalized name is at its A-label', async () => {
    expect((await at('xn--bcher-kva.example')).text).toContain('bücher')
  })

  test('leads to the checkout of the marketplace, at the price of the lander', async () => {
    const opened = await at('market.example', '/d/dog-bakery.com/checkout')
    expect(opened.status).toBe(303)
    expect(opened.headers['x-robots-tag']).toBe('noindex, nofollow')
    const { location = '' } = opened.headers
    expect(location).toMatch(/^\/checkout\?pt=/)
    const checkout = await at('market.example', location)
    expect(checkout.text).toContain('dog-bakery')
    expect(checkout.text).toContain('$1,234.00')
  })

  test('opens no checkout for what only looks ahead', async () => {
    const head = await at('market.example', '/d/dog-bakery.com/checkout', { method: 'HEAD' })
    const ahead = await at('market.example', '/d/dog-bakery.com/checkout', {
      headers: { 'sec-purpose': 'prefetch' },
    })
    for (const response of [head, ahead])
      expect(response.headers.location).toBe('/d/dog-bakery.com')
  })
})

describe('a host that is not served', () => {
  test.each(['other.example', 'only-a-test.test', 'www.other.example', '203.0.113.9', 'a b'])(
    '%s is rejected',
    async (host) => {
      for (const target of [
        '/',
        '/api/market/listings',
        '/nothing',
        '/pages/none.css',
        '/d/a.com',
      ]) {
        const response = await service.send({ method: 'GET', target, headers: { host } })
        expect(refusal(response), target).toEqual({ status: 421, code: 'misdirected_request' })
      }
    },
  )

  test('is rejected for people, too, who are led to the marketplace', async () => {
    const page = await at('other.example')
    expect(page.status).toBe(421)
    expect(page.text).toContain(`href="${BASE}/"`)
    // The page looks like one of ours: what it loads is served there, too.
    const paths = [...page.text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path = '']) => path)
    expect(paths.some((path) => path.startsWith('/pages/style.css?'))).toBe(true)
    for (const path of paths) expect((await at('other.example', path)).status, path).toBe(200)
  })

  test('a name stops being served once it is off the market', async () => {
    await offer(service, 'live', ['short-lived.com'])
    expect((await at('short-lived.com')).status).toBe(200)
    await service.admin('DELETE', '/listings/short-lived.com?environment=live')
    expect((await at('short-lived.com')).status).toBe(421)
    expect((await allowed('short-lived.com')).status).toBe(404)
  })

  test('is any name for health checks', async () => {
    expect((await at('10.0.0.7:3000', '/health/ready')).status).toBe(200)
    expect((await at('service:3000', '/health/live')).status).toBe(200)
  })

  test('is not the service itself by any of its names', async () => {
    for (const host of ['market.example', 'MARKET.example:443', 'localhost:3000', '127.0.0.1']) {
      expect((await at(host, '/browse')).status, host).toBe(200)
    }
  })
})

const allowed = (domain: string, headers: Record<string, string> = {}) =>
  service.send({
    method: 'GET',
    target: `/internal/tls-allowed?domain=${encodeURIComponent(domain)}`,
    headers: { host: 'service:3000', ...headers },
  })

describe('whether a proxy may get a certificate', () => {
  test.each([
    ['dog-bakery.com', 200],
    ['DOG-bakery.com', 200],
    ['www.dog-bakery.com', 200],
    ['other.example', 404],
    ['only-a-test.test', 404],
    ['not a name', 404],
    ['', 404],
  ])('for %s is %i', async (domain, status) => {
    expect((await allowed(domain)).status).toBe(status)
  })

  test('is not for those whom a proxy passes on', async () => {
    const passed = await allowed('dog-bakery.com', { 'x-forwarded-for': '203.0.113.7' })
    expect(refusal(passed)).toEqual({ status: 403, code: 'forbidden' })
  })
})

describe('on a laptop', () => {
  let local: TestService
  beforeAll(async () => {
    local = await startService()
    await offer(local, 'live', ['dog-bakery.com'], 123_400)
  })
  afterAll(() => local.stop())

  test.each(['localhost', 'localhost:3000', 'LOCALHOST:1', '127.0.0.1:3000', '[::1]:3000', 'dev'])(
    'the service is at %s',
    async (host) => {
      const response = await local.send({ method: 'GET', target: '/browse', headers: { host } })
      expect(response.status).toBe(200)
    },
  )

  test('a lander is at its name, and nothing at others', async () => {
    const lander = await local.send({
      method: 'GET',
      target: '/',
      headers: { host: 'dog-bakery.com:3000' },
    })
    expect(lander.text).toContain('href="http://localhost:3000/d/dog-bakery.com/checkout"')
    const other = await local.send({
      method: 'GET',
      target: '/',
      headers: { host: 'evil.example' },
    })
    expect(refusal(other)).toEqual({ status: 421, code: 'misdirected_request' })
  })
})
