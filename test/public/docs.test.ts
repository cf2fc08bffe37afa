import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../src/surfaces/docs/markdown.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (target: string) => service.send({ method: 'GET', target })

describe.each([
  ['/docs', '/openapi.json'],
  ['/docs/partner', '/openapi-partner.json'],
])('%s', (path, source) => {
  test('shows every operation of its document, under the anchor that it has always had', async () => {
    const page = await get(path)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const { body } = await get(source)
    for (const [route, methods] of Object.entries(body.paths)) {
      expect(page.text.includes(`<code>${route}</code>`), route).toBe(true)
      for (const { operationId } of Object.values(
        methods as Record<string, { operationId: string }>,
      )) {
        expect(page.text.includes(`<article id="${operationId}"`), operationId).toBe(true)
        expect(page.text.includes(`href="#${operationId}"`), operationId).toBe(true)
      }
    }
  })

  test('asks no other host, and runs no script', async () => {
    const { text, headers } = await get(path)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(headers['content-security-policy']).not.toContain('script-src')
    expect(text.match(/<script|<style|<[^>]* (?:style|src|on\w+)="/g)).toBeNull()
  })

  test('weighs little', async () => {
    const { headers } = await service.send({
      method: 'GET',
      target: path,
      headers: { 'accept-encoding': 'gzip, br' },
    })
    expect(headers['content-encoding']).toBe('br')
    expect(headers.vary).toBe('cookie, accept-encoding')
    expect(Number(headers['content-length'])).toBeLessThan(60_000)
  })
})

test('/docs/partner shows what is delivered, with what each type of event holds', async () => {
  const { text } = await get('/docs/partner')
  const delivery = text.slice(text.indexOf('<article id="deliver_event"'))
  for (const field of ['webhook-signature', 'data.order.status', 'data.case.price_cents']) {
    expect(delivery).toContain(`<code>${field}</code>`)
  }
  expect(delivery).toMatch(/order\.recorded&quot; · .* · &quot;webhook\.test/)
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
      waiting.push(...links.filter((href) => !href.endsWith('.json')))
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
        const [target = '', anchor = ''] = href.split('#')
        const there =
          target === '' ? ids.has(anchor) : pages.get(target)?.includes(` id="${anchor}"`)
        expect(there, `${path} links to ${href}`).toBe(true)
      }
    }
    expect((await get('/docs/signing-vectors.json')).body.length ?? 1).toBeGreaterThan(0)
  })

  test('finds a section by words of it, nearly right and in part, and an operation by its name', async () => {
    const page = await get('/docs/search?q=idempotncy+repl')
    expect(page.text).toContain('href="/docs/spec/contract#5-idempotency"')
    expect((await get('/docs/search?q=whois_lookup')).text).toContain('href="/docs#whois_lookup"')
    expect((await get('/docs/search?q=RESTORE')).text).toContain('<mark>')
  })

  test('shows the specification and the contract to their last character', async () => {
    const contract = (await get('/docs/spec/contract')).text
    for (const end of [
      '--env sandbox|live --scopes a,b,c',
      'order clear|start|complete|fail|action-required|cancel|refund PUBLIC_ID',
      '--domains a.com,b.com | --domains-file F',
      'or from the data folder',
    ]) {
      expect(contract).toContain(end)
    }
    const { text } = await get('/docs/spec/service')
    expect(text).toContain('families order.*, transfer.* and brokerage.*.')
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
    const page = await get(`/docs/search?q=${encodeURIComponent('<i>qqqqqqqq')}`)
    expect(page.text).toContain('Nothing is said of that')
    expect(page.text).not.toContain('<i>')
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
    const answer = await fetch(`${service.baseUrl}/docs/glossary`, {
      headers: { 'accept-encoding': 'br' },
    })
    expect(await answer.text()).toBe(plain.text)
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
