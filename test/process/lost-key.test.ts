import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { POSTGRES } from '../support/database.ts'
import { must } from '../support/market.ts'
import {
  adminCall,
  cleanUp,
  cli,
  clientFor,
  emptyDatabase,
  newFolder,
  preparedFolder,
  printedCredential,
  type Running,
  start,
  startAndFail,
} from '../support/process.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
afterAll(cleanUp)
afterAll(closeReceivers)

const ADMIN_TOKEN = 'the-admin-token-of-this-test'
const scopes = ['search', 'buy', 'embed', 'broker', 'webhook']

describe.runIf(POSTGRES)('a database whose SECRETS_KEY was lost', () => {
  test('goes on with a new one, by the book', async () => {
    const database = await emptyDatabase()
    const receiver = await startReceiver()
    const settings = async (byte: number) => ({
      DATABASE_URL: database.url,
      DATA_DIR: await newFolder(),
      ADMIN_TOKEN,
      SECRETS_KEY: Buffer.alloc(32, byte).toString('base64'),
    })
    const up = async (byte: number) => start(await settings(byte))
    const admin = async (service: Running, path: string, body: object) =>
      (await adminCall(service, ADMIN_TOKEN, 'POST', path, body)).body
    const credential = async (service: Running, partner: string) =>
      clientFor(
        service,
        await admin(service, `/partners/${partner}/credentials`, {
          environment: 'sandbox',
          scopes,
        }),
      )
    const hook = { url: receiver.url, secret: 'a-secret-of-some-length' }

    const before = await up(1)
    const { partner_id } = await admin(before, '/partners', { name: 'P', email: 'p@example.com' })
    const old = await credential(before, partner_id)
    must(await old.put('/api/partner/webhooks', hook), 200)
    // With another key by mistake, while it runs.
    const mistaken = await cli(['secrets', 'forget', '--yes'], await settings(2))
    expect(mistaken).toMatchObject({ code: 1, stdout: '' })
    expect(mistaken.stderr).toMatch(/^error: stop every instance first: /)
    must(await old.get('/orders'), 200)
    const order = await sold(old, 'petpantry.test')
    const asked = { domain: 'wanted.example', tier: 'managed', buyer_email: 'b@example.com' }
    const opened = must(await old.post('/brokerage', { ...asked, budget: 9_000 }), 201).body
    await before.stop()

    expect((await startAndFail(await settings(2))).stderr).toContain('SECRETS_KEY does not fit')
    const { SECRETS_KEY: _, ...keyless } = await settings(2)
    const noKey = await cli(['secrets', 'forget', '--yes'], keyless)
    expect(noKey).toMatchObject({ code: 1, stdout: '' })
    expect(noKey.stderr).toMatch(/^error: set SECRETS_KEY to the key to go on with/)
    expect(await readdir(keyless.DATA_DIR)).toEqual([])
    const preview = await cli(['--json', 'secrets', 'forget'], await settings(2))
    expect(preview.code).toBe(1)
    expect(preview.stderr).toMatch(/^error: nothing was given up yet\. .* --yes\n$/)
    const forgot = await cli(['--json', 'secrets', 'forget', '--yes'], await settings(2))
    expect(forgot).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(forgot.stdout).rows).toMatchObject({ credentials: 2, brokerage_cases: 1 })
    expect(forgot.stdout).toBe(preview.stdout)
    // Nothing fits now but the key that it was given.
    expect((await startAndFail(await settings(1))).stderr).toContain('SECRETS_KEY does not fit')

    const service = await up(2)
    expect((await clientFor(service, old.credential).get('/orders')).status).toBe(401)
    const client = await credential(service, partner_id)
    expect(must(await client.get(`/orders/${order.public_id}`), 200).body).toEqual(order)
    const seen = must(await client.get(`/brokerage/${opened.case_id}`), 200).body
    expect(seen.progress_url).toMatch(/\/case\//)
    expect(seen.progress_url).not.toBe(opened.progress_url)
    must(await client.put('/api/partner/webhooks', hook), 200)
    const delivered = receiver.got.length
    await sold(client, 'getdogstore.test')
    expect((await receiver.until(delivered + 1, 20_000)).event.type).toBe('order.recorded')
    await service.stop()
    await database.drop()
  })
})

test('an embedded database goes on with a new key file', async () => {
  const DATA_DIR = await preparedFolder()
  const before = await start({ DATA_DIR })
  const busy = await cli(['secrets', 'forget', '--yes'], { DATA_DIR })
  expect(busy.stderr).toMatch(/is in use by process/)
  await before.stop()
  const file = join(DATA_DIR, 'secrets.key')
  await rm(file)
  expect((await startAndFail({ DATA_DIR })).stderr).toContain('secrets.key is missing')
  const noKey = await cli(['secrets', 'forget', '--yes'], { DATA_DIR })
  expect(noKey.stderr).toContain(`or write it to ${file}`)
  await writeFile(file, Buffer.alloc(32, 2).toString('base64'))
  expect(await cli(['secrets', 'forget', '--yes'], { DATA_DIR })).toMatchObject({ code: 0 })
  const service = await start({ DATA_DIR })
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  must(await clientFor(service, credential).get('/orders'), 200)
})

test('what no service has made is not made by forgetting', async () => {
  const DATA_DIR = await newFolder()
  const SECRETS_KEY = Buffer.alloc(32, 2).toString('base64')
  const embedded = await cli(['secrets', 'forget', '--yes'], { DATA_DIR, SECRETS_KEY })
  expect(embedded.stderr).toMatch(/^error: there is no database in /)
  expect(await readdir(DATA_DIR)).toEqual([])
})

test.runIf(POSTGRES)('a database is looked at before it is migrated', async () => {
  const database = await emptyDatabase()
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: await newFolder(),
    SECRETS_KEY: Buffer.alloc(32, 2).toString('base64'),
  }
  const forgetIn = (...options: string[]) => cli(['secrets', 'forget', ...options], settings)
  expect((await forgetIn('--yes')).stderr).toMatch(/^error: this database is not of this service/)
  await (await start(settings)).stop()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const last = '(select max(name) from migrations)'
  await client.query(`create table last_one as select ${last} as name`)
  await client.query(`update migrations set name = '9999-newer' where name = ${last}`)
  expect((await forgetIn('--yes')).stderr).toContain('belongs to a newer version')
  await client.query("delete from migrations where name = '9999-newer'")
  expect((await forgetIn()).stderr).toMatch(/^error: the database is of an older version/)
  await client.query('insert into migrations select name from last_one')
  const lease = "update scheduled_jobs set leased_until = now() + interval '15 seconds'"
  await client.query(`${lease} where name = (select min(name) from scheduled_jobs)`)
  expect((await forgetIn('--yes')).stderr).toMatch(/^error: .* one runs the job \w+, or was killed/)
  await client.end()
  await database.drop()
})
