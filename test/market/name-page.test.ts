import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/lib/clock.ts'
import { openCase } from '../support/brokerage.ts'
import { Buyer } from '../support/buyer.ts'
import { freshName, must, offer } from '../support/market.ts'
import { type Browser, hidden, makeUser, signIn } from '../support/oauth.ts'
import { sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: Browser
beforeAll(async () => {
  service = await startService({ settings: { pagePrices: 'masked' } })
  service.app.sites.check = async (domain) => (domain.startsWith('busy') ? 'active' : 'none')
  await offer(service, 'live', ['dog-bakery.com', 'deep.dog-bakery.org'], 123_400)
  await makeUser(service, 'ann@example.com')
  ann = await signIn(service, 'ann@example.com')
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })

describe('a name’s page', () => {
  test('of a name for sale hides its price from nobody in particular, and sells it', async () => {
    const page = await get('/d/dog-bakery.com')
    expect(page.status).toBe(200)
    expect(page.text).toContain('Sign in to see the price here')
    expect(page.text).not.toContain('1,234.00')
    expect(page.text).toContain('<form method="post" action="/d/dog-bakery.com">')
    expect(page.headers['x-robots-tag']).toBeUndefined()
    expect((await ann.get('/d/dog-bakery.com')).text).toContain('$1,234.00')
  })

  test('shows siblings, the registry’s word and what the top-level domain asks for', async () => {
    const page = await get('/d/dog-bakery.com')
    expect(page.text).toContain('href="/d/dog-bakery.net"')
    expect(page.text).toContain('>WHOIS</h2>')
    expect(page.text).toContain('Simulated registry')
    expect(page.text).toContain('href="/tlds/com"')
    expect(page.text).toContain('$11.99')
  })

  test('of a taken name offers to ask for it, and is not for search engines', async () => {
    const page = await get('/d/google.com')
    expect(page.text).toContain('href="/d/google.com/offer"')
    expect(page.text).toContain('MarkMonitor')
    expect(page.headers['x-robots-tag']).toBe('noindex, nofollow')
  })

  test('of a free name says that it is free, and no price that nobody here registers it at', async () => {
    const page = await get('/d/surely-nobody-has-this-1.com')
    expect(page.text).toContain('Nobody has registered this name')
    expect(page.text).not.toContain('/offer"')
    expect(page.text).toContain('<dt>Renew</dt>')
    expect(page.text).not.toContain('<dt>Register</dt>')
  })

  test('of a reserved and a sold name of the sandbox', async () => {
    const client = await service.partner({ affiliate: true })
    const visitor = new Buyer(service)
    await visitor.visit(must(await client.post('/links', { type: 'generic' }), 201).body.url)
    const domain = await freshName(service)
    must(await client.post('/quotes', { domain }), 201)
    const reserved = await visitor.visit(`/d/${domain}`)
    expect(reserved.text).toContain('Somebody is buying this name')
    const sold = await freshName(service)
    must(await sell(client, sold), 201)
    const page = await visitor.visit(`/d/${sold}`)
    expect(page.text).toContain('This name was sold here')
    expect(page.text).toContain('This is a test')
  })

  test.each([
    ['/d/DOG-Bakery.com', '/d/dog-bakery.com'],
    ['/d/www.google.com', '/d/google.com'],
    ['/d/b%C3%BCcher.com', '/d/xn--bcher-kva.com'],
  ])('%s is at %s', async (path, at) => {
    const page = await get(path)
    expect(page.status).toBe(301)
    expect(page.headers.location).toBe(at)
  })

  test('of what is listed below a registrable name is its own', async () => {
    expect((await get('/d/deep.dog-bakery.org')).text).toContain('Buy deep.dog-bakery.org')
  })

  test('reads an internationalised name to people, beside what it is sent as', async () => {
    const page = await get('/d/xn--bcher-kva.com')
    expect(page.text).toContain('bücher')
    expect(page.text).toContain('<small class="a-label">xn--bcher-kva.com</small>')
  })

  test.each(['/d/co.uk', '/d/nonsense', '/d/a..b', '/d/%00'])('%s is none', async (path) => {
    const page = await get(path)
    expect(page.status).toBe(404)
    expect(page.headers['content-type']).toContain('text/html')
  })

  test('says of an address that cannot be read that it is one', async () => {
    const page = await get('/d/%zz')
    expect(page.status).toBe(400)
    expect(page.text).toContain('This address is not one of ours')
    expect(page.text).not.toContain('API')
  })

  test('says when its look-up is beyond the limit, and shows the rest', async () => {
    const limited = await startService({ settings: { rateLimits: { whoisPerMinute: 1 } } })
    try {
      const look = () => limited.send({ method: 'GET', target: '/d/google.com' })
      expect((await look()).text).toContain('MarkMonitor')
      const second = await look()
      expect(second.status).toBe(200)
      expect(second.text).not.toContain('MarkMonitor')
      expect(second.text).toContain('Make an offer')
    } finally {
      await limited.stop()
    }
  })

  test('opens so many checkouts an hour for one address', async () => {
    const other = await startService({ settings: { rateLimits: { publicPerMinute: 3 } } })
    const name = await freshName(other, 'live')
    const buy = async () => {
      other.clock.advance(MINUTE + 1)
      return await other.send({
        method: 'POST',
        target: `/d/${name}`,
        headers: {
          origin: 'http://localhost:3000',
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: '',
      })
    }
    for (const status of [303, 303, 303, 429]) {
      const response = await buy()
      expect([response.status, response.text]).toEqual([status, expect.anything()])
    }
    other.clock.advance(60 * MINUTE)
    expect((await buy()).status).toBe(303)
    await other.stop()
  })

  test('cannot buy what is not listed', async () => {
    const response = await ann.post('/d/google.com', {})
    expect(response.status).toBe(404)
    const foreign = await ann.post('/d/dog-bakery.com', {}, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
  })
})

describe('asking for a name that is taken', () => {
  const form = (page: Parameters<typeof hidden>[0], more = {}) => ({
    key: hidden(page, 'key'),
    tier: 'managed',
    budget: '1,250.00',
    note: 'For our bakery',
    ...more,
  })

  test('is for users who have signed in', async () => {
    const page = await get('/d/google.com/offer')
    expect(page.status).toBe(303)
    expect(page.headers.location).toBe('/sign-in?next=%2Fd%2Fgoogle.com%2Foffer')
  })

  test('opens a case of the marketplace, one however often it is sent', async () => {
    const page = await ann.get('/d/wanted-one.com/offer')
    expect(page.text).toContain('ann@example.com')
    const sent = form(page)
    const first = await ann.post('/d/wanted-one.com/offer', sent)
    expect(first.status, first.text).toBe(303)
    expect(first.headers.location).toMatch(/^\/case\//)
    const again = await ann.post('/d/wanted-one.com/offer', sent)
    expect(again.headers.location).toBe(first.headers.location)
    const { cases } = (await service.admin('GET', '/brokerage?environment=live')).body
    expect(cases.filter((one: { domain: string }) => one.domain === 'wanted-one.com')).toHaveLength(
      1,
    )
    expect(cases[0]).toMatchObject({
      budget: 125_000,
      buyer_email: 'ann@example.com',
      tier: 'managed',
    })
    expect((await get(String(first.headers.location))).text).toContain('wanted-one.com')
    const other = await ann.post('/d/wanted-one.com/offer', { ...sent, key: crypto.randomUUID() })
    expect(other.status).toBe(409)
    expect(other.text).toContain('is in a running case already')
    expect((await get('/d/wanted-one.com')).text).not.toContain('/offer"')
  })

  test('costs the marketplace no commission of its own', async () => {
    const row = await service.app.db
      .selectFrom('brokerage_cases')
      .select('commission_bps')
      .where('domain', '=', 'wanted-one.com')
      .executeTakeFirstOrThrow()
    expect(row.commission_bps).toBe(0)
  })

  test.each([
    ['nothing', { budget: '' }, 'Write an amount'],
    ['no amount', { budget: 'lots' }, 'Write an amount'],
    ['zero', { budget: '0' }, 'Write an amount'],
    ['commas anywhere', { budget: '1,25' }, 'Write an amount'],
    ['a note too long', { note: 'x'.repeat(2_001) }, '2,000 characters at most'],
  ])('with %s is answered beside the field', async (_what, more, said) => {
    const page = await ann.get('/d/wanted-two.com/offer')
    const response = await ann.post('/d/wanted-two.com/offer', form(page, more))
    expect(response.status).toBe(400)
    expect(response.text).toContain(said)
    expect(response.text).toContain('aria-invalid="true"')
  })

  test('of a name with an active site is rejected with the reason', async () => {
    const page = await ann.get('/d/busy-site.com/offer')
    const response = await ann.post('/d/busy-site.com/offer', form(page))
    expect(response.status).toBe(409)
    expect(response.text).toContain('runs an active site')
    expect(response.text).toContain('value="1,250.00"')
  })

  test('of a name for sale is an offer to whoever sells it, or leads to where it is sold', async () => {
    const page = must(await ann.get('/d/dog-bakery.com/offer'), 200)
    expect(page.text).toContain('Send the offer')
    await service.list('live', 'dog-bakery-two.com,10000,,USD,off')
    const closed = await ann.get('/d/dog-bakery-two.com/offer')
    expect(closed.headers.location).toBe('/d/dog-bakery-two.com')
  })

  test('is for no name that only tests have; one of the sandbox takes an offer that is a test', async () => {
    const client = await service.partner()
    const sold = 'sold-in-the-sandbox.com'
    await offer(service, 'sandbox', [sold])
    must(await sell(client, sold), 201)
    const unlisted = 'google.example'
    expect((await ann.get(`/d/${unlisted}`)).text).not.toContain('/offer"')
    expect((await ann.get(`/d/${unlisted}/offer`)).headers.location).toBe(`/d/${unlisted}`)
    const sent = form(await ann.get('/d/wanted-two.com/offer'))
    const response = await ann.post(`/d/${unlisted}/offer`, sent)
    expect(response.status).toBe(409)
    expect(response.text).toContain('is a name for tests')
    expect((await ann.get(`/d/${sold}/offer`)).text).toContain('This is a test.')
    expect((await ann.post(`/d/${sold}/offer`, sent)).status).toBe(400)
    const { cases } = (await service.admin('GET', '/brokerage?environment=live')).body
    expect(cases.map(({ domain }: { domain: string }) => domain)).not.toContain(sold)
  })

  test('needs a confirmed address', async () => {
    const newcomer = await signUp('new@example.com')
    const page = await newcomer.get('/d/wanted-two.com/offer')
    expect(page.text).toContain('Confirm your e-mail address first')
    const response = await newcomer.post('/d/wanted-two.com/offer', {
      budget: '500',
      tier: 'managed',
    })
    expect(response.status).toBe(403)
  })

  test('is for ten names at once, whatever others ask for with that address', async () => {
    const buyer_email = 'many@example.com'
    await makeUser(service, buyer_email)
    const many = await signIn(service, buyer_email)
    const tests = await service.partner()
    for (let index = 0; index < 9; index++) await openCase(tests, { buyer_email })
    const live = await service.partner({ environment: 'live' })
    await openCase(live, { buyer_email, domain: 'asked-by-a-partner.com' })
    for (let index = 0; index < 10; index++) {
      const page = await many.get(`/d/many-${index}.com/offer`)
      expect((await many.post(`/d/many-${index}.com/offer`, form(page))).status).toBe(303)
    }
    const page = await many.get('/d/many-10.com/offer')
    const response = await many.post('/d/many-10.com/offer', form(page))
    expect(response.status).toBe(409)
    expect(response.text).toContain('You have 10 offers running')
  })

  async function signUp(email: string): Promise<Browser> {
    const { Browser: Person, PASSWORD } = await import('../support/oauth.ts')
    const person = new Person(() => service)
    await person.post('/sign-up', { email, password: PASSWORD })
    return person
  }
})
