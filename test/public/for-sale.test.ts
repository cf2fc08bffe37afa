import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { forSaleRecords, parseForSale } from '../../src/lib/for-sale.ts'
import { DnsServer } from '../support/dns-server.ts'
import { must } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { startService, type TestService } from '../support/service.ts'

let dns: DnsServer
let service: TestService
let anyone: Reader
beforeAll(async () => {
  dns = await DnsServer.start()
  service = await startService({ settings: { dnsServers: [dns.address] } })
  anyone = readerOf(() => service)
})
beforeEach(() => {
  dns.txt.clear()
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async (domain) =>
    domain.startsWith('free')
      ? { ...registered({}), state: 'available', record: null }
      : registered({}),
  )
})
afterAll(async () => {
  await service.stop()
  await dns.stop()
})

function publish(domain: string, ...records: (string | string[])[]): void {
  dns.txt.set(
    `_for-sale.${domain}`,
    records.map((record) => [record].flat()),
  )
}

const whois = async (domain: string) =>
  must(await anyone.post('/api/tools/whois', { domain }), 200).body
const search = async (q: string) =>
  must(await anyone.post('/api/domain/search', { q }), 200).body.results[0]

/** As a DNS library has the bytes of a text. */
const bytes = (text: string) => Buffer.from(text).toString('latin1')
const NOTHING = { url: null, price: null, codes: [] }

describe('the record of a domain for sale', () => {
  test.each([
    [['v=FORSALE1;'], NOTHING],
    [['v=FORSALE1;fcod='], NOTHING],
    [['v=FORSALE1;foo=bar'], NOTHING],
    [['v=FORSALE1;fval=USD750'], { ...NOTHING, price: 'USD750' }],
    [['v=FORSALE1; fval=BTC0.00010'], { ...NOTHING, price: 'BTC0.00010' }],
    [['v=FORSALE1;ftxt=Call me'], NOTHING],
    [['v=FORSALE1;fcod=ACME-S2lscm95'], { ...NOTHING, codes: ['ACME-S2lscm95'] }],
    [
      ['v=FORSALE1;furi=https://example.com/foo%20bar', 'I am for sale', 'v=FORSALE1;fval=EUR999'],
      { ...NOTHING, url: 'https://example.com/foo%20bar', price: 'EUR999' },
    ],
    [['v=FORSALE1;furi=mailto:a@example.com'], { ...NOTHING, url: 'mailto:a@example.com' }],
    [['v=FORSALE1;furi=tel:+1-555-0100'], { ...NOTHING, url: 'tel:+1-555-0100' }],
    [
      [bytes('v=FORSALE1;furi=https://bücher.example/')],
      { ...NOTHING, url: 'https://bücher.example/' },
    ],
  ])('is read: %j', (records, wanted) => {
    expect(parseForSale(records)).toEqual(wanted)
    // Servers respond in any order.
    expect(parseForSale(records.toReversed())).toEqual(wanted)
  })

  test.each([
    [[]],
    [['']],
    [['v=FORSALE2;fval=USD1']],
    [['V=forsale1;fval=USD1']],
    [['v=FORSALE1']],
    [['not for sale']],
  ])('is none: %j', (records) => {
    expect(parseForSale(records)).toBeNull()
  })

  test.each([
    'furi=javascript:alert(1)',
    'furi=data:text/html,x',
    'furi=ftp://example.com/',
    'furi=//example.com',
    'furi=https://',
    'furi=https://bank.example@evil.example/',
    'furi=https://example.com/ and more',
    'furi=https://example.com/"onclick=x',
    'furi=https://example.com/<script>',
    'furi=https://example.com/\u0007',
    'furi=https://example.com/\u0000',
    bytes('furi=https://example.com/\u202Egpj'),
    bytes('furi=https://example.com/\u200Bx'),
    'furi=https://example.com/\u00ff',
    `furi=https://example.com/${'a'.repeat(300)}`,
    'fval=USD',
    'fval=750',
    'fval=usd750',
    'fval=USD7,500',
    'fval=USD-1',
    'fval=USD750 or best offer',
    'fval=USD750\u001b[31m',
    `fval=USD${'9'.repeat(100)}`,
    'furi=',
    'FVAL=USD1',
  ])('says nothing where it is hostile or malformed: %j', (content) => {
    expect(parseForSale([`v=FORSALE1;${content}`])).toEqual(NOTHING)
  })

  test('is written as it is read', () => {
    const records = forSaleRecords('https://market.example/d/one.com', 129_550, 'USD')
    expect(records).toEqual([
      'v=FORSALE1;furi=https://market.example/d/one.com',
      'v=FORSALE1;fval=USD1295.50',
    ])
    expect(forSaleRecords('https://m.example', 129_500, 'USD')[1]).toBe('v=FORSALE1;fval=USD1295')
    expect(forSaleRecords('https://m.example', 5_000, 'JPY')[1]).toBe('v=FORSALE1;fval=JPY5000')
    expect(parseForSale(records)).toMatchObject({ price: 'USD1295.50' })
  })
})

describe('an owner’s own offer in DNS', () => {
  test('is on WHOIS and on search rows of a registered name', async () => {
    publish('owned.com', 'v=FORSALE1;furi=https://owner.example/', 'v=FORSALE1;fval=USD750')
    const offer = { url: 'https://owner.example/', price: 'USD750', source: 'dns' }
    expect((await whois('owned.com')).for_sale).toEqual(offer)
    expect((await whois('www.owned.com')).for_sale).toEqual(offer)
    expect((await search('owned.com')).for_sale).toEqual(offer)
    publish('silent-price.com', 'v=FORSALE1;')
    expect((await whois('silent-price.com')).for_sale).toEqual({
      url: null,
      price: null,
      source: 'dns',
    })
    dns.cname.set('_for-sale.alias.com', '_for-sale.owned.com')
    expect((await whois('alias.com')).for_sale).toEqual(offer)
    dns.cname.clear()
  })

  test('is null without a record, and of a name that nobody has registered', async () => {
    expect((await whois('plain.com')).for_sale).toBeNull()
    expect((await search('plain.com')).for_sale).toBeNull()
    publish('free.com', 'v=FORSALE1;fval=USD750')
    expect((await whois('free.com')).for_sale).toBeNull()
    expect((await search('free.com')).for_sale).toBeNull()
  })

  test('holds nothing up: name servers that fail or are silent say nothing', async () => {
    dns.failing.add('_for-sale.fails.com')
    expect((await whois('fails.com')).for_sale).toBeNull()
    dns.silent.add('_for-sale.silent.com')
    const startedAt = performance.now()
    const [looked, found] = await Promise.all([whois('silent.com'), search('silent.com')])
    expect(looked).toMatchObject({ registered: true, for_sale: null })
    expect(found).toMatchObject({ state: 'registered', for_sale: null })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('is text on pages, whatever is in it', async () => {
    publish('shown.com', 'v=FORSALE1;furi=https://owner.example/?a=1&b=2', 'v=FORSALE1;fval=USD750')
    const page = await anyone.get('/whois?domain=shown.com', { accept: 'text/html' })
    expect(page.text).toContain('<code>https://owner.example/?a=1&amp;b=2</code>')
    expect(page.text).toContain('USD750')
    expect(page.text).not.toContain('href="https://owner.example')
    const found = await anyone.get('/search?q=shown.com', { accept: 'text/html' })
    expect(found.text).toContain('for sale by its owner: USD750')
  })

  test('stands first in a brokerage case, for the broker and for the buyer', async () => {
    publish('brokered.com', 'v=FORSALE1;fval=USD4500')
    const partner = await service.partner({ environment: 'live' })
    vi.spyOn(service.app.sites, 'check').mockResolvedValue('none')
    const opened = must(
      await partner.post('/brokerage', {
        domain: 'brokered.com',
        tier: 'managed',
        buyer_email: 'buyer@example.com',
        budget: 500_000,
      }),
      201,
    ).body
    const broker = await Operator.enter(service)
    const row = await broker.visit(`/operator/cases/${opened.case_id}`)
    expect(row.text).toContain('The owner’s own offer')
    expect(row.text).toContain('Its owner asks USD4500')
    expect(row.text.indexOf('USD4500')).toBeLessThan(row.text.lastIndexOf(opened.case_id))
    const progress = await anyone.get(new URL(opened.progress_url).pathname, {
      accept: 'text/html',
    })
    expect(progress.text).toContain('The owner’s own offer')
    expect(progress.text).toContain('Its owner asks USD4500')
  })
})

describe('a claim', () => {
  test('is proven by the code in the record, and by no other code', async () => {
    await makeUser(service, 'ann@example.com', [])
    const { token } = (await service.admin('POST', '/user-tokens', { email: 'ann@example.com' }))
      .body
    const ann = readerOf(() => service, token)
    const domains = ['coded.com', 'prefixed.com', 'wrong.com']
    const { claims } = must(await ann.post('/api/domains/claims', { domains }), 200).body
    const values: string[] = claims.map((claim: { txt: { value: string } }) => claim.txt.value)
    const [first = '', second = '', third = ''] = values
    publish('coded.com', `v=FORSALE1;fcod=${first.split('=')[1]}`, 'v=FORSALE1;fval=USD1')
    publish('prefixed.com', `v=FORSALE1;fcod=${second}`)
    publish('wrong.com', `v=FORSALE1;fcod=${first}`, `v=FORSALE1;ftxt=${third}`, `fcod=${third}`)
    const checked = must(await ann.post('/api/domains/claims/check', { domains }), 200).body
    expect(checked.claims).toMatchObject([
      { status: 'verified', method: 'txt' },
      { status: 'verified', method: 'txt' },
      { status: 'pending', method: null },
    ])
  })

  test('of a listed name comes with the records that its seller may set', async () => {
    await makeUser(service, 'sue@example.com', ['sues.com', 'kept-back.com'])
    const { token } = (await service.admin('POST', '/user-tokens', { email: 'sue@example.com' }))
      .body
    const sue = readerOf(() => service, token)
    const listing = { domains: ['sues.com'], params: { price_cents: 129_500 } }
    must(await sue.post('/api/domains/bulk/list_for_sale', listing), 200)
    const page = (await (await signIn(service, 'sue@example.com')).get('/account')).text
    expect(page).toContain('_for-sale.sues.com')
    expect(page).toContain('v=FORSALE1;furi=http://localhost:3000/d/sues.com')
    expect(page).toContain('v=FORSALE1;fval=USD1295')
    expect(page).not.toContain('_for-sale.kept-back.com')
    await service.app.db
      .updateTable('claims')
      .set({ method: 'nameservers' })
      .where('domain', '=', 'sues.com')
      .execute()
    const without = (await (await signIn(service, 'sue@example.com')).get('/account')).text
    expect(without).not.toContain('_for-sale.sues.com')
  })
})

describe('where no DNS is asked', () => {
  test('nothing is said, and nothing is asked', async () => {
    const embedded = await startService()
    const txt = vi.spyOn(embedded.app.dns, 'txt')
    const reader = readerOf(() => embedded)
    const { body } = await reader.post('/api/tools/whois', { domain: 'google.com' })
    expect(body.registered).toBe(true)
    expect(body).not.toHaveProperty('for_sale')
    expect(txt).not.toHaveBeenCalled()
    await embedded.stop()
  })
})
