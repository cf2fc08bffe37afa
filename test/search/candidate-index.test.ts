import { labelOf, splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { completePostings } from '../../src/domain/listings/complete-postings.ts'
import { postingColumns } from '../../src/domain/listings/postings.ts'
import { readLabels } from '../../src/domain/listings/read-labels.ts'
import { NOTE_CHANGE } from '../../src/domain/listings/write-listings.ts'
import type { PartnerClient } from '../support/client.ts'
import { queryOf } from '../support/inputs.ts'
import { must, offer } from '../support/market.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const onPostgres = process.env.TEST_DATABASE_URL !== undefined

/** What every index of candidates promises, whichever way it is made. */
describe.each(['memory', 'postgres'] as const)('SEARCH_INDEX=%s', (searchIndex) => {
  let service: TestService
  let partner: PartnerClient
  beforeAll(async () => {
    service = await startService({ settings: { searchIndex } })
    partner = await service.partner({ environment: 'live' })
    await offer(service, 'live', ['petpantry.com', 'dogfood.com', 'tax-lawyer.com', 'zoquila.com'])
    await offer(service, 'live', ['attorneyfinder.com', 'petpantry.de'], 90_000)
  })
  afterAll(() => service.stop())

  async function names(query: string, more: Record<string, string | number> = {}) {
    const path = `/domains/search${queryOf({ q: query, ...more })}`
    const { results } = must(await partner.get(path), 200).body
    return (results as { domain: string }[]).map(({ domain }) => domain)
  }

  test('finds names by their words, by related words, by their label and by slips of it', async () => {
    expect(await names('dog food')).toEqual(
      expect.arrayContaining(['dogfood.com', 'petpantry.com']),
    )
    expect(await names('lawyer')).toEqual(
      expect.arrayContaining(['tax-lawyer.com', 'attorneyfinder.com']),
    )
    expect((await names('petpantry')).slice(0, 2)).toEqual(['petpantry.de', 'petpantry.com'])
    expect(await names('petpantrey')).toContain('petpantry.com')
    for (const slip of ['zoqila', 'zoquilla', 'zoqulia', 'zoqu']) {
      expect(await names(slip), slip).toContain('zoquila.com')
    }
  })

  test('finds nothing for what no name is about, and nothing for no words', async () => {
    expect(await names('qqzzkkwwjj')).toEqual([])
    expect(await names('…')).toEqual([])
  })

  test('keeps to tld and max_price_cents, however few names pass', async () => {
    expect(await names('pet food', { tld: 'de' })).toEqual(['petpantry.de'])
    expect(await names('attorney', { max_price_cents: 89_999 })).not.toContain('attorneyfinder.com')
    expect(await names('attorney', { max_price_cents: 90_000 })).toContain('attorneyfinder.com')
    expect(await names('pet food', { tld: 'museum' })).toEqual([])
  })

  test('sees what was committed before: a listing, its new price, its sale and its refund', async () => {
    await offer(service, 'live', ['otterlagoon.com'], 9_000)
    expect(await names('otter lagoon')).toEqual(['otterlagoon.com'])
    expect(await names('otter lagoon', { max_price_cents: 5_000 })).toEqual([])
    await offer(service, 'live', ['otterlagoon.com'], 5_000)
    expect(await names('otter lagoon', { max_price_cents: 5_000 })).toEqual(['otterlagoon.com'])
    const order = await sold(partner, 'otterlagoon.com')
    expect(await names('otter lagoon')).toEqual([])
    must(await partner.post('/refunds', { public_id: order.public_id }), 201)
    expect(await names('otter lagoon')).toEqual(['otterlagoon.com'])
  })

  test.runIf(onPostgres)('sees at once what another instance has listed', async () => {
    const other = await service.another()
    for (let round = 0; round < 10; round += 1) {
      await offer(other, 'live', [`heronmarsh${round}.com`])
      expect(await names(`heronmarsh${round}`)).toContain(`heronmarsh${round}.com`)
    }
  })
})

describe('postings', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ settings: { searchIndex: 'postgres' } })
  })
  afterAll(() => service.stop())

  /** Each listing's postings as they are, and as its label, status and price would have them. */
  async function differences() {
    const { db } = service.app
    const listings = await db.selectFrom('listings').selectAll().execute()
    const { rows } = await sql<{ posting: string }>`
      select concat_ws(' ', environment, domain, key, cost, price_cents) as posting
      from listing_postings order by 1`.execute(db)
    const expected = listings
      .filter(({ status }) => status === 'listed')
      .flatMap(({ environment, domain, price_cents }) => {
        const words = splitLabel(labelOf(domain))
        const { keys, cost } = postingColumns(environment, domain, words)
        return keys
          .slice(1, -1)
          .split(',')
          .map((key) => `${environment} ${domain} ${key} ${cost} ${price_cents}`)
      })
      .toSorted()
    const found = rows.map(({ posting }) => posting).toSorted()
    return {
      missing: expected.filter((one) => !found.includes(one)),
      surplus: found.filter((one, at) => one === found[at - 1] || !expected.includes(one)),
    }
  }

  test('are those of what is listed, through every change of a listing', async () => {
    const none = { missing: [], surplus: [] }
    expect(await differences()).toEqual(none)
    const partner = await service.partner({ environment: 'live' })
    await offer(service, 'live', ['badgervalley.com', 'ferretcastle.com', 'zoquila.net'], 9_000)
    await offer(service, 'live', ['badgervalley.com'], 7_000)
    expect(await differences()).toEqual(none)
    const order = await sold(partner, 'ferretcastle.com')
    expect(await differences()).toEqual(none)
    must(await partner.post('/refunds', { public_id: order.public_id }), 201)
    expect(await differences()).toEqual(none)
    for (const [method, path, body] of [
      ['PUT', 'badgervalley.com/freeze', { environment: 'live', reason: 'Stolen.' }],
      ['DELETE', 'badgervalley.com/freeze?environment=live', undefined],
      ['DELETE', 'zoquila.net?environment=live', undefined],
    ] as const) {
      must(await service.admin(method, `/listings/${path}`, body), 200)
      expect(await differences(), path).toEqual(none)
    }
  })

  test('are made anew with another lexicon, and begun where there were none', async () => {
    const { db } = service.app
    await sql`update listings set posting_keys = '{1,2}' where domain = 'ferretcastle.com'`.execute(
      db,
    )
    await db.deleteFrom('installation').where('name', '=', 'labels_read_with').execute()
    await readLabels.run(service.app, new AbortController().signal)
    expect(await differences()).toEqual({ missing: [], surplus: [] })

    await sql`delete from listing_postings`.execute(db)
    await db.deleteFrom('installation').where('name', '=', 'listing_postings').execute()
    await offer(service, 'live', ['ottersand.com'])
    expect(await db.selectFrom('listing_postings').selectAll().execute()).toEqual([])
    await sql`update listings set posting_keys = null where domain = 'ottersand.com'`.execute(db)
    await completePostings(service.app)
    expect(await differences()).toEqual({ missing: [], surplus: [] })
  })

  test.runIf(onPostgres)('of a listing that many write at once are written once', async () => {
    await offer(service, 'live', ['marmotridge.com'])
    await Promise.all(
      Array.from({ length: 16 }, async (_, at) => {
        await offer(service, 'live', ['marmotridge.com', `marmotridge${at}.com`], 1_000 + at)
      }),
    )
    expect(await differences()).toEqual({ missing: [], surplus: [] })
  })

  test('are not there for what was rolled back', async () => {
    await expect(
      inTransaction(service.app, async (tx) => {
        await sql`update listings set status = 'sold', ${NOTE_CHANGE} where domain = 'ottersand.com'`.execute(
          tx,
        )
        throw new Error('broken off')
      }),
    ).rejects.toThrow('broken off')
    expect(await differences()).toEqual({ missing: [], surplus: [] })
  })
})
