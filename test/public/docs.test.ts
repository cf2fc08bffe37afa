import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_CALLS } from '../../src/web/docs/client-calls.ts'
import { renderMarkdown } from '../../src/web/docs/markdown.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (target: string) => service.send({ method: 'GET', target })

/** Every operation of both documents, with where it is served. */
async function operations() {
  const documents = await Promise.all(['/openapi-partner.json', '/openapi.json'].map(get))
  return documents.flatMap(({ body }) =>
    Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    ),
  )
}

/** The article of an operation, from where its own addresses lead. */
async function articleOf(operationId: string): Promise<string> {
  const { headers } = await get(`/docs/operations/${operationId}`)
  const [page = '', id = ''] = String(headers.location).split('#')
  const { text } = await get(page)
  const from = text.indexOf(`<article id="${id}"`)
  return from < 0 ? '' : text.slice(from, text.indexOf('</article>', from))
}

describe('the reference', () => {
  test('leads to every operation by its name, and by its method and path', async () => {
    for (const { path, method, operationId } of await operations()) {
      const named = await get(`/docs/operations/${operationId}`)
      expect(named.status, operationId).toBe(301)
      const target = `/docs/reference/${method.toUpperCase()}${path.replaceAll(/\{\w+\}/g, 'x')}`
      expect((await get(target)).headers.location, target).toBe(named.headers.location)
      const article = await articleOf(operationId)
      expect(article, operationId).toContain('class="path"')
      for (const language of ['curl', 'TypeScript', 'Python', 'PHP']) {
        expect(article, `${operationId} in ${language}`).toContain(`${language}</label>`)
      }
    }
    expect((await get('/docs/operations/none')).status).toBe(404)
    expect((await get('/docs/reference/GET/api/none')).status).toBe(404)
  })

  test('keeps the old addresses, with their anchors', async () => {
    expect((await get('/docs/partner')).headers.location).toBe('/docs/reference')
    const [partner, open] = [(await get('/docs/reference')).text, (await get('/docs')).text]
    for (const { path, operationId } of await operations()) {
      const page = path.startsWith('/api/partner') ? partner : open
      expect(page.includes(`id="${operationId}"`), operationId).toBe(true)
    }
  })

  test('shows the fields of objects within objects, and what components stand for', async () => {
    const article = await articleOf('create_order')
    for (const field of ['buyer.email', 'response.timeline.status']) {
      expect(article).toContain(`id="create_order.${field}"`)
    }
    expect(article).not.toContain('#/components')
    expect(article).toContain('price_mismatch')
  })

  test('shows what is delivered, with what each type of event holds', async () => {
    const { text } = await get('/docs/reference/events')
    const delivery = text.slice(text.indexOf('<article id="deliver_event"'))
    for (const id of ['webhook-signature', 'data.order.status', 'data.case.price_cents']) {
      expect(delivery).toContain(`id="deliver_event.${id}"`)
    }
    expect(delivery).toMatch(/order\.recorded&quot; · .* · &quot;webhook\.test/)
  })

  test.each([
    '/docs',
    '/docs/reference',
    '/docs/reference/orders',
    '/docs/reference/events',
    '/docs/errors',
  ])('%s asks no other host, runs our own script alone, and weighs little', async (path) => {
    const { text, headers } = await service.send({ method: 'GET', target: path })
    const policy = headers['content-security-policy']
    expect(policy).toMatch(/^default-src 'none'; style-src 'self';.* script-src 'self';/)
    expect(text.match(/<style|<[^>]* (?:style|on\w+)="/g)).toBeNull()
    expect(text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="\/pages\/docs\.js/),
    ])
    const accept = { 'accept-encoding': 'gzip, br' }
    const packed = await service.send({ method: 'GET', target: path, headers: accept })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(packed.headers.vary).toBe('cookie, accept-encoding')
    expect(Number(packed.headers['content-length'])).toBeLessThan(20_000)
  })

  test('needs a client call for each signed operation, and for no other', async () => {
    const signed = (await operations()).filter(({ path }) => path.startsWith('/api/partner'))
    expect(Object.keys(CLIENT_CALLS).toSorted()).toEqual(
      signed.map(({ operationId }) => operationId).toSorted(),
    )
  })
})

describe('the address of the service', () => {
  test('is in every snippet', async () => {
    const own = await startService({ settings: { baseUrl: 'https://market.example' } })
    try {
      for (const target of ['/docs/start', '/docs/guides/signing', '/docs/examples/market.py']) {
        const { text } = await own.send({ method: 'GET', target })
        expect(text, target).toContain('https://market.example')
        expect(text, target).not.toContain('http://localhost:3000')
      }
    } finally {
      await own.stop()
    }
  })
})

describe('the site', () => {
  /** All pages that can be reached from the first one. */
  async function crawl(): Promise<Map<string, string>> {
    const pages = new Map<string, string>()
    const waiting = ['/docs']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue
      const page = await get(path)
      expect(page.status, path).toBe(200)
      pages.set(path, page.text)
      const links = [...page.text.matchAll(/href="(\/docs[^"#?]*)/g)].map(([, href = '']) => href)
      waiting.push(...links.filter((href) => !/\.json$|^\/docs\/examples\//.test(href)))
    }
    return pages
  }

  test('links to nothing that is not there, page or anchor', async () => {
    const pages = await crawl()
    expect(pages.size).toBeGreaterThan(30)
    for (const [path, text] of pages) {
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      expect(text.match(/<h1/g), path).toHaveLength(1)
      expect(text.match(/<th[^>]*><\/th>/g), `${path} has a column without a word`).toBeNull()
      for (const [, href = ''] of text.matchAll(/href="([^"]*#[^"]*)"/g)) {
        // The way to a page's list, shown on pages that have one.
        if (href === '#list') continue
        const [target = '', anchor = ''] = href.split('#')
        const there =
          target === '' ? ids.has(anchor) : pages.get(target)?.includes(` id="${anchor}"`)
        expect(there, `${path} links to ${href}`).toBe(true)
      }
    }
    expect((await get('/docs/signing-vectors.json')).body.length ?? 1).toBeGreaterThan(0)
  })

  test('finds a section by words of it, nearly right and in part, and an operation by its name', async () => {
    const page = await get('/docs/search?q=idempotncy+retr')
    expect(page.text).toContain('href="/docs/api#retries-and-idempotency"')
    expect((await get('/docs/search?q=whois_lookup')).text).toMatch(
      /href="\/docs\/reference\/[\w-]+#whois_lookup"/,
    )
    expect((await get('/docs/search?q=RESTORE')).text).toContain('<mark>')
  })

  test('finds an operation by its path, a field, an error, and a type of event', async () => {
    const first = async (q: string) =>
      /<ol class="hits">.*?href="([^"]*)"/.exec((await get(`/docs/search?q=${q}`)).text)?.[1]
    expect(await first('checkout-session+POST')).toMatch(/#create_checkout_session$/)
    expect(await first('external_payment_ref')).toMatch(/\.external_payment_ref$/)
    expect(await first('quote_expired')).toBe('/docs/errors#quote_expired')
    const { text } = await get('/docs/search?q=order.transfer_started')
    expect(text).toContain('href="/docs/reference/events#deliver_event"')
  })

  test('leaves the raw specification to who works on the code', async () => {
    for (const name of ['service', 'contract']) {
      expect((await get(`/docs/spec/${name}`)).headers.location).toBe('/docs/api')
    }
    for (const [path, text] of await crawl()) {
      expect(text.match(/.{40}not shown.{20}/), path).toBeNull()
    }
  })

  test.each(['contract', 'service'])('has rows as wide as their tables in spec/%s.md', (name) => {
    const lines = readFileSync(`docs/spec/${name}.md`, 'utf8').split('\n')
    const cells = (line: string) => line.split(/(?<!\\)\|/).length
    for (const [index, line] of lines.entries()) {
      const above = lines[index - 1] ?? ''
      if (line.startsWith('|') && above.startsWith('|'))
        expect(cells(line), line).toBe(cells(above))
      // Nobody's formatter has been at it: the words are the specification's, and so is their layout.
      expect(line).not.toMatch(/^\| -{3}| {2,}\|/)
    }
  })

  test('says so when it finds nothing, and shows what was typed as text', async () => {
    const page = await get(`/docs/search?q=${encodeURIComponent('<qqzz>qqqqqqqq')}`)
    expect(page.text).toContain('Nothing found')
    expect(page.text).not.toContain('<qqzz>')
    expect((await get('/docs/search')).status).toBe(200)
    expect((await get('/docs/search?q=(')).status).toBe(200)
  })

  test('may be kept by anyone, but for who has signed in', async () => {
    expect((await get('/docs/glossary')).headers['cache-control']).toBe('public, max-age=300')
    await makeUser(service, 'ann@example.com')
    const ann = await signIn(service, 'ann@example.com')
    const page = await ann.get('/docs/glossary')
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.text).toContain('href="/account"')
  })

  test('has a page for what is not there', async () => {
    const page = await get('/docs/nothing')
    expect(page.status).toBe(404)
    expect(page.headers['content-type']).toContain('text/html')
  })

  test('is the same compressed', async () => {
    const plain = await get('/docs/glossary')
    const response = await fetch(`${service.baseUrl}/docs/glossary`, {
      headers: { 'accept-encoding': 'br' },
    })
    expect(await response.text()).toBe(plain.text)
  })
})

describe('a document', () => {
  const render = (text: string) =>
    renderMarkdown(text, (target) => (target === 'no' ? null : target))

  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['<img src=x onerror=alert(1)>', '&lt;img'],
    ['```sh\n<b>\n```', '&lt;b&gt;'],
    ['```unknown\n<b>\n```', '&lt;b&gt;'],
    ['[text](no)', '<p>text</p>'],
    ['![image](x.png)', '<p></p>'],
  ])('holds no HTML of its own: %s', (text, shown) => {
    const { html } = render(text)
    expect(html).toContain(shown)
    expect(html).not.toMatch(/<script|<img|<b>|href="javascript/)
  })

  test('keeps to the policy of its page, and can be scrolled with the keyboard', () => {
    const table = '| a | b |\n|:--|--:|\n| 1 | 2 |\n'
    const { html } = render(`# One\n\n${table}\n${table}\n    indented\n`)
    expect(html).not.toContain('style=')
    expect(html).toContain('<td>1</td>')
    expect(html).toContain('<td class="end">2</td>')
    expect(html.match(/aria-label="[^"]*"/g)).toEqual([
      'aria-label="Table: One"',
      'aria-label="Table: One (2)"',
    ])
    expect(html).toContain('<pre tabindex="0"><code>indented')
  })

  test('gives headings the anchors that GitHub gives them', () => {
    const { sections, title } = render(
      '# A title\n\n## `GET /x`, twice\n\ntext\n\n## `GET /x`, twice\n',
    )
    expect(title).toBe('A title')
    expect(sections.map(({ id }) => id)).toEqual(['a-title', 'get-x-twice', 'get-x-twice-1'])
    expect(sections[1]?.text).toContain('text')
  })
})
