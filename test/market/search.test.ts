import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RegistryResult } from '../../src/domain/registry/registry.ts'
import { offer } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: Browser
beforeAll(async () => {
  service = await startService({
    settings: { pagePrices: 'masked', registrationUrl: 'https://registrar.example/?q={domain}' },
  })
  await offer(service, 'live', ['dog-bakery.com', 'houseplant.net'], 123_400)
  await makeUser(service, 'ann@example.com')
  ann = await signIn(service, 'ann@example.com')
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })

/** The page's body in the pieces in which it came. */
function pieces(target: string): { next(): Promise<string>; all(): Promise<string> } {
  const waiting: ((text: string) => void)[] = []
  const come: string[] = []
  let isOver = false
  let whole = ''
  let finish: (text: string) => void = () => {}
  const end = new Promise<string>((resolve) => {
    finish = resolve
  })
  request(service.baseUrl + target, (response) => {
    response.on('data', (chunk: Buffer) => {
      const text = chunk.toString()
      whole += text
      const taker = waiting.shift()
      if (taker) taker(text)
      else come.push(text)
    })
    response.on('end', () => {
      isOver = true
      finish(whole)
      for (const taker of waiting) taker('')
    })
  }).end()
  return {
    next: async () =>
      come.shift() ?? (isOver ? '' : await new Promise((resolve) => waiting.push(resolve))),
    all: () => end,
  }
}

describe('the first page', () => {
  test('asks one question, and has names without prices for nobody in particular', async () => {
    const page = await get('/')
    expect(page.status).toBe(200)
    expect(page.text).toContain('action="/search"')
    expect(page.text).toContain('href="/d/dog-bakery.com"')
    expect(page.text).not.toContain('1,234.00')
    expect(page.text).toContain('/sign-in?next=%2F')
    expect(page.text).not.toContain('This is a test')
  })

  test('has prices for who has signed in, and is kept by nobody', async () => {
    const page = await ann.get('/')
    expect(page.text).toContain('$1,234.00')
    expect(page.headers['cache-control']).toBe('no-store')
  })
})

describe('a search', () => {
  test('sends each response as it is known, into the place that waits for it', async () => {
    const { registry } = service.app
    const lookup = registry.lookup.bind(registry)
    const answers = new Map<string, (response: RegistryResult) => void>()
    registry.lookup = (domain) => new Promise((resolve) => answers.set(domain, resolve))
    const known = (domain: string, state: RegistryResult['state']) =>
      answers.get(domain)?.({
        state,
        reason: null,
        source: 'rdap',
        checkedAt: service.clock.now(),
        record: null,
      })
    try {
      const page = pieces('/search?q=slowname')
      let seen = ''
      while (!seen.includes('slot="ideas"')) seen += await page.next()
      await expect.poll(() => answers.size).toBe(10)
      expect(seen).toContain('<template shadowrootmode="open">')
      expect(seen).toContain('<slot name="row-0"><div part="waiting" role="listitem">')
      expect(seen).not.toContain('slot="row-')
      known('slowname.net', 'registered')
      const first = await page.next()
      expect(first).toContain('slot="row-1"')
      expect(first).toContain('taken')
      known('slowname.com', 'available')
      const second = await page.next()
      expect(second).toContain('slot="row-0"')
      expect(second).toContain('available')
      expect(second).toContain('$11.99')
      for (const domain of answers.keys()) known(domain, 'unknown')
      const all = await page.all()
      expect(all).toContain('not known')
      expect(all.match(/slot="row-\d+"/g)).toHaveLength(10)
      expect(all.endsWith('</html>')).toBe(true)
    } finally {
      registry.lookup = lookup
    }
  })

  test('says so on the page when it breaks off', async () => {
    const { search } = service.app
    const rank = search.rank.bind(search)
    search.rank = () => Promise.reject(new Error('down'))
    try {
      const page = await get('/search?q=whatever')
      expect(page.status).toBe(200)
      expect(page.text).toContain('role="alert"')
      expect(page.text.endsWith('</html>')).toBe(true)
    } finally {
      search.rank = rank
    }
  })

  test('of several words looks for the name they make, and for what they mean', async () => {
    const page = await get('/search?q=dog+bakery')
    expect(page.text).toContain('dogbakery, as a name')
    expect(page.text).toContain('href="/d/dogbakery.com"')
    expect(page.text).toContain('href="/d/dog-bakery.com"')
    expect(page.text).not.toContain('1,234.00')
    expect((await ann.get('/search?q=dog+bakery')).text).toContain('$1,234.00')
  })

  test('of what can be no name finds by meaning alone', async () => {
    const page = await get(`/search?q=${encodeURIComponent('!?')}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Nothing on the market comes near')
    expect(page.text).not.toContain('slot="row-')
  })

  test('of nothing leads back, and one too long is rejected', async () => {
    expect((await get('/search?q=+')).headers.location).toBe('/')
    const page = await get(`/search?q=${'a'.repeat(101)}`)
    expect(page.status).toBe(400)
    expect(page.text).toContain(`value="${'a'.repeat(101)}"`)
    expect(page.text).toContain('Use 100 characters at most.')
  })

  test('shows what was typed as text', async () => {
    const page = await get(`/search?q=${encodeURIComponent('<b>"x')}`)
    expect(page.text).not.toContain('<b>')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['content-security-policy']).not.toContain('script')
  })

  test('counts in the limit of the public API', async () => {
    const limited = await startService({ settings: { rateLimits: { publicPerMinute: 2 } } })
    try {
      const look = () => limited.send({ method: 'GET', target: '/search?q=one' })
      expect((await look()).status).toBe(200)
      expect((await look()).status).toBe(200)
      const third = await look()
      expect(third.status).toBe(429)
      expect(third.text).toContain('<h1>Too many requests</h1>')
    } finally {
      await limited.stop()
    }
  })
})

describe('without anything for sale', () => {
  test('the first page shows the sandbox, and says that it is a test', async () => {
    const empty = await startService()
    try {
      const page = await empty.send({ method: 'GET', target: '/' })
      expect(page.text).toContain('This is a test')
      expect(page.text).toMatch(/href="\/d\/[^"]+\.(?:test|example)"/)
    } finally {
      await empty.stop()
    }
  })
})
