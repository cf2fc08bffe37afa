import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { readLabels } from '../../src/domain/listings/read-labels.ts'
import { NOTE_CHANGE } from '../../src/domain/listings/write-listings.ts'
import type { PartnerClient } from '../support/client.ts'
import { queryOf } from '../support/inputs.ts'
import { must, offer } from '../support/market.ts'
import { quote, sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const onPostgres = process.env.TEST_DATABASE_URL !== undefined

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  // What an index in memory takes trouble for; candidate-index.test.ts has what every index promises.
  service = await startService({ settings: { searchIndex: 'memory' } })
  partner = await service.partner()
})
afterAll(() => service.stop())

async function search(client: PartnerClient, parameters: Record<string, string | number>) {
  return must(await client.get(`/domains/search${queryOf(parameters)}`), 200).body.results as {
    domain: string
    price_cents: number
    available: boolean
  }[]
}
const names = async (client: PartnerClient, q: string) =>
  (await search(client, { q })).map(({ domain }) => domain)

describe('a search sees what was committed before it', () => {
  test('an import, a new price, a reservation, a sale and a refund', async () => {
    await offer(service, 'sandbox', ['otterlagoon.test'], 9_000)
    const parameters = { q: 'otter lagoon', max_price_cents: 5_000 }
    expect(await search(partner, parameters)).toEqual([])
    await offer(service, 'sandbox', ['otterlagoon.test'], 5_000)
    expect(await search(partner, parameters)).toMatchObject([
      { domain: 'otterlagoon.test', price_cents: 5_000, available: true },
    ])
    const held = await quote(partner, 'otterlagoon.test')
    expect(await search(partner, parameters)).toMatchObject([{ available: false }])
    must(await partner.delete(`/quotes/${held.quote_id}`), 200)
    const order = await sold(partner, 'otterlagoon.test')
    expect(await search(partner, parameters)).toEqual([])
    must(await partner.post('/refunds', { public_id: order.public_id }), 201)
    expect(await search(partner, parameters)).toMatchObject([{ available: true }])
  })

  test.runIf(onPostgres)('however much was changed, and by how few transactions', async () => {
    const count = 48_000
    const list = (from: number, to: number) => sql`
      insert into listings (environment, domain, label, tld, price_cents, floor_price_cents, currency,
        status, metadata, tokens, listed_at, updated_at)
      select 'sandbox', 'puffincliff' || at || '.test', 'puffincliff' || at, 'test', 100, 100, 'USD', 'listed',
        '{}', array['puffin', 'cliff', at::text], now(), now() from generate_series(${from}::int, ${to}::int) at`
    for (const [from, to] of [
      [0, 24_000],
      [24_000, 36_000],
      [36_000, count],
    ] as const) {
      await inTransaction(service.app, async (tx) => {
        for (let at = from; at < to; at += 4_000) await list(at + 1, at + 4_000).execute(tx)
      })
    }
    await list(count + 1, count + 10).execute(service.app.db)
    for (let at = 1; at <= count + 10; at += 999) {
      expect(await names(partner, `puffincliff${at}`)).toContain(`puffincliff${at}.test`)
    }
    // No statement of the service's own takes as long as one of all would, and none may.
    for (let rest = 1n; rest > 0n; ) {
      const { numAffectedRows = 0n } = await sql`
        delete from listings where (environment, domain) in (
          select environment, domain from listings where label like 'puffincliff%' limit 4000)`.execute(
        service.app.db,
      )
      rest = numAffectedRows
    }
  })

  test.runIf(onPostgres)('on another instance too', async () => {
    const other = await service.another()
    // Live, where a sale by one partner is seen by all.
    const here = await service.partner({ environment: 'live' })
    const there = await other.partner({ environment: 'live' })
    for (let round = 0; round < 10; round += 1) {
      await offer(service, 'live', [`heronmarsh${round}.test`])
      expect(await names(there, `heronmarsh${round}`)).toContain(`heronmarsh${round}.test`)
    }
    await sold(here, 'heronmarsh3.test')
    expect(await names(there, 'heronmarsh3.test')).not.toContain('heronmarsh3.test')
  })

  test.runIf(onPostgres)('though it began before others and ended after them', async () => {
    const list = (domain: string) => sql`
      insert into listings (environment, domain, label, tld, price_cents, floor_price_cents, currency,
        status, metadata, tokens, listed_at, updated_at)
      select 'sandbox', ${domain}, 'badgervalley', 'test', 100, 100, 'USD', 'listed', '{}',
        '{badger,valley}', now(), now()`
    await inTransaction(service.app, async (tx) => {
      await list('badgervalley.test').execute(tx)
      await list('badgervalley2.test').execute(service.app.db)
      expect(await names(partner, 'badger valley')).toEqual(['badgervalley2.test'])
    })
    expect(await names(partner, 'badger valley')).toEqual(
      expect.arrayContaining(['badgervalley.test', 'badgervalley2.test']),
    )
  })

  test.runIf(onPostgres)('and reads nothing again while an old transaction runs', async () => {
    const { app } = service
    const rowsRead = async () => {
      const { rows } = await sql<{ rows: number }>`
        select idx_tup_fetch::int as rows from pg_stat_user_tables where relname = 'listings'`.execute(
        app.db,
      )
      return rows[0]?.rows ?? 0
    }
    await inTransaction(app, async (tx) => {
      await sql`select pg_current_xact_id()`.execute(tx)
      await sql`
        insert into listings (environment, domain, label, tld, price_cents, floor_price_cents, currency,
          status, metadata, tokens, listed_at, updated_at)
        select 'live', 'gannetcove' || at || '.test', 'gannetcove' || at, 'test', 100, 100, 'USD',
          'listed', '{}', array['gannet', 'cove', at::text], now(), now()
        from generate_series(1, 4000) at`.execute(app.db)
      await names(partner, 'gannet cove')
      // The server tells what a connection has read once a second.
      const pause = () => sql`select pg_sleep(1.1)`.execute(tx)
      await pause()
      await Promise.all(Array.from({ length: 8 }, () => names(partner, 'gannet cove')))
      const before = await rowsRead()
      await pause()
      for (let looks = 0; looks < 20; looks += 1) await names(partner, 'gannet cove')
      await pause()
      await Promise.all(Array.from({ length: 8 }, () => names(partner, 'gannet cove')))
      expect((await rowsRead()) - before).toBeLessThan(20_000)
    })
    await sql`delete from listings where label like 'gannetcove%'`.execute(app.db)
  })
})

test('labels are read when they are listed, and anew with another lexicon', async () => {
  await offer(service, 'sandbox', ['ferretcastle.test'])
  const tokens = async () =>
    (
      await service.app.db
        .selectFrom('listings')
        .select('tokens')
        .where('domain', '=', 'ferretcastle.test')
        .executeTakeFirstOrThrow()
    ).tokens
  expect(await tokens()).toEqual(['ferret', 'castle'])

  await sql`update listings set tokens = null, ${NOTE_CHANGE} where domain = 'ferretcastle.test'`.execute(
    service.app.db,
  )
  await sql`delete from installation where name = 'labels_read_with'`.execute(service.app.db)
  await readLabels.run(service.app, new AbortController().signal)
  expect(await tokens()).toEqual(['ferret', 'castle'])
  expect(await names(partner, 'ferret castle')).toEqual(['ferretcastle.test'])
  // The other version of a rolling upgrade has read them all its way; this one begins to, and is stopped.
  const { db } = service.app
  await db
    .updateTable('installation')
    .set({ value: 'of the other version' })
    .where('name', '=', 'labels_read_with')
    .execute()
  const stopping = {
    looks: 0,
    get aborted() {
      return (this.looks += 1) > 1
    },
  }
  await readLabels.run(service.app, stopping as unknown as AbortSignal)
  const readWith = db.selectFrom('installation').where('name', '=', 'labels_read_with')
  expect(await readWith.select('value').execute()).toEqual([])
})
