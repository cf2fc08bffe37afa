import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../support/market.ts'
import { readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'

const PATH = '/api/domain/search'
const TLDS = ['com', 'net', 'io']
let service: TestService
const anyone = readerOf(() => service)
const user = readerOf(() => service, 'good')

interface Row {
  domain: string
  tld: string
  state: string
  available: boolean | null
  listing: object | null
  source: string
}

beforeAll(async () => {
  service = await startService({ tokens: { good: 'usr_1' }, settings: { searchTlds: TLDS } })
  await service.list('live', 'petpantry.net,129900,,USD\npetpantry.com,5000,,USD')
  await service.list('sandbox', 'petpantry.io,5000,,USD')
})
afterAll(() => service.stop())

describe('a search', () => {
  test('returns the asked name first, then its siblings in the order configured', async () => {
    const response = await anyone.post(PATH, { q: 'PetPantry.net' })
    expect(response.status, response.text).toBe(200)
    expect(response.body.query).toBe('PetPantry.net')
    expect(response.body.results.map(({ domain }: Row) => domain)).toEqual([
      'petpantry.net',
      'petpantry.com',
      'petpantry.io',
    ])
    expect(response.body.results[0]).toEqual({
      kind: 'row',
      domain: 'petpantry.net',
      tld: 'net',
      state: 'listed',
      available: true,
      registration_price_cents: null,
      currency: null,
      listing: {
        price_cents: null,
        price_masked: true,
        currency: 'USD',
        url: 'http://localhost:3000/d/petpantry.net',
      },
      source: 'marketplace',
      checked_at: expect.any(String),
    })
    // The sandbox's inventory is no business of the public's.
    expect(response.body.results[2]).toMatchObject({ listing: null, source: 'simulated' })
  })

  test('takes a bare label, in any script', async () => {
    const { body } = await anyone.post(PATH, { q: ' bücher ' })
    expect(body.results.map(({ domain }: Row) => domain)).toEqual(
      TLDS.map((tld) => `xn--bcher-kva.${tld}`),
    )
  })

  test('takes a name below a registrable one as that one, unless it is listed', async () => {
    const first = async (q: string) => (await anyone.post(PATH, { q })).body.results[0].domain
    expect(await first('www.petpantry.com')).toBe('petpantry.com')
    expect(await first('shop.dogs.co.uk')).toBe('dogs.co.uk')
    await service.list('live', 'club.dogs.co.uk,900,,USD')
    expect(await first('club.dogs.co.uk')).toBe('club.dogs.co.uk')
  })

  test('shows the real price to a user', async () => {
    const { body } = await user.post(PATH, { q: 'petpantry.net' })
    expect(body.results[0].listing).toMatchObject({ price_cents: 129_900, price_masked: false })
  })

  test('knows what is reserved and what is sold', async () => {
    await service.list('live', 'soon-gone.com,900,,USD')
    const partner = await service.partner({ environment: 'live' })
    const { body: quote } = await partner.post('/quotes', { domain: 'soon-gone.com' })
    const first = async () => (await anyone.post(PATH, { q: 'soon-gone.com' })).body.results[0]
    expect(await first()).toMatchObject({ state: 'listed', available: false })
    await partner.post('/orders', {
      domain: 'soon-gone.com',
      sale_price_cents: 900,
      quote_id: quote.quote_id,
      external_payment_ref: 'pay-1',
      buyer: { email: 'buyer@example.com' },
    })
    expect(await first()).toMatchObject({ state: 'registered', available: false, listing: null })
  })

  test('goes on without a registry that does not respond', async () => {
    const { lookup } = service.app.registry
    service.app.registry.lookup = async (domain, signal) => {
      if (domain.endsWith('.io')) throw new Error('away')
      return await lookup(domain, signal)
    }
    const { body } = await anyone.post(PATH, { q: 'somebody.com' })
    service.app.registry.lookup = lookup
    expect(body.results[2]).toMatchObject({ state: 'unknown', available: null })
    expect(body.results[1].state).not.toBe('unknown')
  })

  test.each([
    [{}, 'q'],
    [{ q: '' }, 'q'],
    [{ q: 'dog food' }, 'q'],
    [{ q: 'a..com' }, 'q'],
    [{ q: '-' }, 'q'],
    [{ q: 5 }, 'q'],
    [{ q: 'x'.repeat(64) }, 'q'],
    [[], 'body'],
    ['{', 'body'],
  ])('refuses %j', async (body, field) => {
    const response = await anyone.post(PATH, body)
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details[0].field).toBe(field)
  })
})

describe('as rows', () => {
  const accept = { accept: 'application/x-ndjson' }
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  test('each is a line, with what the list has', async () => {
    const rows = await anyone.post(PATH, { q: 'petpantry.net' }, accept)
    expect(rows.status).toBe(200)
    expect(rows.headers['content-type']).toBe('application/x-ndjson')
    expect(rows.headers['ratelimit-limit']).toBeDefined()
    const rejected = await anyone.post(
      PATH,
      { q: 'petpantry.net' },
      { accept: `${accept.accept};q=0` },
    )
    expect(rejected.headers['content-type']).toBe('application/json; charset=utf-8')
    const list = await anyone.post(PATH, { q: 'petpantry.net' })
    const byDomain = (a: Row, b: Row) => (a.domain < b.domain ? -1 : 1)
    const bare = (row: Row & { checked_at: string }) => ({ ...row, checked_at: '' })
    expect(lines(rows.text).map(bare).toSorted(byDomain)).toEqual(
      list.body.results
        .map((row: Row & { checked_at: string }) => ({ kind: 'row', ...bare(row) }))
        .toSorted(byDomain),
    )
  })

  test('each is a line of the one JSON document, too', async () => {
    const { text, body } = await anyone.post(
      PATH,
      { q: 'petpantry.net' },
      { accept: 'application/json' },
    )
    const rows = text.split('\n').flatMap((line) => {
      try {
        const row = JSON.parse(line) as { kind?: unknown }
        return row.kind === 'row' ? [row] : []
      } catch {
        return []
      }
    })
    expect(rows).toEqual(body.results)
    expect(rows.length).toBe(3)
  })

  test('each is sent as soon as it is known', async () => {
    const { lookup } = service.app.registry
    let answerCom = () => {}
    const waiting = new Promise<void>((resolve) => {
      answerCom = resolve
    })
    service.app.registry.lookup = async (domain, signal) => {
      if (domain.endsWith('.com')) await waiting
      return await lookup(domain, signal)
    }
    const response = await fetch(service.baseUrl + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...accept },
      body: JSON.stringify({ q: 'patience.com' }),
    })
    const seen: string[] = []
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      seen.push(...lines(Buffer.from(chunk).toString()).map(({ domain }) => domain))
      if (seen.length === 2) answerCom()
    }
    service.app.registry.lookup = lookup
    expect(seen.at(-1)).toBe('patience.com')
    expect(seen).toHaveLength(3)
  })

  test('are masked like everything else', async () => {
    const masked = await anyone.post(PATH, { q: 'petpantry.net' }, accept)
    expect(masked.text).not.toContain('129900')
    const real = await user.post(PATH, { q: 'petpantry.net' }, accept)
    expect(real.text).toContain('"price_cents":129900')
    expect(real.headers['cache-control']).toBe('private, no-store')
  })

  test('are an error of the usual form when nothing can be said', async () => {
    expect(refusal(await anyone.post(PATH, { q: '..' }, accept)).status).toBe(400)
  })
})
