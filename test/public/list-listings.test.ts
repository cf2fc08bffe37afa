import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOTE_CHANGE } from '../../src/domain/listings/write-listings.ts'
import { refusal } from '../support/market.ts'
import { readerOf, walk } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/market/listings'
let service: TestService
const anyone = readerOf(() => service)
const user = readerOf(() => service, 'good')

/** Two imports of the same moment each, so that many rows are equals. */
beforeAll(async () => {
  service = await startService({ tokens: { good: 'usr_1' } })
  const row = (index: number) => {
    const tld = ['com', 'net', 'co.uk'][index % 3]
    return `${index % 2 ? 'dog' : 'cat'}-house-${index}.${tld},${1_000 + (index % 5) * 100},,USD`
  }
  const rows = Array.from({ length: 60 }, (_, index) => row(index))
  await service.list('live', rows.slice(0, 30).join('\n'))
  service.clock.advance(1_000)
  await service.list('live', [...rows.slice(30), 'xn--bcher-kva.com,5000,,USD'].join('\n'))
  await service.list('sandbox', 'only-in-the-sandbox.test,1000,,USD')
})
afterAll(() => service.stop())

const domains = (response: { body: { items: { domain: string }[] } }) =>
  response.body.items.map(({ domain }) => domain)

describe('the page', () => {
  test('has twenty items, masked, and says where it stands', async () => {
    const response = await anyone.get(PATH)
    expect(response.status, response.text).toBe(200)
    expect(response.body.items).toHaveLength(20)
    for (const item of response.body.items) {
      expect(item).toMatchObject({ price_cents: null, price_masked: true, currency: 'USD' })
    }
    expect(response.body.page).toEqual({
      limit: 20,
      offset: 0,
      total: 61,
      has_more: true,
      next_cursor: expect.any(String),
    })
    expect(response.headers['cache-control']).toBe('public, max-age=10')
    expect(response.text).not.toContain('sandbox')
  })

  test('has real prices for a user, and is that user’s alone', async () => {
    const response = await user.get(`${PATH}?sort=price_desc&limit=1`)
    expect(response.body.items).toEqual([
      {
        domain: 'xn--bcher-kva.com',
        tld: 'com',
        price_cents: 5_000,
        price_masked: false,
        currency: 'USD',
        listed_at: expect.any(String),
      },
    ])
    expect(response.headers['cache-control']).toBe('private, no-store')
  })

  test.each(['newest', 'price_asc', 'price_desc'])(
    'walked by cursor, %s has each row once',
    async (sort) => {
      const all = await walk(user, `${PATH}?limit=7&sort=${sort}`)
      expect(new Set(all).size).toBe(61)
      expect(all).toHaveLength(61)
      const offsets: string[] = []
      for (let offset = 0; offset < 61; offset += 10) {
        offsets.push(...domains(await anyone.get(`${PATH}?limit=10&sort=${sort}&offset=${offset}`)))
      }
      expect(offsets).toEqual(all)
      const inOne = await user.get(`${PATH}?limit=100&sort=${sort}`)
      expect(domains(inOne)).toEqual(all)
      const prices: number[] = inOne.body.items.map(
        (item: { price_cents: number }) => item.price_cents,
      )
      if (sort === 'price_asc') expect(prices).toEqual(prices.toSorted((a, b) => a - b))
      if (sort === 'price_desc') expect(prices).toEqual(prices.toSorted((a, b) => b - a))
    },
  )

  test('walked by cursor with a filter, each has its own rows alone', async () => {
    const all = await walk(user, `${PATH}?limit=100`)
    for (const tld of ['com', 'net', 'co.uk']) {
      const theirs = all.filter((domain) => domain.slice(domain.indexOf('.') + 1) === tld)
      expect(await walk(user, `${PATH}?limit=7&tld=${tld}`)).toEqual(theirs)
    }
  })

  test('is its reader’s own, however many read on at the same time', async () => {
    const paths: string[] = []
    const alone: unknown[] = []
    for (const kind of ['limit=4', 'limit=3', 'sort=price_asc', 'sort=price_desc', 'tld=com']) {
      let cursor: string | null = ''
      while (cursor !== null) {
        const path = `${PATH}?${kind}${cursor && `&cursor=${cursor}`}`
        const { body } = await user.get(path)
        paths.push(path)
        alone.push(body.items)
        cursor = body.page.next_cursor
      }
    }
    const together = await Promise.all(paths.map((path) => user.get(path)))
    expect(together.map(({ body }) => body.items)).toEqual(alone)
  })

  test('by offset gives a cursor that goes on from there', async () => {
    const byOffset = await anyone.get(`${PATH}?limit=5&offset=20`)
    expect(byOffset.body.page).toMatchObject({ offset: 20, limit: 5, total: 61, has_more: true })
    const next = await anyone.get(`${PATH}?limit=5&cursor=${byOffset.body.page.next_cursor}`)
    expect(domains(next)).toEqual(domains(await anyone.get(`${PATH}?limit=5&offset=25`)))
    expect(next.body.page.offset).toBe(25)
  })

  test.each(['60', '61', '99999', '2147483647'])('beyond offset %s is the end', async (offset) => {
    const { body } = await anyone.get(`${PATH}?offset=${offset}`)
    expect(body.items).toHaveLength(offset === '60' ? 1 : 0)
    expect(body.page).toMatchObject({ total: 61, has_more: false, next_cursor: null })
  })

  test('that ends exactly with the list is the last', async () => {
    const { body } = await anyone.get(`${PATH}?tld=co.uk&limit=20`)
    expect(body.items).toHaveLength(20)
    expect(body.page).toMatchObject({ total: 20, has_more: false, next_cursor: null })
  })
})

describe('the filters', () => {
  test.each([
    ['tld=COM', 21],
    ['tld=.co.uk', 20],
    ['tld=uk', 0],
    ['q=dog', 30],
    ['q=DOG+house', 30],
    ['q=dog+cat', 0],
    ['q=ho', 0],
    ['q=ca', 30],
    ['q=ouse-59', 1],
    ['q=cat-house-0.com', 1],
    ['q=b%C3%BCcher', 1],
    ['q=dog&tld=net', 10],
    ['q=123', 0],
    ['q=dog+59', 0],
    ['q=dog+0x10', 0],
    ['q=dog+xn--', 0],
    ['q=dog+%D7%90a', 0],
    ['max_length=11', 10],
    ['max_length=11&q=dog', 5],
    ['max_length=5', 0],
    ['max_length=64', null],
    ['max_length=0', null],
    ['q=%25', null],
    ['q=', null],
    ['tld=c_m', null],
  ])('%s leaves %s', async (query, total) => {
    const response = await anyone.get(`${PATH}?limit=100&${query}`)
    if (total === null) {
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    } else {
      expect(response.body.page.total, response.text).toBe(total)
      expect(response.body.items).toHaveLength(total)
    }
  })

  test('by price needs a token, and says so in the challenge', async () => {
    for (const field of ['min', 'max']) {
      const response = await anyone.get(`${PATH}?${field}=1100`)
      expect(refusal(response)).toEqual({ status: 401, code: 'unauthorized' })
      expect(response.body.error.message).toContain(`${field}: `)
      expect(response.headers['www-authenticate']).toMatch(/^Bearer resource_metadata="http/)
    }
    const between = await user.get(`${PATH}?min=1100&max=1200&limit=100`)
    expect(between.body.page.total).toBe(24)
    expect(refusal(await user.get(`${PATH}?min=1200&max=1100`))).toEqual({
      status: 400,
      code: 'validation_error',
    })
    const { body } = await user.get(`${PATH}?max=1100&limit=100`)
    expect(body.page.total).toBe(24)
    expect(body.items.every((item: { price_cents: number }) => item.price_cents <= 1_100)).toBe(
      true,
    )
  })

  test.each([
    'limit=0',
    'limit=101',
    'limit=ten',
    'offset=-1',
    'sort=cheapest',
    'max=0',
    `q=${'a+'.repeat(60)}`,
    'q=a+b+c+d+e+f+g+h+i+j+k',
    'limit=1&limit=2',
  ])('refuse %s', async (query) => {
    expect(refusal(await user.get(`${PATH}?${query}`))).toEqual({
      status: 400,
      code: 'validation_error',
    })
  })
})

describe('a cursor', () => {
  const first = async (query: string) =>
    (await anyone.get(`${PATH}?limit=2&${query}`)).body.page.next_cursor as string

  test('is good for its filters and sort alone', async () => {
    const cursor = await first('tld=com&sort=price_asc')
    const expectInvalid = async (query: string) =>
      expect(refusal(await user.get(`${PATH}?${query}&cursor=${cursor}`)), query).toEqual({
        status: 400,
        code: 'invalid_cursor',
      })
    await expectInvalid('sort=price_asc')
    await expectInvalid('tld=net&sort=price_asc')
    await expectInvalid('tld=com&sort=price_desc')
    await expectInvalid('tld=com')
    await expectInvalid('tld=com&sort=price_asc&q=dog')
    await expectInvalid('tld=com&sort=price_asc&max=100000')
    const other = await anyone.get(`${PATH}?limit=50&tld=COM&sort=price_asc&cursor=${cursor}`)
    expect(other.status).toBe(200)
  })

  test('cannot be altered in any place, and tells no price', async () => {
    const cursor = await first('sort=price_asc')
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/\d{4}|house/)
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'A' ? 'B' : 'A'
      const altered = cursor.slice(0, index) + other + cursor.slice(index + 1)
      const response = await anyone.get(`${PATH}?sort=price_asc&cursor=${altered}`)
      expect(refusal(response).code, `${index}`).toBe('invalid_cursor')
    }
    for (const wrong of ['', 'x', cursor.slice(0, -4), `${cursor}AAAA`, `${cursor}=`]) {
      const response = await anyone.get(`${PATH}?sort=price_asc&cursor=${wrong}`)
      expect(refusal(response).code, wrong).toBe('invalid_cursor')
    }
  })

  test('is as long for a low price as for a high one', async () => {
    await service.list(
      'live',
      'low-1.info,7,,USD\nhigh1.info,123456789,,USD\nmore1.info,200000000,,USD',
    )
    const next = (target: string) =>
      anyone.get(`${PATH}?tld=info&sort=price_asc&limit=1${target}`).then(({ body }) => body.page)
    const low = (await next('')).next_cursor
    const high = (await next(`&cursor=${low}`)).next_cursor
    expect(high.length).toBe(low.length)
    await sql`update listings set status = 'sold', ${NOTE_CHANGE} where tld = 'info'`.execute(
      service.app.db,
    )
  })

  test('does not go with an offset', async () => {
    const response = await anyone.get(`${PATH}?offset=2&cursor=${await first('')}`)
    expect(refusal(response).code).toBe('validation_error')
  })

  test('misses nothing and repeats nothing while rows vanish and arrive', async () => {
    const before = await walk(user, `${PATH}?limit=100&sort=newest`)
    let step = 0
    const sold: string[] = []
    const seen = await walk(user, `${PATH}?limit=4&sort=newest`, async (page) => {
      step += 1
      service.clock.advance(1_000)
      await service.list('live', `arrived-${step}.com,900,,USD`)
      // The very row that the cursor names goes, and one that is still to come.
      const next = before[before.indexOf(page.body.items.at(-1).domain) + 3]
      const gone = [page.body.items.at(-1).domain, ...(next ? [next] : [])]
      if (next) sold.push(next)
      await sql`update listings set status = 'sold', ${NOTE_CHANGE} where domain = any(${gone})`.execute(
        service.app.db,
      )
    })
    expect(step).toBeGreaterThan(10)
    expect(seen).toEqual(before.filter((domain) => !sold.includes(domain)))
  })
})

describe('the market', () => {
  test('finds names by their numbers, however those are typed', async () => {
    await service.list('live', '1984-reader.io,900,,USD\nread-1984.io,900,,USD')
    for (const q of ['1984', '%EF%BC%91%EF%BC%99%EF%BC%98%EF%BC%94', 'read+1984', '84-r+1984']) {
      const { body } = await anyone.get(`${PATH}?tld=io&q=${q}`)
      const found = ['read-1984.io', '1984-reader.io']
      expect(domains({ body }), q).toEqual(q.startsWith('84') ? found.slice(1) : found)
    }
  })

  test('shows a name that a quote reserves, and not one that is sold', async () => {
    const partner = await service.partner({ environment: 'live', scopes: ['buy', 'search'] })
    await service.list('live', 'kept-aside.org,900,,USD')
    const { body } = await partner.post('/quotes', { domain: 'kept-aside.org' })
    expect(body.status).toBe('active')
    expect((await anyone.get(`${PATH}?tld=org`)).body.page.total).toBe(1)
    const order = await partner.post('/orders', {
      domain: 'kept-aside.org',
      sale_price_cents: 900,
      quote_id: body.quote_id,
      external_payment_ref: 'pay-1',
      buyer: { email: 'buyer@example.com' },
    })
    expect(order.status, order.text).toBe(201)
    expect((await anyone.get(`${PATH}?tld=org`)).body.page.total).toBe(0)
  })

  test('counts more than a thousand for each filter by itself, and anew after ten seconds', async () => {
    const rows = Array.from({ length: 1_002 }, (_, index) => `many-${index}.tel,900,,USD`)
    await service.list('live', rows.join('\n'))
    const total = async (query = '') => (await anyone.get(`${PATH}${query}`)).body.page.total
    const all = await total()
    expect(await total('?tld=tel')).toBe(1_002)
    expect(await total('?tld=com')).toBeLessThan(100)
    expect(await total('?max_length=6')).toBe(10)
    expect(all).toBeGreaterThan(1_002)
    await service.list('live', 'one-more.tel,900,,USD')
    service.clock.advance(11_000)
    expect(await total()).toBe(all + 1)
    expect(await total('?tld=tel')).toBe(1_003)
  })
})
