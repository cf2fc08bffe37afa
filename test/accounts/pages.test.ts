import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Buyer, CARDS } from '../support/buyer.ts'
import type { Result } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { Browser, exchange, hidden, makeUser, newCode, PASSWORD, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: Browser
const MANY = Array.from({ length: 60 }, (_, index) => `many-${String(index).padStart(2, '0')}.com`)

beforeAll(async () => {
  service = await startService()
  await makeUser(service, 'ann@example.com', [
    'one.com',
    'two.com',
    'sale.net',
    'other.org',
    'bücher.com',
  ])
  await makeUser(service, 'bob@example.com', [...MANY, 'bobs.com'])
  ann = await signIn(service, 'ann@example.com')
})
afterAll(() => service.stop())

const domainsOn = (page: Result) =>
  [...page.text.matchAll(/name="domain" value="([^"]+)"/g)].map(([, domain]) => domain)
const nextOf = (page: Result) =>
  /<a href="([^"]+)" rel="next">/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? null
const holding = async (domain: string) =>
  await service.app.db
    .selectFrom('owned_domains')
    .selectAll()
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()

/** Sends a form in which a field may stand several times. */
async function post(person: Browser, target: string, fields: [string, string][]): Promise<Result> {
  return await service.send({
    method: 'POST',
    target,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie: person.cookie ?? '',
    },
    body: new URLSearchParams(fields).toString(),
  })
}
const chosen = (...domains: string[]) => domains.map((each): [string, string] => ['domain', each])

describe('who may', () => {
  test.each(['', '/purchases', '/renewals', '/offers', '/payment-method', '/access', '/security'])(
    '/account%s asks others to sign in, and leads them back',
    async (path) => {
      const response = await service.send({ method: 'GET', target: `/account${path}` })
      expect(response.status).toBe(303)
      const next = encodeURIComponent(`/account${path}`)
      expect(response.headers.location).toBe(`/sign-in?next=${next}`)
      const own = await ann.get(`/account${path}`)
      expect(own.status).toBe(200)
      expect(own.headers['cache-control']).toBe('no-store')
      expect(own.text.match(/<h1/g)).toHaveLength(1)
    },
  )

  test('forms of other sites change nothing', async () => {
    const response = await service.send({
      method: 'POST',
      target: '/account/domains/change',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
        cookie: ann.cookie ?? '',
      },
      body: 'action=lock&domain=one.com&key=12345678',
    })
    expect(response.status).toBe(403)
    expect((await holding('one.com')).locked).toBe(false)
  })
})

describe('the list of domains', () => {
  test('goes through all of them by cursor, and is its reader’s own', async () => {
    const bob = await signIn(service, 'bob@example.com')
    const first = await bob.get('/account?q=many')
    expect(domainsOn(first)).toEqual(MANY.slice(0, 50))
    const next = nextOf(first)
    expect(domainsOn(await bob.get(String(next)))).toEqual(MANY.slice(50))
    expect((await ann.get(String(next))).status).toBe(400)
    expect((await bob.get(String(next).replace('q=many', 'q=bobs'))).status).toBe(400)
  })

  test('is searched and filtered', async () => {
    expect(domainsOn(await ann.get('/account?q=ONE'))).toEqual(['one.com'])
    for (const q of ['BÜCHER', 'bücher.com']) {
      const found = await ann.get(`/account?q=${encodeURIComponent(q)}`)
      expect(domainsOn(found)).toEqual(['xn--bcher-kva.com'])
    }
    expect(domainsOn(await ann.get('/account?filter=for_sale'))).toEqual([])
    expect(domainsOn(await ann.get('/account?filter=expiring'))).toEqual([])
    expect(domainsOn(await ann.get('/account?filter=nonsense'))).toHaveLength(5)
    expect((await ann.get('/account?q=zzz')).text).toContain('No matching domains')
    service.clock.advance(340 * 86_400_000)
    ann = await signIn(service, 'ann@example.com')
    expect(domainsOn(await ann.get('/account?filter=expiring'))).toHaveLength(5)
    service.clock.advance(-340 * 86_400_000)
    ann = await signIn(service, 'ann@example.com')
  })

  test('says what to do when there is none', async () => {
    await makeUser(service, 'empty@example.com')
    const empty = await signIn(service, 'empty@example.com')
    expect((await empty.get('/account')).text).toContain('No domains yet')
  })
})

describe('changing many at once', () => {
  const review = (action: string, domains: string[], more: [string, string][] = []) =>
    post(ann, '/account/domains/review', [['action', action], ...chosen(...domains), ...more])

  async function change(page: Result, more: [string, string][] = []): Promise<Result> {
    const fields = [
      ['action', hidden(page, 'action')],
      ['key', hidden(page, 'key')],
      ...chosen(...(domainsOn(page) as string[])),
      ...more,
    ] as [string, string][]
    return await post(ann, '/account/domains/change', fields)
  }

  test('shows first what would happen, and changes nothing by that', async () => {
    const page = await review('lock', ['one.com', 'bobs.com', 'no name'])
    expect(page.status).toBe(200)
    expect(page.text).toContain('Lock 1 domain')
    expect(page.text.match(/cannot be done/g)).toHaveLength(2)
    expect(page.text).toContain('There is no such domain of yours')
    expect((await holding('one.com')).locked).toBe(false)
  })

  test('changes, says what became of each, and keeps that under its address', async () => {
    const page = await review('lock', ['one.com', 'bobs.com'])
    const response = await change(page)
    expect(response.status, response.text).toBe(303)
    const done = await ann.get(String(response.headers.location))
    expect(done.text).toContain('Done for 1 domain')
    expect(done.text).toContain('Not done for 1 domain')
    expect((await holding('one.com')).locked).toBe(true)
    expect((await holding('bobs.com')).locked).toBe(false)
    expect((await ann.get('/account?filter=unlocked')).text).not.toContain('one.com')
    const bob = await signIn(service, 'bob@example.com')
    expect((await bob.get(String(response.headers.location))).status).toBe(404)
  })

  test('with the same form twice changes once', async () => {
    const page = await review('list_for_sale', ['sale.net'], [['price', '1,500']])
    const first = await change(page, [['price', '1,500']])
    expect(first.status, first.text).toBe(303)
    const listed = async () =>
      await service.app.db
        .selectFrom('listings')
        .select(['price_cents', 'updated_at'])
        .where('domain', '=', 'sale.net')
        .executeTakeFirstOrThrow()
    const before = await listed()
    expect(before.price_cents).toBe(150_000)
    const again = await change(page, [['price', '1,500']])
    expect(again.headers.location).toBe(first.headers.location)
    expect(await listed()).toEqual(before)
    const other = await change(page, [['price', '9,999']])
    expect(other.status).toBe(409)
    expect(await listed()).toEqual(before)
    expect((await ann.get('/account?filter=for_sale')).text).toContain('$1,500.00')
  })

  test('can take all that the list has, beyond the page', async () => {
    const bob = await signIn(service, 'bob@example.com')
    const page = await post(bob, '/account/domains/review', [
      ['action', 'auto_renew_on'],
      ['all', 'yes'],
      ['q', 'many'],
      ['filter', 'all'],
    ])
    expect(page.text).toContain('Switch on 60 domains')
    expect(domainsOn(page)).toEqual(MANY)
  })

  test.each([
    ['privacy_off', 'privacy', false],
    ['privacy_on', 'privacy', true],
    ['auto_renew_on', 'auto_renew', true],
    ['auto_renew_off', 'auto_renew', false],
    ['unlock', 'locked', false],
  ] as const)('%s', async (action, column, value) => {
    expect((await change(await review(action, ['other.org']))).status).toBe(303)
    expect((await holding('other.org'))[column]).toBe(value)
  })

  test('name servers are asked for before anything is previewed', async () => {
    const asked = await review('nameservers', ['other.org'])
    expect(asked.text).toContain('<textarea')
    expect(asked.text).not.toContain('will be done')
    const hosts: [string, string] = ['nameservers', 'ns1.example.com\nns2.example.com']
    const shown = await review('nameservers', ['other.org'], [hosts, ['key', '12345678']])
    expect(shown.text).toContain('will be done')
    expect((await change(shown, [hosts])).status).toBe(303)
    expect((await holding('other.org')).nameservers).toEqual(['ns1.example.com', 'ns2.example.com'])
    const wrong = await review(
      'nameservers',
      ['other.org'],
      [
        ['nameservers', 'no_host!'],
        ['key', '12345678'],
      ],
    )
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('“no_host!” is not a host such as ns1.example.com.')
    expect(wrong.text).toMatch(/name="nameservers"[^>]*aria-invalid="true"/)
    expect(wrong.text).not.toContain('params')
  })

  test('a renewal says what it costs first, and is charged to the saved card', async () => {
    const removed = await ann.post('/account/payment-method/remove', {})
    expect(removed.headers.location).toBe('/account/payment-method')
    const without = await review('renew', ['one.com'])
    expect(without.text).toContain('cannot be done')
    expect(without.text).toContain('<a href="/account/payment-method">Save a card</a>')
    expect(without.text).not.toContain('Renew 1 domain')
    const card = { card_number: CARDS.succeeds, card_expiry: '12/39', card_cvc: '123' }
    const saved = await ann.post('/account/payment-method', card)
    expect(saved.headers.location).toBe('/account/payment-method')
    expect((await ann.get('/account/payment-method')).text).toContain('ending in 4242')
    const page = await review('renew', ['one.com', 'other.org'], [['years', '2']])
    expect(page.text).toContain('Renew 2 domains')
    const prices = [...page.text.matchAll(/data-label="Price">\$([\d.]+)</g)].map(
      ([, price]) => price,
    )
    const before = (await holding('one.com')).expires_at
    const done = await change(page, [['years', '2']])
    expect(done.status, done.text).toBe(303)
    expect((await ann.get(String(done.headers.location))).text).toContain('Done for 2 domains')
    const after = (await holding('one.com')).expires_at
    expect(after?.getUTCFullYear()).toBe(Number(before?.getUTCFullYear()) + 2)
    await change(page, [['years', '2']])
    expect((await holding('one.com')).expires_at).toEqual(after)
    const renewals = (await ann.get('/account/renewals')).text
    expect(renewals.match(/>renewed</g)).toHaveLength(2)
    for (const price of prices) expect(renewals).toContain(`$${price}`)
    expect(prices).toHaveLength(2)
  })

  test.each([
    ['renew', [['years', '11']], 'Choose 1 to 10 years'],
    ['list_for_sale', [['price', 'much']], 'Write an amount'],
    [
      'list_for_sale',
      [
        ['price', '5'],
        ['floor_price', '6'],
      ],
      'not above the price',
    ],
  ] as [string, [string, string][], string][])('%s with %j', async (action, more, said) => {
    const page = await review(action, ['other.org'], more)
    expect(page.status).toBe(400)
    expect(page.text).toContain(said)
    expect(page.text).toContain('aria-invalid="true"')
  })

  test('needs domains and something to do', async () => {
    expect((await review('lock', [])).text).toContain('Choose at least one domain')
    expect((await review('explode', ['one.com'])).text).toContain('Choose what to do')
    expect((await review('constructor', ['one.com'])).status).toBe(400)
    const nothing = await post(ann, '/account/domains/change', [])
    expect(nothing.headers.location).toBe('/account')
    expect((await ann.get('/account/domains/changes/12345678')).status).toBe(404)
  })

  test('of more than a thousand is rejected with the reason', async () => {
    const page = await review(
      'lock',
      Array.from({ length: 1_001 }, (_, index) => `n${index}.com`),
    )
    expect(page.status).toBe(400)
    expect(page.text).toContain('1000 domains at most')
  })
})

describe('purchases and offers', () => {
  test('show what the confirmed address bought and asked for, and nobody else', async () => {
    const domain = await freshName(service)
    await new Buyer(service).pay(`/d/${domain}`, CARDS.succeeds, { email: 'ANN@example.com' })
    const page = await ann.get('/account/purchases')
    expect(page.text).toContain(domain)
    expect(page.text).toContain('$100.00')
    const bob = await signIn(service, 'bob@example.com')
    expect((await bob.get('/account/purchases')).text).toContain('No purchases yet')

    // Each leads to the page of its order, and for its buyer alone.
    const [path = ''] = /\/account\/purchases\/ord_\w+/.exec(page.text) ?? []
    const order = must(await ann.get(path), 303).headers.location ?? ''
    const there = must(await new Buyer(service).visit(order), 200)
    expect(there.text).toContain(path.split('/')[3])
    expect(there.text).toContain('(PDF)')
    expect((await bob.get(path)).status).toBe(404)

    service.app.sites.check = async () => 'none'
    const form = await ann.get('/d/asked-for.com/offer')
    const sent = { key: hidden(form, 'key'), budget: '500', tier: 'managed', note: '' }
    const opened = must(await ann.post('/d/asked-for.com/offer', sent), 303)
    const offers = await ann.get('/account/offers')
    expect(offers.text).toContain('asked-for.com')
    expect(offers.text).toContain(String(opened.headers.location))
    expect((await bob.get('/account/offers')).text).toContain('No requests yet')
  })

  test('show nothing of an address that is not confirmed', async () => {
    const domain = await freshName(service)
    await new Buyer(service).pay(`/d/${domain}`, CARDS.succeeds, { email: 'claims@example.com' })
    const thief = new Browser(() => service)
    must(await thief.post('/sign-up', { email: 'claims@example.com', password: PASSWORD }), 303)
    const page = await thief.get('/account/purchases')
    expect(page.text).not.toContain(domain)
    expect(page.text).toContain('Please confirm your address')
  })
})

test('an empty form for a card has every field marked, and what was typed of it stays', async () => {
  const card = { card_number: '', card_expiry: '13/39', card_cvc: '' }
  const { text } = must(await ann.post('/account/payment-method', card), 400)
  expect(text.match(/aria-invalid="true"/g)).toHaveLength(3)
  expect(text).toContain('Enter the number on your card.')
  expect(text).toContain('value="13/39"')
})

describe('access and security', () => {
  test('a token is shown once, and works no more when revoked', async () => {
    const form = { label: 'my script', once: hidden(await ann.get('/account/access'), 'once') }
    const page = await ann.post('/account/tokens', form)
    const [token] = /mkt_pat_[\w-]+/.exec(page.text) ?? []
    // Loaded anew it is the same one.
    const reloaded = await ann.post('/account/tokens', form)
    expect(reloaded.text).toContain(token)
    expect(reloaded.text.match(/>my script</g)).toHaveLength(1)
    const use = () =>
      service.send({
        method: 'GET',
        target: '/api/market/listings?max=1',
        headers: { authorization: `Bearer ${token}` },
      })
    expect((await use()).status).toBe(200)
    const again = await ann.get('/account/access')
    expect(again.text).toContain('my script')
    expect(again.text).not.toContain(token)
    const gone = await ann.post('/account/tokens/revoke', { id: hidden(again, 'id') })
    expect(gone.headers.location).toBe('/account/access')
    expect((await use()).status).toBe(401)
    const long = 'x'.repeat(101)
    const rejected = await ann.post('/account/tokens', { label: long })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain('It must have at most 100 characters.')
    expect(rejected.text).toContain(`value="${long}"`)
  })

  test('a user has a hundred tokens at most, and sees each of them', async () => {
    const email = 'many-tokens@example.com'
    const many = new Browser(() => service)
    must(await many.post('/sign-up', { email, password: PASSWORD }), 303)
    const make = (label: string) => service.admin('POST', '/user-tokens', { email, label })
    for (let n = 0; n < 100; n += 1) must(await make(`script ${n}`), 201)
    const rejected = await make('one more')
    expect([rejected.status, rejected.body.error.code]).toEqual([409, 'conflict'])
    const page = await many.post('/account/tokens', { label: 'one more' })
    expect(page.status).toBe(409)
    expect(page.text).toContain('Revoke one that is not used.')
    expect(page.text.match(/>script \d+</g)).toHaveLength(100)
    must(await many.post('/account/tokens/revoke', { id: hidden(page, 'id') }), 303)
    must(await make('one more'), 201)
  })

  test.each([
    ['/account/tokens', '/account/access'],
    ['/account/password', '/account/security'],
    ['/account/domains/review', '/account'],
    ['/account/domains/change', '/account'],
    ['/account/confirm-email', '/account'],
    ['/sign-out', '/account'],
    ['/partner/sandbox/webhook/test', '/partner/sandbox/webhook'],
  ])('%s opened anew leads to its form, at %s', async (path, page) => {
    const response = await ann.get(path)
    expect(response.status).toBe(303)
    expect(response.headers.location).toBe(page)
  })

  test('a wrong present password is said beside its field', async () => {
    const page = await ann.post('/account/password', { current: 'no', password: 'new password' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('This is not your current password.')
    const short = await ann.post('/account/password', { current: PASSWORD, password: 'short' })
    expect(short.status).toBe(400)
    expect(short.text).toContain('aria-invalid="true"')
  })

  test('nobody ends another’s sessions, tokens or apps by their ids', async () => {
    await makeUser(service, 'dora@example.com')
    const dora = await signIn(service, 'dora@example.com')
    const second = await signIn(service, 'dora@example.com')
    const { text } = await dora.post('/account/tokens', { label: 'script' })
    const [token = ''] = /mkt_pat_[\w-]+/.exec(text) ?? []
    const app = (await exchange(service, await newCode(service, dora))).body.access_token
    const idOf = (page: Result, path: string) =>
      new RegExp(`action="${path}".*?name="id" value="([^"]+)"`, 's').exec(page.text)?.[1] ?? ''
    const [access, security] = [
      await dora.get('/account/access'),
      await dora.get('/account/security'),
    ]
    const ids = [
      ['/account/sessions/end', idOf(security, '/account/sessions/end')],
      ['/account/tokens/revoke', idOf(access, '/account/tokens/revoke')],
      ['/account/apps/revoke', idOf(access, '/account/apps/revoke')],
    ] as const
    const standing = async () => {
      const bearers = [token, app].map((bearer) =>
        service.send({
          method: 'GET',
          target: '/api',
          headers: { authorization: `Bearer ${bearer}` },
        }),
      )
      const answers = await Promise.all([second.get('/account'), ...bearers])
      return answers.map(({ status }) => status)
    }
    for (const [path, id] of ids) must(await ann.post(path, { id }), 303)
    expect(await standing()).toEqual([200, 200, 200])
    for (const [path, id] of ids) must(await dora.post(path, { id }), 303)
    expect(await standing()).toEqual([303, 401, 401])
  })

  test('a new password ends the other sessions and the mailed link, and says so once', async () => {
    await makeUser(service, 'carl@example.com')
    const here = await signIn(service, 'carl@example.com')
    const there = await signIn(service, 'carl@example.com')
    await here.post('/forgot-password', { email: 'carl@example.com' })
    const { mails } = (await service.admin('GET', '/mails?to=carl@example.com')).body
    const token = /token=(\S+)/.exec(mails[0].text)?.[1] ?? ''
    const form = { current: PASSWORD, password: 'another password' }
    const response = await here.post('/account/password', form)
    expect(response.headers.location).toBe('/account/security')
    expect((await there.get('/account')).status).toBe(303)
    const mailed = { token, password: 'a third password' }
    expect((await there.post('/reset-password', mailed)).status).toBe(404)
    expect((await here.get('/account/security')).text).toContain('this one')
  })
})
