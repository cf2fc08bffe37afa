import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, SECOND } from '../../src/lib/clock.ts'
import { offer, refusal } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const NAME = 'anns-bakery.com'
const BASE = 'https://market.example'

let service: TestService
let ann: Browser
let api: Reader
beforeAll(async () => {
  service = await startService({ settings: { baseUrl: BASE } })
  await makeUser(service, 'ann@example.com', [NAME, 'not-listed.com'])
  await makeUser(service, 'bob@example.com', ['bobs.com'])
  ann = await signIn(service, 'ann@example.com')
  const made = await service.admin('POST', '/user-tokens', { email: 'ann@example.com' })
  api = readerOf(() => service, made.body.token)
})
afterAll(() => service.stop())

const bulk = (op: string, params: object) =>
  api.post(`/api/domains/bulk/${op}`, { domains: [NAME], params })
const visit = (host: string, target: string, headers: Record<string, string> = {}) =>
  service.send({ method: 'GET', target, headers: { host, accept: 'text/html', ...headers } })
const lander = async () => (await visit(NAME, '/')).text
const describeName = (description: string, name = NAME) =>
  ann.post(`/account/domains/${name}/description`, { description })

describe('the seller’s words', () => {
  test('are set as the name is listed, and stand on its page and lander as plain text', async () => {
    const listed = await bulk('list_for_sale', {
      price_cents: 50_000,
      description: '<b>Fresh</b> & ready',
    })
    expect(listed.body.results).toEqual([{ domain: NAME, status: 200 }])
    const escaped = '&lt;b>Fresh&lt;/b> &amp; ready'
    expect(await lander()).toContain(escaped)
    expect((await visit('market.example', `/d/${NAME}`)).text).toContain(escaped)
    expect(await lander()).toContain('for an owner who has proved that the domain is theirs')
  })

  test('stay when the price changes, change with it, and can be taken back', async () => {
    await bulk('set_price', { price_cents: 60_000 })
    expect(await lander()).toContain('Fresh')
    await bulk('set_price', { price_cents: 60_000, description: 'Other words' })
    expect(await lander()).toContain('Other words')
    await bulk('set_price', { price_cents: 60_000, description: '' })
    expect(await lander()).not.toContain('class="words"')
  })

  test('are written on the page of the domain', async () => {
    const saved = await describeName('First line\r\nSecond line')
    expect(saved.headers.location).toBe(`/account/domains/${NAME}`)
    const page = await ann.get(`/account/domains/${NAME}`)
    expect(page.text).toContain('Saved.')
    expect(page.text).toContain('First line\nSecond line</textarea>')
    expect(await lander()).toContain('First line\nSecond line</p>')
    await describeName('')
    expect(await lander()).not.toContain('class="words"')
  })

  test('are rejected where they are too long, or the name is not for sale', async () => {
    const long = await describeName('x'.repeat(2_001))
    expect(long.status).toBe(400)
    expect(long.text).toContain('aria-invalid="true"')
    expect(
      refusal(await bulk('set_price', { price_cents: 1, description: 'x'.repeat(2_001) })),
    ).toEqual({ status: 400, code: 'validation_error' })
    expect((await describeName('Words', 'not-listed.com')).status).toBe(409)
    await offer(service, 'live', ['bobs-shop.com'])
    expect((await describeName('Words', 'bobs-shop.com')).status).toBe(404)
    expect((await visit('bobs-shop.com', '/')).text).not.toContain('class="words"')
  })
})

describe('the page of a domain', () => {
  test('is its owner’s alone', async () => {
    expect((await ann.get('/account/domains/bobs.com')).status).toBe(404)
    expect((await ann.get('/account/domains/not-listed.com')).text).toContain('not for sale')
    const nobody = await visit('market.example', `/account/domains/${NAME}`)
    expect(nobody.headers.location).toMatch(/^\/sign-in\?next=/)
  })

  test('says which records lead to the lander, and is found from the list', async () => {
    const { text } = await ann.get(`/account/domains/${NAME}`)
    expect(text).toContain(`${NAME}. ALIAS market.example.`)
    expect(text).toContain(`www.${NAME}. CNAME market.example.`)
    expect((await ann.get('/account')).text).toContain(`href="/account/domains/${NAME}"`)
  })

  test('counts views and leads by day, without cookies, and no robots', async () => {
    service.clock.advance(DAY)
    const robot = { 'user-agent': 'Googlebot/2.1' }
    for (const headers of [{}, {}, robot, { purpose: 'prefetch' }]) {
      expect((await visit(NAME, '/', headers)).headers['set-cookie']).toBeUndefined()
    }
    await visit(NAME, '/pages/style.css')
    await visit('market.example', `/d/${NAME}`)
    expect((await visit('market.example', `/d/${NAME}/checkout`)).status).toBe(303)
    expect((await visit('market.example', `/d/${NAME}/checkout`, robot)).status).toBe(302)
    const today = service.clock.now().toISOString().slice(0, 10)
    const read = () =>
      service.app.db
        .selectFrom('name_days')
        .select(['page_views', 'lander_views', 'leads'])
        .where('domain', '=', NAME)
        .where('date', '=', today)
        .executeTakeFirst()
    // Written every few seconds.
    await expect
      .poll(read, { timeout: 30 * SECOND })
      .toEqual({ page_views: 1, lander_views: 2, leads: 1 })
    const { text } = await ann.get(`/account/domains/${NAME}`)
    expect(text).toContain(`<td>${today}</td><td class="end">3</td><td class="end">1</td>`)
    expect(text).toMatch(/<dt>Leads<\/dt><dd>1</)
  })

  test('does not show what was counted before the domain was theirs', async () => {
    await service.app.db
      .insertInto('name_days')
      .values({ domain: NAME, date: '2020-01-01', page_views: 9_000, lander_views: 0, leads: 0 })
      .execute()
    expect((await ann.get(`/account/domains/${NAME}`)).text).not.toContain('9,00')
  })
})

test('views that are not written yet are written when the service stops', async () => {
  const other = await startService({ settings: { baseUrl: BASE } })
  await offer(other, 'live', ['short-visit.com'])
  const headers = { host: 'short-visit.com' }
  await other.send({ method: 'GET', target: '/', headers })
  const again = await other.restart()
  const row = await again.app.db.selectFrom('name_days').selectAll().executeTakeFirst()
  expect(row).toMatchObject({ domain: 'short-visit.com', lander_views: 1 })
  await again.stop()
}, 60_000)
