import { execFile, spawn } from 'node:child_process'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
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
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
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

/** A file that was last written so long ago. */
async function oldFile(file: string, ageMs: number): Promise<string> {
  await writeFile(file, '')
  const then = new Date(Date.now() - ageMs)
  await utimes(file, then, then)
  return file
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

    await oldFile(join(BACKUPS, 'marketplace-20200101T000000Z.dump'), 31 * DAY_MS)
    await oldFile(join(BACKUPS, 'marketplace-20250101T000000Z.dump.part'), 2 * HOUR_MS)
    const other = await oldFile(join(BACKUPS, 'notes.txt'), 31 * DAY_MS)
    const underWay = await oldFile(join(BACKUPS, 'marketplace-20250102T000000Z.dump.part'), 0)
    // While the service runs.
    const backedUp = await script('backup.sh', before.url, { BACKUPS })
    expect(backedUp.stderr).toBe('')
    const file = backedUp.stdout.trim()
    const left = (await readdir(BACKUPS)).map((name) => join(BACKUPS, name))
    expect(new Set(left)).toEqual(new Set([file, other, underWay]))
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

  test.each([
    ['that does not exist', '/marketplace_test_no_such', 'does not exist'],
    ['without tables', '', 'the database has no tables of the service: nothing was backed up'],
  ])('a database %s gives no file, and the old ones stay', async (_, pathname, reason) => {
    const BACKUPS = await newFolder()
    await oldFile(join(BACKUPS, 'marketplace-20200101T000000Z.dump'), 31 * DAY_MS)
    const url = new URL((await emptyDatabase()).url)
    if (pathname) url.pathname = pathname
    const failed = await script('backup.sh', url.href, { BACKUPS })
    expect(failed.code).not.toBe(0)
    expect(failed.stderr).toContain(reason)
    expect(await readdir(BACKUPS)).toEqual(['marketplace-20200101T000000Z.dump'])
  })
})

test('a backup that is stopped leaves no file', async () => {
  const [BACKUPS, programs] = [await newFolder(), await newFolder()]
  const program = (name: string, text: string) =>
    writeFile(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  await program('psql', 'echo migrations')
  await program('pg_dump', 'touch "${2#--file=}"; sleep 60')
  const backup = spawn('sh', [join(SCRIPTS, 'backup.sh')], {
    detached: true,
    env: { PATH: `${programs}:${process.env.PATH}`, BACKUPS },
  })
  const ended = new Promise((resolve) => backup.once('close', resolve))
  await expect.poll(() => readdir(BACKUPS), { timeout: 60_000 }).toHaveLength(1)
  // To all of its processes, as a terminal or systemd stops them.
  if (backup.pid !== undefined) process.kill(-backup.pid, 'SIGTERM')
  expect(await ended).not.toBe(0)
  expect(await readdir(BACKUPS)).toEqual([])
})
