import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { uploadListings } from '../../src/domain/listings/upload-listings.ts'
import { workImports } from '../../src/domain/listings/work-imports.ts'
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts'
import type { PartnerClient } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { must, offer, refusal } from '../support/market.ts'
import { sold } from '../support/sale.ts'
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

const LIVE = 'environment=live&file_name=names.csv'
const upload = (csv: string, query = 'environment=sandbox&file_name=names.csv') =>
  service.send({
    method: 'POST',
    target: `/api/admin/v1/listing-imports?${query}`,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
    body: csv,
  })
const show = async (id: string) =>
  must(await service.admin('GET', `/listing-imports/${id}`), 200).body
const finished = async (id: string) =>
  await vi.waitFor(
    async () => {
      const row = await show(id)
      if (row.finished_at === null) throw new Error(`still ${row.status}`)
      return row
    },
    { timeout: 60_000, interval: 100 },
  )

/** How many rows the database's planner takes a table to have; -1 when it was never analyzed. */
async function estimatedRows(table: string): Promise<number> {
  const { rows } = await sql<{ reltuples: number }>`
    select reltuples from pg_class where relname = ${table}`.execute(service.app.db)
  return rows[0]?.reltuples ?? -1
}

describe('POST /listing-imports', () => {
  test('of many names renews the statistics that searches are planned by', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `bg-many-${at}.test,10000\n`)
    const { import_id } = must(await upload(many.join('')), 202).body
    await finished(import_id)
    expect(await estimatedRows('listings')).toBeGreaterThanOrEqual(5_000)
    expect(await estimatedRows('listing_postings')).toBeGreaterThanOrEqual(0)
  })

  test('takes a file in, loads it in the background, and keeps its bad rows', async () => {
    await offer(service, 'live', ['bg-known.test', 'bg-sold.test'])
    await sold(live, 'bg-sold.test')
    const csv = [
      'domain,price_cents,floor_price_cents,currency',
      'bg-new.test,10000,8000,USD',
      'bg-known.test,12000,,',
      'not a domain,1,,',
      'bg-bad.test,-5,,USD',
      'bg-sold.test,500,,',
    ].join('\n')
    const { import_id } = must(await upload(csv, LIVE), 202).body
    const row = await finished(import_id)
    expect(row).toMatchObject({
      status: 'done',
      environment: 'live',
      file_name: 'names.csv',
      created_by: 'admin token',
      progress: 1,
      rows: 5,
      imported: 2,
      created: 1,
      updated: 1,
      skipped_sold: 1,
      rejected_count: 2,
      error: null,
    })
    expect(row.rejected).toEqual([
      {
        line: 4,
        field: 'domain',
        issue: '"not a domain" is not a domain name',
        row: 'not a domain,1,,',
      },
      { line: 5, field: 'price_cents', issue: expect.any(String), row: 'bg-bad.test,-5,,USD' },
    ])
    expect((await live.get('/domains/bg-new.test')).body.price_cents).toBe(10_000)
    const file = await service.send({
      method: 'GET',
      target: `/api/admin/v1/listing-imports/${import_id}`,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/csv' },
    })
    expect(file.text).toContain('line,field,issue,row\r\n4,domain,')
    expect(await partsLeft()).toBe(0)
  }, 30_000)

  test('gives bad rows in a file that no spreadsheet runs', async () => {
    const rows = ['=1+1', '+1', '-1', '@SUM(1)']
    const { import_id } = must(await upload(rows.join('\n')), 202).body
    await finished(import_id)
    const { text } = await service.send({
      method: 'GET',
      target: `/api/admin/v1/listing-imports/${import_id}`,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/csv' },
    })
    const cells = text.split('\r\n').slice(1, -1)
    expect(cells.map((line) => line.slice(line.lastIndexOf(',') + 1))).toEqual(
      rows.map((row) => `'${row}`),
    )
  }, 30_000)

  test('one file after the other, oldest first', async () => {
    const first = must(await upload('queue-a.test,1,,'), 202).body.import_id
    const second = must(await upload('queue-a.test,2,,'), 202).body.import_id
    await finished(second)
    expect((await show(first)).status).toBe('done')
    expect((await partner.get('/domains/queue-a.test')).body.price_cents).toBe(2)
    const { imports } = must(await service.admin('GET', '/listing-imports?limit=2'), 200).body
    expect(imports.map(({ import_id }: { import_id: string }) => import_id)).toEqual([
      second,
      first,
    ])
    const page = must(await service.admin('GET', '/listing-imports?status=done&limit=1'), 200).body
    for (const [status, code] of [
      ['done', undefined],
      ['failed', 'invalid_cursor'],
    ]) {
      const query = `status=${status}&limit=1&cursor=${page.next_cursor}`
      expect(refusal(await service.admin('GET', `/listing-imports?${query}`)).code).toBe(code)
    }
  }, 30_000)

  test('a part that two load at once is counted once', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `twice-${index}.test,100,,`)
    const { import_id } = must(await upload(`${rows.join('\n')}\nnonsense,1,,\n`), 202).body
    const { signal } = new AbortController()
    await Promise.all([workImports.run(service.app, signal), workImports.run(service.app, signal)])
    const row = await finished(import_id)
    expect(row).toMatchObject({ status: 'done', rows: 5_001, imported: 5_000, rejected_count: 1 })
    expect(row.rejected).toHaveLength(1)
  }, 30_000)

  test('rejects what is no list, and says so in the import too', async () => {
    expect(refusal(await upload('a.test,1,,', 'environment=moon'))).toEqual({
      status: 400,
      code: 'validation_error',
    })
    expect(refusal(await upload('x'.repeat(400_000)))).toEqual({
      status: 400,
      code: 'validation_error',
    })
    const { imports } = must(await service.admin('GET', '/listing-imports?status=failed'), 200).body
    expect(imports[0].error).toContain('a line is far too long')
    expect(await partsLeft()).toBe(0)
    expect(refusal(await service.admin('GET', '/listing-imports/imp_0')).status).toBe(404)
  })

  test('rejects a header of other columns before it loads anything', async () => {
    const csv = 'domain,floor_price_cents,price_cents\nqueue-misread.test,1,2\n'
    const id = must(await upload(csv), 202).body.import_id
    expect(await finished(id)).toMatchObject({
      status: 'failed',
      rows: 0,
      error: expect.stringContaining('must name the columns domain,price_cents,'),
    })
    expect((await partner.get('/domains/queue-misread.test')).status).toBe(404)
    expect(await partsLeft()).toBe(0)
  }, 30_000)

  test('an upload that nobody goes on with has failed', async () => {
    const now = service.app.clock.now()
    await service.app.db
      .insertInto('listing_imports')
      .values({
        id: 'imp_00000000000000000000000001',
        environment: 'sandbox',
        file_name: null,
        status: 'uploading',
        created_by: 'admin token',
        created_at: now,
        updated_at: now,
        finished_at: null,
        total_bytes: null,
        done_bytes: 0,
        rows: 0,
        imported: 0,
        created: 0,
        updated: 0,
        skipped_sold: 0,
        rejected_count: 0,
        error: null,
      })
      .execute()
    service.clock.advance(11 * MINUTE)
    const row = await finished('imp_00000000000000000000000001')
    expect(row).toMatchObject({ status: 'failed', error: expect.stringContaining('broke off') })
  }, 30_000)

  test('an import that was under way when the service went away goes on, however long that was', async () => {
    const { import_id } = must(await upload('long-gone.test,100,,'), 202).body
    await service.app.db
      .updateTable('listing_imports')
      .set({ status: 'running', updated_at: new Date(service.app.clock.now().getTime() - HOUR) })
      .where('id', '=', import_id)
      .execute()
    expect(await finished(import_id)).toMatchObject({ status: 'done', imported: 1, error: null })
  }, 30_000)

  test('what comes of an upload after it was ended is rejected', async () => {
    const { resolve: goOn, promise: silence } = pending()
    const { resolve: isStored, promise: stored } = pending()
    async function* slowly() {
      yield Buffer.from('late-a.test,1,,\n'.repeat(20_000))
      isStored()
      await silence
      yield Buffer.from('late-b.test,1,,\n')
    }
    const uploading = uploadListings(
      service.app,
      { environment: 'sandbox', fileName: 'late.csv', csv: slowly() },
      {
        actor: { name: 'admin token', userId: null, person: 'admin token', role: 'admin' },
        requestId: 'req_late',
      },
    )
    const rejected = expect(uploading).rejects.toMatchObject({ code: 'conflict' })
    await stored
    const { id } = await service.app.db
      .selectFrom('listing_imports')
      .select('id')
      .where('file_name', '=', 'late.csv')
      .executeTakeFirstOrThrow()
    service.clock.advance(11 * MINUTE)
    await finished(id)
    goOn()
    await rejected
    expect(await finished(id)).toMatchObject({ status: 'failed' })
    expect(await partsLeft()).toBe(0)
  }, 30_000)

  test.skipIf(!POSTGRES)(
    'waits for rows that somebody else holds',
    async () => {
      await service.list('sandbox', 'held.test,100,,')
      let id = ''
      await inTransaction(service.app, async (tx) => {
        await sql`select from listings where domain = 'held.test' for update`.execute(tx)
        id = must(await upload('held.test,200,,'), 202).body.import_id
        for (let second = 0; second < 4; second++) {
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          await sql`select 1`.execute(tx)
        }
      })
      expect(await finished(id)).toMatchObject({ status: 'done', updated: 1 })
    },
    30_000,
  )

  test('an import that was streamed stands in the list as well', async () => {
    await service.list('sandbox', 'streamed.test,100,,\nnonsense,1,,')
    const { imports } = must(await service.admin('GET', '/listing-imports?limit=1'), 200).body
    expect(imports[0]).toMatchObject({
      status: 'done',
      file_name: null,
      rows: 2,
      imported: 1,
      rejected_count: 1,
    })
    expect((await show(imports[0].import_id)).rejected[0].row).toBe('nonsense,1,,')
  })

  test('goes on where it was when the service starts anew, and keeps line numbers over parts', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `bulk-${index}.example,${index + 1},,`,
    )
    lines[5] = 'bro\u0000ken,,'
    lines[15_000] = 'broken,,'
    // What is known, and what was sold, in the first part and in the last.
    const known = ['bulk-0.example', 'bulk-19998.example']
    const gone = ['bulk-1.example', 'bulk-19999.example']
    await offer(service, 'live', [...known, ...gone])
    for (const domain of gone) await sold(live, domain)
    const { import_id } = must(await upload(lines.join('\n'), LIVE), 202).body
    expect(await partsLeft()).toBeGreaterThan(1)
    service = await service.restart()
    const row = await finished(import_id)
    expect(row).toMatchObject({
      status: 'done',
      rows: 20_000,
      imported: 19_996,
      created: 19_994,
      updated: 2,
      skipped_sold: 2,
      rejected_count: 2,
    })
    expect(row.rejected.map(({ line }: { line: number }) => line)).toEqual([6, 15_001])
    const bytes = await service.app.db
      .selectFrom('listing_imports')
      .select(['done_bytes', 'total_bytes'])
      .where('id', '=', import_id)
      .executeTakeFirstOrThrow()
    expect(bytes.done_bytes).toBe(bytes.total_bytes)
  }, 120_000)

  test('an import is kept for 90 days after its end, with its bad rows', async () => {
    const { import_id } = must(await upload('no name,1\n'), 202).body
    await finished(import_id)
    service.clock.advance(89 * DAY)
    await purged()
    expect((await show(import_id)).rejected).toHaveLength(1)
    service.clock.advance(2 * DAY)
    await purged()
    must(await service.admin('GET', `/listing-imports/${import_id}`), 404)
    const kept = service.app.db.selectFrom('listing_import_rejections').select('line')
    expect(await kept.where('import_id', '=', import_id).execute()).toEqual([])
  }, 60_000)
})

/** Runs the job that removes imports, and waits for its end. */
async function purged(): Promise<void> {
  const job = 'purge_listing_watches'
  const began = service.clock.now()
  must(await service.admin('POST', `/jobs/${job}/run`), 202)
  await vi.waitFor(
    async () => {
      const { jobs } = must(await service.admin('GET', '/jobs'), 200).body
      const { finished_at } = jobs.find(({ name }: { name: string }) => name === job)
      expect(new Date(finished_at).getTime()).toBeGreaterThanOrEqual(began.getTime())
    },
    { timeout: 20_000, interval: 100 },
  )
}

function pending() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

async function partsLeft(): Promise<number> {
  const { count } = await service.app.db
    .selectFrom('listing_import_parts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
