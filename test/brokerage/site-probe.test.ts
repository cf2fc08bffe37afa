import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuardedHttp, type GuardedHttp } from 'domain-marketplace-safe-fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSiteProbe } from '../../src/domain/brokerage/site-probe.ts'
import { startService, type TestService } from '../support/service.ts'

type Serve = (response: ServerResponse, path: string) => void

let service: TestService
let server: Server
let http: GuardedHttp
let port: number
let visits = 0
let serve: Serve = (response) => response.end()

beforeAll(async () => {
  service = await startService()
  http = createGuardedHttp()
  server = createServer((request, response) => {
    visits += 1
    serve(response, request.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await http.close()
  await service.stop()
})

let last = 0
const fresh = () => `site-${++last}.example`

type Parts = Parameters<typeof createSiteProbe>[0]

function probe(more: Partial<Parts> = {}) {
  const { db, clock } = service.app
  return createSiteProbe({
    db,
    clock,
    http,
    resolve: async () => ({ state: 'addresses', nameservers: [] }),
    origins: () => [`http://127.0.0.1:${port}/`],
    policy: { allowHttp: true, allowLoopback: true },
    ...more,
  })
}

const html =
  (body: string, head = '', status = 200): Serve =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`)
  }
const redirect =
  (location: string): Serve =>
  (response) =>
    response.writeHead(302, { location }).end()

const PROSE = '<h1>Bicycles of Ghent</h1><p>We repair bicycles, every day from nine to six.</p>'

describe('what a server sends', () => {
  test.each<[string, Serve, string]>([
    ['a site', html(PROSE), 'active'],
    [
      'a site that a script fills',
      html('<div id=app></div><script src="/main.js"></script>'),
      'active',
    ],
    ['a long article about parking', html(`${PROSE.repeat(60)} This domain is for sale`), 'active'],
    [
      'a file',
      (r) => r.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF'),
      'active',
    ],
    ['a page that wants a password', html('No.', '', 401), 'active'],
    ['a page that lets no robots in', html('No.', '', 403), 'active'],
    ['a move to another site', redirect('https://elsewhere.example/'), 'active'],
    ['more than half a megabyte', html('word '.repeat(200_000)), 'active'],
    ['a sale', html('<h1>This domain is for sale!</h1>', '<title>buy x.com</title>'), 'parked'],
    [
      'a title that sells',
      html(
        '<p>Enquire below, it is quick and it is free of charge.</p>',
        '<title>Buy this domain</title>',
      ),
      'parked',
    ],
    [
      'a parker’s script',
      html(`${PROSE}<script src="https://www.bodis.com/a.js"></script>`),
      'parked',
    ],
    [
      'a registrar’s lander',
      html('', '<script>window.onload=function(){window.location.href="/lander"}</script>'),
      'parked',
    ],
    [
      'a move to a marketplace',
      redirect('https://www.hugedomains.com/domain_profile.cfm?d=x'),
      'parked',
    ],
    [
      'a server’s first page',
      html('<h1>Welcome to nginx!</h1><p>If you see this page, it works.</p>'),
      'parked',
    ],
    [
      'coming soon',
      html('<h1>Coming soon</h1><p>We are working on something great for you.</p>'),
      'parked',
    ],
    ['an empty page', html(''), 'parked'],
    ['an empty answer', (r) => r.writeHead(200, { 'content-type': 'text/plain' }).end(), 'none'],
    ['nothing found', html('<h1>Not Found</h1>', '', 404), 'none'],
    ['a move in circles', redirect('/again'), 'none'],
    ['a move to nowhere', (r) => r.writeHead(302).end(), 'none'],
    ['a failure', html('<h1>Oops</h1>', '', 500), 'unknown'],
    ['tags without an end', html('<'.repeat(400_000)), 'active'],
    ['a comment without an end', html('<!--'.repeat(100_000)), 'parked'],
    ['scripts without an end', html('<script '.repeat(50_000)), 'parked'],
    ['a title without an end', html(PROSE, '<title'.repeat(70_000)), 'active'],
    [
      'half a page',
      (r) => r.writeHead(200, { 'content-length': '9' }).end('x', () => r.destroy()),
      'unknown',
    ],
  ])('%s: %3$s', async (_what, page, state) => {
    serve = page
    expect(await probe().check(fresh())).toBe(state)
  })

  test('a move within the site is followed', async () => {
    serve = (response, path) =>
      path === '/home' ? html(PROSE)(response, path) : redirect('/home')(response, path)
    expect(await probe().check(fresh())).toBe('active')
  })
})

describe('what name servers say', () => {
  test.each([
    [{ state: 'none', nameservers: [] }, 'none'],
    [{ state: 'unknown', nameservers: [] }, 'unknown'],
    [{ state: 'addresses', nameservers: ['NS1.Bodis.com.'] }, 'parked'],
  ] as const)('%j', async (found, state) => {
    const before = visits
    expect(
      await probe({
        resolve: async () => ({ ...found, nameservers: [...found.nameservers] }),
      }).check(fresh()),
    ).toBe(state)
    expect(visits).toBe(before)
  })

  test('one that fails tells nothing', async () => {
    const failing = probe({ resolve: () => Promise.reject(new Error('broken')) })
    expect(await failing.check(fresh())).toBe('unknown')
  })
})

describe('the way there', () => {
  test('an address where nobody listens is no site', async () => {
    expect(await probe({ origins: () => ['http://127.0.0.1:9/'] }).check(fresh())).toBe('none')
  })

  test('an address inside is not visited, at first or by a redirect', async () => {
    const before = visits
    const outside = { allowHttp: true, allowLoopback: false }
    expect(await probe({ policy: outside }).check(fresh())).toBe('none')
    expect(
      await probe({ origins: (name) => [`http://${name}/`], policy: outside }).check('localhost'),
    ).toBe('none')
    expect(visits).toBe(before)
    serve = redirect('http://169.254.169.254/latest/meta-data/')
    // Elsewhere is not followed at all.
    expect(await probe().check(fresh())).toBe('active')
    expect(visits).toBe(before + 1)
  })

  test('one that hangs costs its time and no more', async () => {
    serve = () => {}
    expect(await probe({ timeoutMs: 300 }).check(fresh())).toBe('unknown')
  })

  test('the second origin decides when the first has nothing', async () => {
    serve = html(PROSE)
    const two = probe({ origins: () => ['http://127.0.0.1:9/', `http://127.0.0.1:${port}/`] })
    expect(await two.check(fresh())).toBe('active')
  })
})

describe('a response', () => {
  test('is kept for its time, and asked for once by many at once', async () => {
    const name = fresh()
    serve = (response) => setTimeout(() => html(PROSE)(response, ''), 50)
    const before = visits
    const sites = probe()
    const states = await Promise.all(Array.from({ length: 20 }, () => sites.check(name)))
    expect(new Set(states)).toEqual(new Set(['active']))
    expect(visits).toBe(before + 1)
    serve = html('', '', 404)
    expect(await probe().check(name)).toBe('active')
    expect(visits).toBe(before + 1)
    service.clock.advance(7 * 3_600_000)
    expect(await probe().check(name)).toBe('none')
  })

  test('that is none is soon asked for again', async () => {
    const name = fresh()
    serve = html('', '', 500)
    expect(await probe().check(name)).toBe('unknown')
    serve = html(PROSE)
    expect(await probe().check(name)).toBe('unknown')
    service.clock.advance(61_000)
    expect(await probe().check(name)).toBe('active')
  })
})

test('the service asks its own probe in live', async () => {
  const live = await service.partner({ environment: 'live' })
  serve = html(PROSE)
  service.app.sites = probe()
  const name = fresh()
  const response = await live.get(`/brokerage/eligibility?domain=${name}`)
  expect(response.body).toEqual({ domain: name, eligible: false, reason: 'active_site' })
})

test('without a network it says so within its time', async () => {
  const { db, clock } = service.app
  const real = createSiteProbe({ db, clock, http })
  expect(['none', 'unknown', 'parked', 'active']).toContain(await real.check('example.com'))
})
