import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { must, offer, refusal } from '../support/market.ts'
import { orderBody, quote, sold } from '../support/sale.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let live: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  live = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

const HEADER = 'domain,price_cents,floor_price_cents,currency'
const detail = async (domain: string, client = partner) =>
  (await client.get(`/domains/${domain}`)).body
const load = (csv: string | Uint8Array, { headers = {}, environment = 'sandbox' } = {}) =>
  service.send({
    method: 'POST',
    target: `/api/admin/v1/listings/import?environment=${environment}`,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv', ...headers },
    body: csv,
  })
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('POST /listings/import', () => {
  test('lists the names and reports them', async () => {
    const report = await service.list(
      'sandbox',
      `${HEADER}\nimp-a.test,10000,8000,USD\nimp-b.co.uk,20000,,\nimp-c.test,1,1,eur\n`,
    )
    expect(report).toEqual({
      environment: 'sandbox',
      rows: 3,
      imported: 3,
      created: 3,
      updated: 0,
      skipped_sold: 0,
      rejected_count: 0,
      rejected: [],
    })
    expect(await detail('imp-a.test')).toMatchObject({
      price_cents: 10_000,
      floor_price_cents: 8_000,
    })
    expect(await detail('imp-b.co.uk')).toMatchObject({
      tld: 'co.uk',
      floor_price_cents: 20_000,
      currency: 'USD',
    })
    expect(await detail('imp-c.test')).toMatchObject({ currency: 'EUR' })
  })

  test('gives a known name its new price', async () => {
    await service.list('sandbox', 'imp-known.test,10000,8000,USD')
    const report = await service.list('sandbox', 'imp-known.test,9000,7000,USD\nimp-new.test,1,,')
    expect(report).toMatchObject({ imported: 2, created: 1, updated: 1 })
    expect(await detail('imp-known.test')).toMatchObject({
      price_cents: 9_000,
      floor_price_cents: 7_000,
    })
  })

  test('reads a BOM, CRLF, quotes, blanks, empty lines and no newline at the end', async () => {
    const report = await service.list(
      'sandbox',
      `\ufeff"domain","price_cents","floor_price_cents","currency"\r\n` +
        `"imp-q.test","100","",USD\r\n\r\n  IMP-R.Test , 200 , 150 , usd \r\n\r\nimp-s.test,300`,
    )
    expect(report).toMatchObject({ rows: 3, imported: 3, rejected_count: 0 })
    expect(await detail('imp-q.test')).toMatchObject({ price_cents: 100 })
    expect(await detail('imp-r.test')).toMatchObject({ price_cents: 200, floor_price_cents: 150 })
    expect(await detail('imp-s.test')).toMatchObject({ price_cents: 300 })
  })

  test('needs no header, with a BOM neither', async () => {
    expect(await service.list('sandbox', 'imp-h.test,100,,')).toMatchObject({
      rows: 1,
      imported: 1,
    })
    expect(await service.list('sandbox', '\ufeffimp-i.test,100,,')).toMatchObject({ imported: 1 })
  })

  test('reads U-labels', async () => {
    await service.list('sandbox', 'Zürich-Imp.test,100,,')
    expect((await partner.get('/domains/z%C3%BCrich-imp.test')).status).toBe(200)
    const found = await service.admin('GET', '/listings?environment=sandbox&q=Z%C3%BCrich-Imp')
    expect(found.body.listings).toMatchObject([{ domain: 'xn--zrich-imp-q9a.test' }])
  })

  test('quotes no half of a character', async () => {
    const { rejected } = await service.list('sandbox', `x${'😀'.repeat(90)},100,,`)
    expect((rejected as { issue: string }[])[0]?.issue).toMatch(/^"x(?:😀)+…" is not/u)
  })

  test('reports bad rows with their line and field, and lists the good ones', async () => {
    const report = await service.list(
      'sandbox',
      [
        HEADER,
        'imp-good-1.test,100,,',
        'no domain,100,,',
        'imp-bad.test,0,,',
        '',
        'imp-bad.test,1.5,,',
        'imp-bad.test,-1,,',
        'imp-bad.test,1e9,,',
        'imp-bad.test,100000000001,,',
        'imp-bad.test,,,',
        'imp-bad.test,100,101,',
        'imp-bad.test,100,x,',
        'imp-bad.test,100,50,dollars',
        'imp-bad.test,100,50,USD,open,50,more',
        'imp-bad',
        'imp-bad.test,100,50,ZZZ',
        'imp-good-2.test,100000000000,1,USD',
      ].join('\n'),
    )
    expect(report).toMatchObject({ rows: 15, imported: 2, rejected_count: 13 })
    const rejected = report.rejected as { line: number; field: string; issue: string }[]
    expect(rejected.map(({ line, field }) => [line, field])).toEqual([
      [3, 'domain'],
      [4, 'price_cents'],
      [6, 'price_cents'],
      [7, 'price_cents'],
      [8, 'price_cents'],
      [9, 'price_cents'],
      [10, 'price_cents'],
      [11, 'floor_price_cents'],
      [12, 'floor_price_cents'],
      [13, 'currency'],
      [14, 'row'],
      [15, 'domain'],
      [16, 'currency'],
    ])
    for (const { issue } of rejected) expect(issue).not.toBe('')
    const tooMuch = '"100000000001" is not a whole number of cents from 1 to 100000000000'
    expect(rejected.find(({ line }) => line === 9)?.issue).toBe(tooMuch)
    expect((await partner.get('/domains/imp-bad.test')).status).toBe(404)
    expect(await detail('imp-good-2.test')).toMatchObject({ price_cents: 100_000_000_000 })
  })

  test('survives bytes that are no text and NULs; a quote that is never closed spoils its row alone', async () => {
    const bytes = Buffer.concat([
      Buffer.from('imp-odd-1.test,100,,\n'),
      Buffer.from([0xff, 0xfe, 0x2c, 0x31, 0x0a]),
      Buffer.from('imp\u0000.test,100,,\n"imp-odd-2.test,100,,\n"imp-odd-3.test",100,,\n'),
    ])
    const { report } = linesOf((await load(bytes)).text).at(-1)
    expect(report).toMatchObject({ rows: 5, imported: 2, rejected_count: 3 })
    expect(report.rejected.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4])
    for (const domain of ['imp-odd-1.test', 'imp-odd-3.test']) {
      expect((await detail(domain)).status).toBe('listed')
    }
  })

  test.each([
    'domain,floor_price_cents,price_cents,currency',
    'price_cents,domain',
    'Domain,Price',
    'domain,price_cents,floor_price_cents,currency,seller',
  ])('refuses a header of other columns, by which rows would be misread: %s', async (header) => {
    const response = await load(`${header}\nimp-misread.test,100,90\n`)
    expect(linesOf(response.text)).toMatchObject([
      { error: { code: 'validation_error', details: [{ field: 'header' }] } },
    ])
    expect((await partner.get('/domains/imp-misread.test')).status).toBe(404)
  })

  test('quotes no more of a bad cell than a person reads', async () => {
    const long = 'x'.repeat(60_000)
    const report = await service.list(
      'sandbox',
      `${long},1,,\nimp-long.test,${long},,\nimp-long.test,1,${long},\nimp-long.test,1,1,${long}\n`,
    )
    const rejected = report.rejected as { field: string; issue: string }[]
    expect(rejected).toHaveLength(4)
    for (const { issue } of rejected) {
      expect(issue).toMatch(/^"x{80}…" is not a /)
      expect(issue.length).toBeLessThan(200)
    }
  })

  test.each([
    ['characters', 'x'],
    ['cells', ','],
  ])('refuses a line of far too many %s before all of it is here', async (_what, part) => {
    const response = await load(`imp-before-long.test,1,,\n${part.repeat(20_000_000)}`)
    expect(linesOf(response.text)).toMatchObject([
      { error: { code: 'validation_error', message: expect.stringContaining('far too long') } },
    ])
    expect(response.text.length).toBeLessThan(500)
  })

  test('of a name that comes twice the later line holds', async () => {
    const report = await service.list('sandbox', 'imp-t.test,100,,\nIMP-T.test,200,,\n')
    expect(report).toMatchObject({ rows: 2, imported: 1, created: 1, rejected_count: 0 })
    expect(await detail('imp-t.test')).toMatchObject({ price_cents: 200 })
  })

  test('leaves sold names as they are and says how many', async () => {
    await offer(service, 'live', ['imp-sold.test'])
    await sold(live, 'imp-sold.test')
    const report = await service.list('live', 'imp-sold.test,1,,\nimp-free.test,1,,')
    expect(report).toMatchObject({ imported: 1, skipped_sold: 1 })
    expect(await detail('imp-sold.test', live)).toMatchObject({
      status: 'sold',
      price_cents: 10_000,
    })
  })

  test('moves the price under a running quote, whose own holds', async () => {
    await offer(service, 'sandbox', ['imp-run.test'])
    const offered = await quote(partner, 'imp-run.test')
    await service.list('sandbox', 'imp-run.test,1,,')
    expect(await detail('imp-run.test')).toMatchObject({ status: 'reserved', price_cents: 1 })
    expect((await partner.post('/orders', orderBody(offered))).status).toBe(201)
  })

  test('lists in the environment that was named, and in no other', async () => {
    await service.list('live', 'imp-live.com,100,,')
    expect((await live.get('/domains/imp-live.com')).body.metadata).toEqual({})
    expect((await partner.get('/domains/imp-live.com')).status).toBe(404)
  })

  test('tells its progress line by line, and the report last', async () => {
    const rows = Array.from({ length: 45_000 }, (_, index) => `imp-many-${index}.test,100,,`)
    // One that is known and one that was sold, in the first batch and in the last.
    const gone = ['imp-many-1.test', 'imp-many-44001.test']
    await offer(service, 'live', ['imp-many-0.test', 'imp-many-44000.test', ...gone])
    for (const domain of gone) await sold(live, domain)
    const response = await load(rows.join('\n').concat('\nbad,100,,\n'), { environment: 'live' })
    expect(response.headers['content-type']).toContain('application/x-ndjson')
    const lines = linesOf(response.text)
    expect(lines.slice(0, -1)).toEqual([
      { progress: { rows: 20_000, imported: 19_999, rejected_count: 0 } },
      { progress: { rows: 40_000, imported: 39_999, rejected_count: 0 } },
      { progress: { rows: 45_001, imported: 44_998, rejected_count: 1 } },
    ])
    expect(lines.at(-1).report).toMatchObject({
      rows: 45_001,
      imported: 44_998,
      created: 44_996,
      updated: 2,
      skipped_sold: 2,
      rejected_count: 1,
    })
    expect(lines.at(-1).report.rejected).toMatchObject([{ line: 45_001, field: 'domain' }])
  }, 60_000)

  test('lists no name that was blocked while the file came in', async () => {
    await offer(service, 'live', ['imp-block.test'])
    const file = request(`${service.baseUrl}/api/admin/v1/listings/import?environment=live`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
    })
    const responded = once(file, 'response')
    // The reader passes a row on once it has seen some of the next.
    file.write('imp-before.test,100,,\nimp-block.test')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    must(await service.admin('POST', '/blocked-domains', { domains: ['imp-block.test'] }), 200)
    file.end(',100,,\n')
    const [response] = await responded
    let text = ''
    for await (const chunk of response) text += chunk
    expect(linesOf(text).at(-1).report).toMatchObject({ rows: 2, imported: 1, created: 1 })
    const { listings } = must(
      await service.admin('GET', '/listings?environment=live&q=imp-block.test'),
      200,
    ).body
    expect(listings).toEqual([])
  })

  test('reports a thousand bad rows at most, and counts all', async () => {
    const report = await service.list('sandbox', 'bad,1,,\n'.repeat(1_500))
    expect(report).toMatchObject({ rows: 1_500, rejected_count: 1_500 })
    expect(report.rejected).toHaveLength(1_000)
  })

  test('of nothing, or of a header alone, lists nothing', async () => {
    for (const csv of ['', HEADER, `${HEADER}\r\n`, '\n\n']) {
      expect(await service.list('sandbox', csv)).toMatchObject({ rows: 0, imported: 0 })
    }
  })

  test('rejects without the token before it reads, and without an environment', async () => {
    for (const authorization of ['', 'Bearer wrong', `Basic ${ADMIN_TOKEN}`]) {
      const response = await load('imp-none.test,1,,', { headers: { authorization } })
      expect(refusal(response)).toEqual({ status: 401, code: 'unauthorized' })
    }
    for (const environment of ['', 'production']) {
      const response = await load('imp-none.test,1,,', { environment })
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('environment')
    }
    const json = await load('{}', { headers: { 'content-type': 'application/json' } })
    expect(refusal(json)).toEqual({ status: 415, code: 'unsupported_media_type' })
    expect((await partner.get('/domains/imp-none.test')).status).toBe(404)
  })

  test('at the same time as others, and as sales, ends well', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `imp-race-${index}.test`)
    await offer(service, 'sandbox', names)
    const csv = (order: string[], price: number) =>
      order.map((name) => `${name},${price},,`).join('\n')
    const [first, second, ...orders] = await Promise.all([
      load(csv(names, 100)),
      load(csv(names.toReversed(), 200)),
      ...names.slice(0, 10).map(async (name) => {
        const { body } = must(await partner.post('/quotes', { domain: name }), 201)
        return partner.post('/orders', orderBody(body))
      }),
    ])
    for (const response of [first, second]) {
      expect(linesOf(response?.text ?? '').at(-1)).toHaveProperty('report')
    }
    for (const { status } of orders) expect(status).toBe(201)
  })
})
