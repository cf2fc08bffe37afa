import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillPriceBook, PRICE_OPS } from '../../src/domain/registry/price-book.ts'
import { refusal } from '../support/market.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const price = async (tld: string, op = 'register') =>
  await service.send({ method: 'GET', target: `/api/pricing/tld?tld=${tld}&op=${op}` })

const load = (body: string | Uint8Array, token = ADMIN_TOKEN) =>
  service.send({
    method: 'POST',
    target: '/api/admin/v1/tld-prices/import',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body,
  })

describe('the price book', () => {
  test('starts with prices for all that the public may register on', async () => {
    for (const tld of ['com', 'co.uk', 'de', 'horse', 'museum', 'xn--p1ai', 'zw', 'biz']) {
      expect((await price(tld)).body.price_cents, tld).toBeGreaterThan(0)
    }
  })

  test('is listed page by page', async () => {
    let cursor = ''
    let count = 0
    for (;;) {
      const { status, body, text } = await service.admin('GET', `/tld-prices?limit=5000${cursor}`)
      expect(status, text).toBe(200)
      count += body.prices.length
      if (body.next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
    expect(count).toBe(4 * 1530)
    const one = await service.admin('GET', '/tld-prices?tld=de')
    expect(one.body.prices.map(({ op }: { op: string }) => op)).toEqual([
      'register',
      'renew',
      'restore',
      'transfer',
    ])
    for (const bad of ['x', 'com:buy', ':', 'com']) {
      const response = await service.admin('GET', `/tld-prices?cursor=${bad}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'invalid_cursor' })
    }
  })

  test('is set price by price, and a price can be withdrawn', async () => {
    const set = await service.admin('PUT', '/tld-prices/com/renew', { price_cents: 1_750 })
    expect(set.body).toMatchObject({ tld: 'com', op: 'renew', price_cents: 1_750, years: 1 })
    expect((await price('com', 'renew')).body.price_cents).toBe(1_750)
    // The same amount for more years is another price.
    await service.admin('PUT', '/tld-prices/com/renew', { price_cents: 1_750, years: 2 })
    expect((await price('com', 'renew')).body).toMatchObject({ price_cents: 1_750, years: 2 })

    await service.admin('PUT', '/tld-prices/com/restore', { price_cents: null })
    expect(refusal(await price('com', 'restore'))).toEqual({ status: 404, code: 'not_found' })
    // What an operator has decided outlives a start.
    await fillPriceBook(service.app.db, service.clock)
    expect((await price('com', 'restore')).status).toBe(404)
    expect((await price('com', 'renew')).body.price_cents).toBe(1_750)
  })

  test('gives what it lacks on a start', async () => {
    const { db } = service.app
    await db.deleteFrom('tld_prices').where('tld', '=', 'net').execute()
    // As many as there were, but of another top-level domain, which a version before had.
    await db
      .insertInto('tld_prices')
      .values(
        PRICE_OPS.map((op) => ({
          tld: 'gone',
          op,
          price_cents: 1,
          currency: 'USD',
          years: 1,
          updated_at: service.clock.now(),
        })),
      )
      .execute()
    await fillPriceBook(db, service.clock)
    await db.deleteFrom('tld_prices').where('tld', '=', 'gone').execute()
    expect((await price('net')).body.price_cents).toBeGreaterThan(0)
  })

  test.each([
    ['/tld-prices/com/buy', { price_cents: 1 }, 400, 'validation_error'],
    ['/tld-prices/com/renew', {}, 400, 'validation_error'],
    ['/tld-prices/com/renew', { price_cents: 0 }, 400, 'validation_error'],
    ['/tld-prices/com/renew', { price_cents: 10.5 }, 400, 'validation_error'],
    ['/tld-prices/com/renew', { price_cents: 1, years: 0 }, 400, 'validation_error'],
    ['/tld-prices/nope/renew', { price_cents: 1 }, 404, 'not_found'],
  ])('refuses PUT %s %j', async (path, body, status, code) => {
    expect(refusal(await service.admin('PUT', path, body))).toEqual({ status, code })
  })
})

describe('an import', () => {
  test('rejects a line that is far too long', async () => {
    for (const part of ['x', ',']) {
      const response = await load(`com,register,1234,1\n${part.repeat(100_000)}`)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
  })

  test('takes the good rows and reports the bad ones with their line', async () => {
    const response = await load(
      [
        'tld,op,price_cents,years',
        'com,register,1234,1',
        '.РФ,register,555',
        'xyz,register,',
        '',
        'nope,register,5,1',
        'com,buy,5,1',
        'com,renew,-5,1',
        'com,renew,5,99',
        'de,register,1,1',
        'de,register,777,1',
        'de,renew,888,1',
      ].join('\r\n'),
    )
    expect(response.status, response.text).toBe(200)
    expect(response.body).toMatchObject({ rows: 10, changed: 5, rejected_count: 4 })
    expect(response.body.rejected).toEqual([
      { line: 6, field: 'tld', issue: 'is no top-level domain that we know of' },
      { line: 7, field: 'op', issue: expect.any(String) },
      { line: 8, field: 'price_cents', issue: 'must be a whole number of cents above 0, or empty' },
      { line: 9, field: 'years', issue: expect.any(String) },
    ])
    expect((await price('com')).body.price_cents).toBe(1_234)
    expect((await price('xn--p1ai')).body.price_cents).toBe(555)
    expect((await price('xyz')).status).toBe(404)
    expect((await price('de')).body.price_cents).toBe(777)
    expect((await price('de', 'renew')).body.price_cents).toBe(888)
  })

  test('reads what the list gives as CSV, and changes nothing then', async () => {
    const list = await service.send({
      method: 'GET',
      target: '/api/admin/v1/tld-prices?limit=10000',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/csv' },
    })
    expect(list.headers['content-type']).toContain('text/csv')
    const response = await load(list.text)
    expect(response.body).toEqual({ rows: 6120, changed: 0, rejected_count: 0, rejected: [] })
  })

  test('is rejected without the token, and when it is no text', async () => {
    expect(refusal(await load('com,register,1', 'wrong'))).toEqual({
      status: 401,
      code: 'unauthorized',
    })
    expect(refusal(await load(Buffer.from([0xff, 0xfe])))).toEqual({
      status: 400,
      code: 'validation_error',
    })
    expect((await load('')).body).toMatchObject({ rows: 0, changed: 0 })
    expect((await load('"a\n,b"c,')).body).toMatchObject({ rows: 2, rejected_count: 2 })
    const swapped = await load('tld,op,years,price_cents\ncom,register,2,1\n')
    expect(refusal(swapped)).toEqual({ status: 400, code: 'validation_error' })
    expect(swapped.body.error.details[0].field).toBe('header')
  })
})
