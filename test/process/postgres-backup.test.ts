import { execFile } from 'node:child_process'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { POSTGRES } from '../support/database.ts'
import { installed } from '../support/installed.ts'
import {
  adminCall,
  cleanUp,
  clientFor,
  emptyDatabase,
  newFolder,
  printedCredential,
  start,
} from '../support/process.ts'
import { sold } from '../support/sale.ts'

const run = promisify(execFile)
const SCRIPTS = fileURLToPath(new URL('../../deploy/backup/', import.meta.url))
const DAY_MS = 86_400_000
const SETTINGS = {
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_TOKEN: 'the-admin-token-of-this-test',
}

vi.setConfig({ testTimeout: 240_000 })
afterAll(cleanUp)

/** A script of deploy/backup, with its database as libpq reads it. */
async function script(
  name: string,
  url: string,
  variables: Record<string, string>,
  ...args: string[]
) {
  const { hostname, port, username, password, pathname } = new URL(url)
  return run('sh', [join(SCRIPTS, name), ...args], {
    env: {
      PATH: process.env.PATH,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
      ...variables,
    },
  }).catch((error) => error)
}

/** How many rows each table has, but for the log of requests: it is written some time after each response. */
async function counts(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      "select tablename from pg_tables where schemaname = 'public' and tablename <> 'request_log' order by tablename",
    )
    const found: Record<string, number> = {}
    for (const { tablename } of rows) {
      const { rows: counted } = await client.query(`select count(*)::int as n from "${tablename}"`)
      found[tablename] = counted[0].n
    }
    return found
  } finally {
    await client.end()
  }
}

describe.skipIf(!POSTGRES || !installed('pg_dump'))('deploy/backup, on PostgreSQL', () => {
  test('a market that was lost is restored: nothing is missing', async () => {
    const BACKUPS = await newFolder()
    const before = await emptyDatabase()
    const first = await start({
      ...SETTINGS,
      DATABASE_URL: before.url,
      DATA_DIR: await newFolder(),
    })
    const credential = printedCredential(first.stdout())
    if (!credential) throw new Error('no credential')
    const order = await sold(clientFor(first, credential), 'aquariumatlas.example')

    const old = join(BACKUPS, 'marketplace-20200101T000000Z.dump')
    const other = join(BACKUPS, 'notes.txt')
    for (const file of [old, other]) {
      await writeFile(file, '')
      const then = new Date(Date.now() - 31 * DAY_MS)
      await utimes(file, then, then)
    }
    // While the service runs.
    const backedUp = await script('backup.sh', before.url, { BACKUPS })
    expect(backedUp.stderr).toBe('')
    const file = backedUp.stdout.trim()
    const left = (await readdir(BACKUPS)).map((name) => join(BACKUPS, name))
    expect(new Set(left)).toEqual(new Set([file, other]))
    expect((await stat(file)).mode & 0o077).toBe(0)
    await first.stop()
    const all = await counts(before.url)
    expect(all.orders).toBe(1)

    // Nothing is put over what is there.
    const over = await script('restore.sh', before.url, {}, file)
    expect(over.stderr).toMatch(/the database has \d+ tables; restore to an empty one/)

    await before.drop()
    const after = await emptyDatabase()
    const damaged = join(await newFolder(), 'damaged')
    await run('sh', ['-c', 'head -c 50000 "$0" > "$1"', file, damaged])
    expect((await script('restore.sh', after.url, {}, damaged)).stderr).not.toBe('')
    expect(await counts(after.url)).toEqual({})

    expect((await script('restore.sh', after.url, {}, file)).stderr).toBe('')
    expect(await counts(after.url)).toEqual(all)
    const second = await start({
      ...SETTINGS,
      DATABASE_URL: after.url,
      DATA_DIR: await newFolder(),
    })
    const partner = clientFor(second, credential)
    expect((await partner.get(`/orders/${order.public_id}`)).body).toMatchObject({
      public_id: order.public_id,
      domain: 'aquariumatlas.example',
    })
    expect((await partner.get('/domains/aquariumatlas.example')).body.available).toBe(false)
    const orders = await adminCall(second, SETTINGS.ADMIN_TOKEN, 'GET', '/orders')
    expect(orders.status).toBe(200)
  })

  test('a backup that fails leaves no file, and keeps the old ones', async () => {
    const BACKUPS = join(await newFolder(), 'backups')
    await mkdir(BACKUPS)
    const old = join(BACKUPS, 'marketplace-20200101T000000Z.dump')
    await writeFile(old, '')
    const then = new Date(Date.now() - 31 * DAY_MS)
    await utimes(old, then, then)
    const { url } = await emptyDatabase()
    const gone = new URL(url)
    gone.pathname = '/marketplace_test_no_such'
    const failed = await script('backup.sh', gone.href, { BACKUPS })
    expect(failed.code).toBe(1)
    expect(await readdir(BACKUPS)).toEqual(['marketplace-20200101T000000Z.dump'])
  })
})
