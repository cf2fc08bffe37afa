import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../support/market.ts'
import { Browser } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const STYLE = '/pages/theme.css'

test('the theme is what a visitor chose, on pages that anyone may keep too', async () => {
  const visitor = new Browser(() => service)
  const page = (await visitor.get('/about')).text
  expect(page).toContain(`href="${STYLE}"`)
  expect((await visitor.get(STYLE)).text).toContain(':root{color-scheme:light dark}')

  const chosen = await visitor.post('/theme', { theme: 'dark', back: '/browse?q=dog' })
  expect([chosen.status, chosen.headers.location]).toEqual([303, '/browse?q=dog'])
  const style = await visitor.get(STYLE)
  expect(style.text).toContain(':root{color-scheme:dark}')
  expect(style.headers['cache-control']).toBe('private, no-cache')
  // The page itself is the same for all.
  expect((await visitor.get('/about')).text).toBe(page)
  expect((await new Browser(() => service).get(STYLE)).text).toContain('color-scheme:light dark')
})

test('a theme that is none is the system’s, and it leads nowhere but here', async () => {
  const visitor = new Browser(() => service)
  const chosen = await visitor.post('/theme', { theme: 'pink', back: 'https://evil.example/' })
  expect([chosen.status, chosen.headers.location]).toEqual([303, '/account'])
  expect((await visitor.get(STYLE)).text).toContain('color-scheme:light dark')
  const foreign = { theme: 'dark', back: '/' }
  must(await visitor.post('/theme', foreign, { 'sec-fetch-site': 'cross-site' }), 403)
  expect((await visitor.get('/theme')).headers.location).toBe('/')
})

test('a page that is missing has a search, and one that is not allowed a way on', async () => {
  const visitor = new Browser(() => service)
  const missing = await visitor.get('/no/such/page')
  expect(missing.status).toBe(404)
  expect(missing.text).toContain('action="/search"')
  const forbidden = await visitor.post('/theme', {}, { 'sec-fetch-site': 'cross-site' })
  expect(forbidden.text).toContain('href="/account"')
})
