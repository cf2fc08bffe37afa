import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkClaims } from '../../src/domain/domains/check-claims.ts'
import { DnsServer } from '../support/dns-server.ts'
import { mailsTo, must } from '../support/market.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { type Reader, readerOf } from '../support/reader.ts'
import { startService, type TestService } from '../support/service.ts'
import { exchange } from '../support/socket.ts'

let dns: DnsServer
let service: TestService
beforeAll(async () => {
  dns = await DnsServer.start()
  service = await startService({ settings: { dnsServers: [dns.address] } })
})
afterAll(async () => {
  await service.stop()
  await dns.stop()
})

async function seller(email: string, domains: string[] = []): Promise<Reader & { id: string }> {
  const id = await makeUser(service, email, domains)
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  return { ...readerOf(() => service, token), id }
}

const send = async (who: Reader, csv: string) =>
  must(await who.post('/api/domains/csv', { csv }), 200).body
const rowsOf = async (who: Reader) => must(await who.get('/api/domains/csv'), 200).body.domains

async function listing(domain: string) {
  return await service.app.db
    .selectFrom('listings')
    .select(['price_cents', 'floor_price_cents', 'min_offer_cents', 'offers', 'status'])
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .executeTakeFirst()
}

describe('a file of a seller', () => {
  test('of strangers is rejected before it is taken in', async () => {
    // Of a body of 16 MB that is announced, nothing is sent.
    const response = await exchange(
      service.baseUrl,
      'POST /api/domains/csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
        'Content-Type: application/json\r\nContent-Length: 16000000\r\n\r\n',
    )
    expect(response).toMatch(/^HTTP\/1.1 401 /)
    expect(response).toContain('"code":"unauthorized"')
  })

  test('prices what is proven, claims the rest, and rejects each bad row by itself', async () => {
    const own = Array.from({ length: 300 }, (_, at) => `mine-${at}.com`)
    const ann = await seller('ann@example.com', own)
    const rows = [
      ...own.map((domain, at) => `${domain},"$1,${String(at).padStart(3, '0')}.50",900,100`),
      ...Array.from({ length: 300 }, (_, at) => `theirs-${at}.com,${at + 1}`),
    ]
    const bad = [
      'www.sub.com,100',
      'not a domain,100',
      '=HYPERLINK("http://evil.example"),100',
      'a.com,1.250,00',
      'b.com,100,200',
      'c.com,100,,200',
      'd.com,0',
      'e.com,,50',
      'f.com,1e9',
      'mine-3.com,7',
      'g.com,"100',
      'h.com,100,0',
      'i.com,-5',
    ]
    const lines = ['Domain Name,Buy Now Price (USD),Floor Price,Min Offer', ...rows]
    lines.splice(101, 0, ...bad, '')
    const body = await send(ann, `\uFEFF${lines.join('\r\n')}\r\n`)
    expect(body).toMatchObject({
      rows: 613,
      listed: 300,
      priced: 0,
      claimed: 300,
      waiting: 300,
      rejected_count: 13,
      ignored_columns: [],
    })
    expect(
      body.rejected.map(({ line, field }: { line: number; field: string }) => [line, field]),
    ).toEqual([
      [102, 'domain'],
      [103, 'domain'],
      [104, 'row'],
      [105, 'price'],
      [106, 'floor'],
      [107, 'min_offer'],
      [108, 'price'],
      [109, 'price'],
      [110, 'price'],
      [111, 'domain'],
      [112, 'row'],
      [113, 'floor'],
      [114, 'price'],
    ])
    expect(body.rejected[0]).toEqual({
      line: 102,
      field: 'domain',
      issue: '"www.sub.com" is below sub.com: claim that',
      row: 'www.sub.com,100',
    })
    expect(body.rejected[9].issue).toBe('is on line 5, too')
    expect(await listing('mine-7.com')).toEqual({
      price_cents: 100_750,
      floor_price_cents: 90_000,
      min_offer_cents: 10_000,
      offers: 'open',
      status: 'listed',
    })
    expect(await listing('theirs-7.com')).toBeUndefined()
    expect(await mailsTo(service, 'ann@example.com')).toContain('Listed for sale: 300 domains')
  })

  test('goes to a spreadsheet and comes back as it was', async () => {
    const bea = await seller('bea@example.com', ['plain.com', 'priced.com', 'closed.com'])
    await send(
      bea,
      'name;bin;reserve;min offer;offers;Notes\npriced.com;1.250,00;;;;\n' +
        'priced.com;"1250.00";1000;500;;x\nclosed.com;99;;;no;\nlater.com;75;70;;;\nbare.com;;;;;\n',
    )
    const before = await rowsOf(bea)
    expect(before).toEqual([
      expect.objectContaining({ domain: 'bare.com', price: null, status: 'waiting_for_proof' }),
      expect.objectContaining({ domain: 'closed.com', price: '99.00', offers: 'off' }),
      expect.objectContaining({
        domain: 'later.com',
        price: '75.00',
        floor: '70.00',
        status: 'waiting_for_proof',
        txt_name: '_marketplace.later.com',
        txt_value: expect.stringMatching(/^marketplace-verification=[0-9a-f]{32}$/),
      }),
      expect.objectContaining({ domain: 'plain.com', price: null, status: 'not_for_sale' }),
      expect.objectContaining({
        domain: 'priced.com',
        price: '1250.00',
        floor: '1000.00',
        min_offer: '500.00',
        status: 'for_sale',
      }),
    ])
    const { headers, text } = must(await bea.get('/api/domains/csv', { accept: 'text/csv' }), 200)
    expect(headers['content-type']).toContain('text/csv')
    expect(text.split('\r\n')[0]).toBe(
      'domain,price,floor,min_offer,offers,currency,status,txt_name,txt_value',
    )
    expect(await send(bea, text)).toMatchObject({
      rows: 5,
      listed: 0,
      priced: 2,
      claimed: 0,
      waiting: 1,
      rejected: [],
    })
    expect(await rowsOf(bea)).toEqual(before)
  })

  test('has its terms applied as soon as a domain is proven', async () => {
    const cat = await seller('cat@example.com')
    await send(
      cat,
      'domain,price,floor,min_offer,offers\nproven.com,500,400,50,\nbyword.com,60,,,off\n',
    )
    const [byWord, proven] = await rowsOf(cat)
    dns.txt.set(proven.txt_name, [[proven.txt_value]])
    await checkClaims.run(service.app, new AbortController().signal)
    expect(await listing('proven.com')).toEqual({
      price_cents: 50_000,
      floor_price_cents: 40_000,
      min_offer_cents: 5_000,
      offers: 'open',
      status: 'listed',
    })
    const decision = { user_id: cat.id, reason: 'It is theirs.' }
    must(await service.admin('PUT', `/claims/${byWord.domain}`, decision), 200)
    expect(await listing('byword.com')).toMatchObject({ price_cents: 6_000, offers: 'off' })
    expect(await mailsTo(service, 'cat@example.com')).toContain('Listed for sale: proven.com')
  })

  test('takes back what waits for a proof by a row without a price, and nothing by a file without the column', async () => {
    const dan = await seller('dan@example.com')
    await send(dan, 'domain,price\nwaits.com,100\n')
    await send(dan, 'domain\nwaits.com\n')
    expect(await rowsOf(dan)).toMatchObject([{ price: '100.00' }])
    await send(dan, 'domain,price\nwaits.com,\n')
    expect(await rowsOf(dan)).toMatchObject([{ price: null }])
  })

  test('says why a proven domain could not be listed', async () => {
    const eve = await seller('eve@example.com')
    await send(eve, 'domain,price\nstopped.com,100\n')
    await service.admin('POST', '/blocked-domains', { domains: ['stopped.com'] })
    const [{ txt_name, txt_value }] = await rowsOf(eve)
    dns.txt.set(txt_name, [[txt_value]])
    await eve.post('/api/domains/claims/check', { domains: ['stopped.com'] })
    const { claims } = must(await eve.get('/api/domains/claims'), 200).body
    expect(claims).toMatchObject([
      { status: 'verified', problem: expect.stringContaining('An operator has blocked it.') },
    ])
    expect(await listing('stopped.com')).toBeUndefined()
  })

  test('of a domain that another user has proven rejects that row', async () => {
    const fay = await seller('fay@example.com', ['proud.com'])
    const gus = await seller('gus@example.com')
    const { rejected } = await send(gus, 'domain,price\nproud.com,100\nfree.com,100\n')
    expect(rejected).toEqual([
      {
        line: 2,
        field: 'domain',
        issue: 'proud.com is verified by another user. An operator decides whose it is.',
        row: 'proud.com,100',
      },
    ])
    expect(await rowsOf(fay)).toMatchObject([{ domain: 'proud.com', price: null }])
  })

  test.each([
    ['a,b\n1,2\n', 'header: must be the first line'],
    ['domain,price,bin\na.com,1,2\n', 'header: names the price twice'],
    ['domain,floor\na.com,1\n', 'header: names a floor, but no price'],
    [`domain\n${'a.com\n'.repeat(50_001)}`, 'csv: has more than 50000 rows'],
  ])('is rejected as a whole where it cannot be read: %#', async (csv, message) => {
    const hal = await seller(`hal-${csv.length}@example.com`)
    const rejected = must(await hal.post('/api/domains/csv', { csv }), 400).body
    expect(rejected.error.message).toContain(message)
  })
})

describe('the page', () => {
  let ida: Browser
  beforeAll(async () => {
    await makeUser(service, 'ida@example.com', ['idas.com'])
    ida = await signIn(service, 'ida@example.com')
  })

  test('takes a file, says what it did, and has the rejected rows as a file', async () => {
    const form = (await ida.get('/account/sell')).text
    const key = /name="key" value="([^"]+)"/.exec(form)?.[1] ?? 'none'
    const csv = 'domain,price\nidas.com,120\n@SUM(A1),<b>5\n'
    const sent = await ida.upload('/account/sell', csv, { key })
    expect(sent.status).toBe(303)
    expect(sent.headers.location).toBe(`/account/sell/${key}`)
    expect((await ida.upload('/account/sell', csv, { key })).headers.location).toBe(
      `/account/sell/${key}`,
    )
    const outcome = (await ida.get(`/account/sell/${key}`)).text
    expect(outcome).toContain('is not a domain name such as example.com')
    expect(outcome).toContain('@SUM(A1),&lt;b>5')
    const rejected = (await ida.get(`/account/sell/${key}/rejected.csv`)).text
    expect(rejected).toContain("'@SUM(A1)")
    const list = (await ida.get('/account/sell/domains.csv')).text
    expect(list).toContain('idas.com,120.00,120.00,,open,USD,for_sale,,')
    expect(await listing('idas.com')).toMatchObject({ price_cents: 12_000 })
    expect((await ida.get('/account/sell/another-key-1')).status).toBe(404)
  })

  test('says what is wrong with a file that cannot be read', async () => {
    const rejected = await ida.upload('/account/sell', 'hello\nworld\n')
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain('must be the first line, and name the columns')
  })
})
