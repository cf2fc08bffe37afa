import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { AppContext } from '../../src/core/context.ts'
import { kyselyOver } from '../../src/db/dialect.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { connectPostgres } from '../../src/db/postgres.ts'
import type { DatabaseServer } from '../../src/db/server.ts'
import { fillPriceBook } from '../../src/domain/registry/price-book.ts'
import { seedListings } from '../../src/domain/sandbox/seed.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { CACHE, cached } from './cached.ts'
import { openRewound } from './rewound-database.ts'

const ROOT = new URL('../../', import.meta.url)
const GUARDS = new URL('guards.sql', import.meta.url)
const LEXICON = new URL('packages/name-search/lexicon/lexicon.bin', ROOT)

/** A PostgreSQL server to run the tests on; without one they run on the embedded database. */
export const POSTGRES = process.env.TEST_DATABASE_URL

export interface TestDatabase {
  server: DatabaseServer
  /** For a second instance on the same database; PostgreSQL only. */
  url: string | undefined
  drop(): Promise<void>
}

let named: Promise<string> | undefined

/** What the schema and the seed are made of: a change makes a new template. */
function templateName(): Promise<string> {
  named ??= nameTemplate()
  return named
}

async function nameTemplate(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [GUARDS, LEXICON]) hash.update(await readFile(file))
  for (const folder of ['migrations/', 'registries/', 'seed/', 'packages/name-search/src/']) {
    const names = (await readdir(new URL(folder, ROOT))).toSorted()
    for (const name of names) hash.update(await readFile(new URL(folder + name, ROOT)))
  }
  return `marketplace_test_${hash.digest('hex').slice(0, 16)}`
}

export async function prepareTemplate(): Promise<void> {
  const name = await templateName()
  if (POSTGRES) await preparePostgres(POSTGRES, name)
  else await prepareDump(name)
}

async function fill(server: DatabaseServer): Promise<void> {
  const db = kyselyOver(server)
  await migrate(server)
  await seedListings({ db, server, clock: systemClock } as AppContext, 'sandbox')
  await fillPriceBook(db, systemClock)
  await server.query(await readFile(GUARDS, 'utf8'), [])
  // There a read may be noted, with the old price, while another connection changes it.
  if (POSTGRES) await server.query('drop trigger listings_check_watches on listings', [])
}

/** Of a database that is copied hundreds of times: what nobody asks for, and a log that each copy would replay. */
const LEAN = [
  'update pg_database set datistemplate = false',
  'drop database template0',
  'drop database template1',
  'set wal_recycle = off',
  'select pg_switch_wal()',
  'checkpoint',
]

async function prepareDump(name: string): Promise<void> {
  await cached(`${name}.tar`, async (draft) => {
    const server = await openEmbedded('memory://')
    await fill(server)
    for (const statement of LEAN) await server.query(statement, [])
    const dump = await server.dump()
    await server.close()
    await writeFile(draft, dump)
  })
}

async function preparePostgres(url: string, name: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount) return
    const draft = `${name}_${randomBytes(4).toString('hex')}`
    await client.query(`create database ${draft}`)
    const server = connectPostgres(withDatabase(url, draft), 2)
    await fill(server)
    await server.close()
    await client.query(`alter database ${draft} rename to ${name}`)
  })
}

/** What `database/` of a data folder holds after the migrations, to be copied. */
export async function migratedFolder(): Promise<string> {
  return await cached(`${await templateName()}.folder`, async (draft) => {
    await mkdir(draft)
    const server = await openEmbedded(draft)
    await migrate(server)
    await server.query('checkpoint', [])
    await server.close()
  })
}

/**
 * A database of one's own, migrated: with the sandbox's inventory, or with what `pg_dump --inserts` wrote of
 * another.
 */
export async function openTestDatabase(dump?: string): Promise<TestDatabase> {
  const database = await (dump === undefined ? copyTemplate() : openEmpty())
  if (dump === undefined) return database
  await database.server.query(dump, [])
  // A dump sets what its own session needs.
  await database.server.query('reset all', [])
  await migrate(database.server)
  return database
}

async function copyTemplate(): Promise<TestDatabase> {
  const template = await templateName()
  if (POSTGRES) return await createDatabase(POSTGRES, template)
  const server = await openRewound(() => readFile(join(CACHE, `${template}.tar`)))
  return { server, url: undefined, drop: () => server.close() }
}

async function openEmpty(): Promise<TestDatabase> {
  return POSTGRES ? await createDatabase(POSTGRES, 'template0') : await openMemory()
}

async function openMemory(): Promise<TestDatabase> {
  const server = await openEmbedded('memory://')
  return { server, url: undefined, drop: () => server.close() }
}

async function createDatabase(postgres: string, template: string): Promise<TestDatabase> {
  const name = `marketplace_test_run_${randomBytes(6).toString('hex')}`
  await onServer(postgres, (client) => client.query(`create database ${name} template ${template}`))
  const url = withDatabase(postgres, name)
  const server = connectPostgres(url, 20)
  return {
    server,
    url,
    async drop() {
      await server.close()
      await onServer(postgres, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Copying a template allows no one else on it, so runs take turns.
    await client.query('select pg_advisory_lock(4242)')
    await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, database: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${database}`
  return parsed.toString()
}
