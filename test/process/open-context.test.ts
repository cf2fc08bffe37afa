import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { closeContext, openContext } from '../../src/context.ts'
import { readSettings } from '../../src/core/settings.ts'
import { allInterfaces } from '../../src/lib/hold-port.ts'
import { createLog } from '../../src/log.ts'
import { databaseProblem } from '../../src/open-database.ts'
import { POSTGRES } from '../support/database.ts'

// A first start makes its database, which takes a slow machine half a minute.
vi.setConfig({ testTimeout: 180_000 })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marketplace-house-'))
})
afterAll(() => rm(folder, { recursive: true }))

const log = createLog('silent', { write() {} })

/** What a start with these settings says when it fails. */
async function problem(variables: Record<string, string>): Promise<string> {
  const settings = readSettings({ DATA_DIR: folder, ...variables })
  const error = await openContext(settings, log).then(
    () => undefined,
    (failure: unknown) => databaseProblem(failure, settings),
  )
  return error instanceof Error ? error.message : 'it opened'
}

test('the embedded database is for its owner alone, in a folder that is for everybody too', async () => {
  const DATA_DIR = join(folder, 'open')
  await mkdir(join(DATA_DIR, 'database'), { recursive: true, mode: 0o755 })
  const { app, lock } = await openContext(readSettings({ DATA_DIR }), log)
  expect((await stat(join(DATA_DIR, 'database'))).mode & 0o777).toBe(0o700)
  await closeContext(app)
  lock?.release()
})

test('what a start that was killed had made of a database is made anew', async () => {
  const DATA_DIR = join(folder, 'killed')
  await mkdir(join(DATA_DIR, 'database.new-a1b2c3', 'base'), { recursive: true })
  const { app, lock } = await openContext(readSettings({ DATA_DIR }), log)
  expect((await readdir(DATA_DIR)).toSorted()).toEqual(['database', 'lock', 'secrets.key'])
  await closeContext(app)
  lock?.release()
})

test('a damaged embedded database is named as what it is', async () => {
  const DATA_DIR = join(folder, 'damaged')
  await mkdir(join(DATA_DIR, 'database'), { recursive: true })
  await writeFile(join(DATA_DIR, 'database', 'PG_VERSION'), 'none\n')
  const says = await problem({ DATA_DIR })
  expect(says).toMatch(/^The embedded database in .*\/damaged\/database cannot be opened: /)
  expect(says).toMatch(/disk is full.*backup/)
  expect(says).not.toMatch(/DATABASE_URL|undefined/)
})

test('a certificate that DATABASE_URL names and that is not there is a fault of DATABASE_URL', async () => {
  const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none?sslmode=require&sslrootcert=/nope'
  expect(await problem({ DATABASE_URL })).toMatch(/^DATABASE_URL: ENOENT.*\/nope/)
})

const NOWHERE = 'postgres://nobody@127.0.0.1:1/none'

test('a certificate that DATABASE_OWNER_URL names is no part of DATA_DIR', async () => {
  const DATABASE_OWNER_URL = `${NOWHERE}?sslmode=require&sslrootcert=/nope`
  expect(await problem({ DATABASE_URL: NOWHERE, DATABASE_OWNER_URL })).toMatch(
    /^DATABASE_OWNER_URL: ENOENT.*\/nope/,
  )
})

test.runIf(POSTGRES)('an owner that cannot be reached is no fault of DATABASE_URL', async () => {
  const DATABASE_URL = POSTGRES ?? ''
  expect(await problem({ DATABASE_URL, DATABASE_OWNER_URL: NOWHERE })).toMatch(
    /^The database at DATABASE_OWNER_URL cannot be reached: connect ECONNREFUSED/,
  )
})

test.runIf(POSTGRES)('a server that rejects the connection was reached', async () => {
  const at = new URL(POSTGRES ?? '')
  at.pathname = '/none_of_ours'
  expect(await problem({ DATABASE_URL: at.href })).toBe(
    'The server at DATABASE_URL rejected the connection: database "none_of_ours" does not exist. Create it with createdb, or name another.',
  )
})

test.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])(
  'all interfaces are those of IPv4 where IPv6 is not to be had (%s)',
  async (code) => {
    const refuse = async () => {
      throw Object.assign(new Error('listen'), { code })
    }
    expect(await allInterfaces(refuse)).toBe('0.0.0.0')
  },
)

test('any other trouble with listening is told', async () => {
  const refuse = async () => {
    throw Object.assign(new Error('listen'), { code: 'EACCES' })
  }
  await expect(allInterfaces(refuse)).rejects.toThrow('listen')
})
