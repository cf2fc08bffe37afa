import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must, offer } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await offer(service, 'live', ['dog-bakery.com'], 123_400)
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })

describe('prices on our own pages', () => {
  test.each([
    '/',
    '/browse',
    '/tlds/com',
    '/search?q=dog+bakery',
    '/d/dog-bakery.com',
    '/d/dog-bakery.com/offer',
  ])('are shown on %s to everybody', async (path) => {
    const { text } = await get(path)
    expect(text).toContain('$1,234.00')
    expect(text).not.toContain('to see the price')
  })

  test('can be filtered by', async () => {
    expect((await get('/browse?max=1000')).text).not.toContain('dog-bakery')
    expect((await get('/browse?min=1000')).text).toContain('dog-bakery')
  })

  test('stay masked in the API, whoever read the page before', async () => {
    const pages = get('/browse')
    const api = await service.send({ method: 'GET', target: '/api/market/listings' })
    await pages
    expect(api.body.items[0]).toMatchObject({ price_cents: null, price_masked: true })
    const max = await service.send({ method: 'GET', target: '/api/market/listings?max=1' })
    expect(max.status).toBe(401)
  })
})

describe('a name for sale', () => {
  test('has what somebody who pays for it wants to know, and the rest folded away', async () => {
    const { text } = await get('/d/dog-bakery.com')
    for (const part of ['How you get it', 'What protects your money', 'Who sells', 'Questions?']) {
      expect(text).toContain(part)
    }
    expect(text).toContain('<details slot="whois" class="fold"><summary><h2>WHOIS</h2>')
    expect((await get('/d/google.com')).text).toContain('<details slot="whois" class="fold" open>')
  })

  test('has names like it below, with their prices and a way to buy each', async () => {
    await offer(service, 'live', ['dog-cafe.com', 'cat-cafe.net'], 77_700)
    const { text } = await get('/d/dog-bakery.com')
    const similar = text.slice(text.indexOf('Names like it'))
    expect(similar).toContain('dog-cafe')
    expect(similar).toContain('$777.00')
    expect(similar).toContain('href="/d/dog-cafe.com/checkout"')
    expect(similar).not.toContain('href="/d/dog-bakery.com/checkout"')
  })

  test.each(['/', '/browse', '/tlds/com', '/search?q=dog+bakery'])(
    'can be bought from %s',
    async (path) => {
      const { text } = await get(path)
      expect(text).toContain('rel="nofollow" href="/d/dog-bakery.com/checkout">Buy<')
    },
  )

  test('that is asked for by its name is found once', async () => {
    const { text } = await get('/search?q=dog-bakery.com')
    expect(text.match(/href="\/d\/dog-bakery\.com\/checkout"/g)).toHaveLength(1)
    expect(text).not.toContain('Nothing on the market comes near')
  })

  test('comes before what is taken', async () => {
    await offer(service, 'live', ['surely-nobody-has-this-2.xyz'], 10_000)
    const { text } = await get('/search?q=surely-nobody-has-this-2.com')
    const [, slot] = /slot="(row-\d)"><a href="\/d\/surely-nobody-has-this-2.xyz"/.exec(text) ?? []
    const places = [...text.matchAll(/<slot name="(row-\d)"/g)].map(([, place]) => place)
    expect(places.slice(0, 2)).toEqual(['row-0', slot])
  })
})

test('a name that is promised to somebody has no Buy button in lists', async () => {
  const promised = 'promised-dog-toys.com'
  const free = 'free-dog-toys.com'
  await service.list('live', `${promised},10000,8000`)
  await service.list('live', `${free},10000,8000`)
  const buttonOf = (domain: string) => `href="/d/${domain}/checkout"`
  expect((await get('/')).text).toContain(buttonOf(promised))
  const taken = await service.send({
    method: 'POST',
    target: `/d/${promised}/offer`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'amount=80&email=buyer@offers.example',
  })
  must(taken, 303)
  for (const path of ['/browse?q=dog-toys', '/tlds/com', '/search?q=dog+toys']) {
    const { text } = await get(path)
    expect(text, path).toContain(buttonOf(free))
    expect(text, path).not.toContain(buttonOf(promised))
    const row = text.split(`<a href="/d/${promised}">`)[1]?.split('</div>')[0]
    expect(row, path).toContain('being bought')
  }
  const { text } = await get('/')
  expect(text).toContain(free.split('.')[0])
  expect(text).not.toContain(promised.split('.')[0])
  service.clock.advance(73 * 3_600_000)
  expect((await get('/browse?q=dog-toys')).text).toContain(buttonOf(promised))
})

describe('a name that nobody has', () => {
  test('has no price where it cannot be registered', async () => {
    const { text } = await get('/d/surely-nobody-has-this-1.com')
    const panel = text.split('aria-label="Availability"')[1]?.split('</section>')[0] ?? ''
    expect(panel).toContain('Nobody has registered this name')
    expect(panel).not.toContain('$')
    expect(panel).not.toContain('href')
    expect((await get('/search?q=surely-nobody-has-this-1.com')).text).not.toContain('$11.99')
  })

  test('leads to where it can be registered', async () => {
    const other = await startService({
      settings: { registrationUrl: 'https://registrar.example/?q={domain}&a=1' },
    })
    const at = 'https://registrar.example/?q=surely-nobody-has-this-1.com&amp;a=1'
    for (const path of ['/d/', '/search?q=']) {
      const target = `${path}surely-nobody-has-this-1.com`
      const { text } = await other.send({ method: 'GET', target })
      expect(text, path).toContain(`href="${at}"`)
      expect(text, path).toContain('$11.99')
    }
    await other.stop()
  })
})

test('of a seller the first page shows three names at most, however many came at once', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `many-of-one-${at}.com`)
  const email = 'seller@example.com'
  await makeUser(service, email, names)
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  const csv = ['domain,price', ...names.map((name) => `${name},500`)].join('\n')
  must(await readerOf(() => service, token).post('/api/domains/csv', { csv }), 200)
  await offer(service, 'live', ['tea-house.com', 'coffee-house.com', 'milk-house.com'], 50_000)
  const { text } = await get('/')
  expect(text).toContain('tea-house')
  expect(new Set(text.match(/many-of-one-\d+/g)).size).toBe(3)
})
