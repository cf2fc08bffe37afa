import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeSchema } from '../../scripts/describe-schema.ts'
import { closeContext, createContext } from '../../src/context.ts'
import { readSettings } from '../../src/core/settings.ts'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { connectPostgres } from '../../src/db/postgres.ts'
import type { DatabaseServer } from '../../src/db/server.ts'
import { demoPartner } from '../../src/domain/sandbox/demo-partner.ts'
import { seedListings } from '../../src/domain/sandbox/seed.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { send } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import {
  adminCall,
  cleanUp,
  clientFor,
  emptyDatabase,
  newFolder,
  preparedFolder,
  printedCredential,
  type Running,
  start,
  startAndFail,
} from '../support/process.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
afterAll(cleanUp)

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
const ADMIN_TOKEN = 'the-admin-token-of-this-test'

async function expectCommittedSchema(server: DatabaseServer): Promise<void> {
  await migrate(server)
  const described = await describeSchema(server)
  expect(described, 'run `npm run schema`').toBe(
    await readFile(new URL('schema.sql', MIGRATIONS), 'utf8'),
  )
  // A second run finds nothing to do.
  await migrate(server)
  expect(await describeSchema(server)).toBe(described)
}

describe('migrations/schema.sql', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await openEmbedded('memory://')
    await migrate(server)
  })
  afterAll(() => server.close())

  test('is what the migrations make on the embedded database', async () => {
    await expectCommittedSchema(server)
  })

  test.runIf(POSTGRES)('is what the migrations make on PostgreSQL', async () => {
    const database = await emptyDatabase()
    const onPostgres = connectPostgres(database.url, 2)
    await expectCommittedSchema(onPostgres)
    await onPostgres.close()
    await database.drop()
  })

  test('gives no trigger to the tables that Citus can distribute', async () => {
    const tables = [
      'idempotency_keys',
      'listing_postings',
      'listing_watches',
      'listings',
      'nonces',
      'rate_windows',
      'request_log',
      'sandbox_listings',
    ]
    const { rows } = await server.query(
      `select c.relname as table, array_agg(t.tgname::text) filter (where t.tgname is not null) as triggers
      from pg_class c left join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
      where c.relkind = 'r' and c.relname = any($1::text[]) group by 1 order by 1`,
      [tables],
    )
    expect(rows).toEqual(tables.map((table) => ({ table, triggers: null })))
  })

  test('tells every table, column, constraint, index, trigger, function and domain apart', async () => {
    const before = await describeSchema(server)
    let last = before
    for (const change of [
      'alter table nonces add column note text',
      'alter table nonces alter column note set not null',
      "alter table nonces alter column note set default 'none'",
      'alter table nonces add constraint nonces_note_check check (length(note) < 9)',
      'create unique index nonces_note on nonces (note)',
      'alter table partners add unique (email)',
      'create statistics nonces_length on char_length(nonce) from nonces',
      'alter table rate_windows set logged',
      'drop trigger ledger_entries_balance on ledger_entries',
      'create or replace function ledger_must_balance() returns trigger language plpgsql as $$ begin return null; end $$',
      "create domain note as text check (value <> '')",
      'create table notes (note note not null)',
    ]) {
      await server.query(change, [])
      const changed = await describeSchema(server)
      expect(changed, change).not.toBe(last)
      last = changed
    }
    expect(last).not.toBe(before)
    await server.query("create type mood as enum ('good')", [])
    await expect(describeSchema(server)).rejects.toThrow('not described: mood')
  })
})

test('a version that is older than the database does not start on it', async () => {
  const folder = await preparedFolder()
  const database = POSTGRES ? await emptyDatabase() : null
  const server = database
    ? connectPostgres(database.url, 2)
    : await openEmbedded(join(folder, 'database'))
  await migrate(server)
  const newer = ['9998-of-later', '9999-of-later-still']
  await server.query('insert into migrations select unnest($1::text[])', [newer])
  await server.close()

  const { code, stderr } = await startAndFail({
    DATA_DIR: folder,
    ...(database && { DATABASE_URL: database.url }),
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The service did not start\. [^\n]+\n$/)
  expect(stderr).toContain('a newer version, which made 9998-of-later, 9999-of-later-still in it')
  await database?.drop()
})

test.runIf(POSTGRES)('a migration that the database ended for a deadlock begins anew', async () => {
  const database = await emptyDatabase()
  const server = connectPostgres(database.url, 2)
  await migrate(server)
  // As an instance that serves: it holds what the migration comes to, and comes to what that holds.
  const other = await server.acquire()
  await other.query('begin; lock table migrations', [])
  const migrated = migrate(server)
  await pause(300)
  await other.query('select pg_advisory_xact_lock(620831907)', [])
  await other.query('commit', [])
  other.release()
  await migrated
  await server.close()
  await database.drop()
})

describe.runIf(POSTGRES)('two instances that start at once on one empty database', () => {
  test.each([
    ['each with its own folder and one key for both', false],
    ['with one folder for both and nothing set', true],
  ])('%s, make one schema, one seed and one demo partner', async (_, shared) => {
    const database = await emptyDatabase()
    const folder = await newFolder()
    const variables = {
      DATABASE_URL: database.url,
      ...(!shared && { SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'), ADMIN_TOKEN }),
    }
    const instances = await Promise.all(
      [folder, shared ? folder : await newFolder()].map((DATA_DIR) =>
        start({ ...variables, DATA_DIR }),
      ),
    )
    const token = shared ? (await readFile(`${folder}/admin-token`, 'utf8')).trim() : ADMIN_TOKEN

    const shown = instances.map((instance) => printedCredential(instance.stdout()))
    const [credential, ...others] = shown.filter((each) => each !== undefined)
    expect(others).toEqual([])
    if (!credential) throw new Error('neither showed the credential')
    for (const instance of instances) {
      expect(instance.stdout()).toContain(credential.key_id)
      expect(instance.stderr()).toBe('')
      const client = clientFor(instance, credential)
      expect((await client.get('/availability?domain=petpantry.test')).body.available).toBe(true)
      const { body } = await adminCall(instance, token, 'GET', '/partners')
      expect(body.partners).toHaveLength(1)
      const list = `/partners/${body.partners[0].partner_id}/credentials`
      const { body: held } = await adminCall(instance, token, 'GET', list)
      expect(held.credentials).toHaveLength(1)
    }
    const [one, two] = await Promise.all(instances.map(publishedKeys))
    expect(one).toBe(two)

    await Promise.all(
      instances.map(async (instance) =>
        expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' }),
      ),
    )
    const server = connectPostgres(database.url, 2)
    const count = async (from: string) =>
      (await server.query(`select count(*)::int as n from ${from}`, [])).rows[0]?.n
    const files = (await readdir(MIGRATIONS)).filter((name) => /^\d/.test(name))
    expect(await count('migrations')).toBe(files.length)
    const csv = await readFile(new URL('../seed/sandbox-listings.csv', MIGRATIONS), 'utf8')
    expect(await count("listings where environment = 'sandbox'")).toBe(
      csv.trim().split('\n').length - 1,
    )
    expect(await count("listings where environment = 'live'")).toBe(0)
    expect(await count('signing_keys')).toBe(1)
    await server.close()
    await database.drop()
  })
})

test.runIf(POSTGRES)('instances that meet at every step of the start agree on each', async () => {
  const database = await emptyDatabase()
  const settings = readSettings({ SECRETS_KEY: Buffer.alloc(32, 5).toString('base64') })
  const log = pino({ level: 'silent' })
  const houses = await Promise.all(
    [1, 2, 3].map(() =>
      createContext(settings, connectPostgres(database.url, 2), systemClock, log),
    ),
  )
  await Promise.all(houses.map((app) => seedListings(app, 'sandbox')))
  const shown = await Promise.all(houses.map(demoPartner))
  expect(shown.filter(({ secret }) => secret !== null)).toHaveLength(1)
  expect(new Set(shown.map(({ key_id }) => key_id)).size).toBe(1)
  expect(new Set(houses.map(({ signingKey }) => JSON.stringify(signingKey.jwks))).size).toBe(1)
  const { rows } = await houses[0]!.server.query(
    "select name from partners where name = 'Demo partner'",
    [],
  )
  expect(rows).toEqual([{ name: 'Demo partner' }])
  await Promise.all(houses.map(closeContext))
  await database.drop()
})

async function publishedKeys({ baseUrl }: Running): Promise<string> {
  return (await send(baseUrl, { method: 'GET', target: '/.well-known/jwks.json' })).text
}

describe.runIf(POSTGRES)('with DATABASE_OWNER_URL', () => {
  const OWNER = POSTGRES ?? ''
  let database: { url: string; drop(): Promise<void> }
  let lesser: string
  const role = `service_${randomBytes(4).toString('hex')}`

  beforeAll(async () => {
    database = await emptyDatabase()
    await onOwner((client) => client.query(`create role ${role} login password 'a password'`))
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'a password' })
    lesser = url.href
  })
  afterAll(async () => {
    await database.drop()
    await onOwner((client) => client.query(`drop role ${role}`), OWNER)
  })

  async function onOwner(work: (client: pg.Client) => Promise<unknown>, url = database.url) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await work(client).finally(() => client.end())
  }

  const variables = async () => ({
    DATABASE_URL: lesser,
    DATABASE_OWNER_URL: database.url,
    DATA_DIR: await newFolder(),
    SECRETS_KEY: Buffer.alloc(32, 6).toString('base64'),
    ADMIN_TOKEN,
  })

  test('the service serves as a role that cannot change tables or the audit log', async () => {
    const given = await variables()
    const running = await start(given)
    const { body: made } = await adminCall(running, ADMIN_TOKEN, 'POST', '/partners', {
      name: 'Least',
      email: 'least@example.com',
    })
    const imported = await send(running.baseUrl, {
      method: 'POST',
      target: '/api/admin/v1/listings/import?environment=sandbox',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
      body: 'domain,price\nleast-privilege.com,100\n',
    })
    expect([made.name, imported.status]).toEqual(['Least', 200])
    const client = new pg.Client({ connectionString: lesser })
    await client.connect()
    const denied: string[] = []
    for (const statement of [
      'alter table audit_entries disable trigger all',
      'alter table ledger_entries disable trigger all',
      "set session_replication_role = 'replica'",
      "update audit_entries set actor = 'nobody'",
      'delete from audit_entries',
      'truncate ledger_entries',
      'drop table orders',
      "insert into migrations values ('9999')",
      'create table other (id int)',
    ]) {
      await client.query(statement).catch((error) => denied.push(error.code))
    }
    // Statistics it renews after an import, by a function of the owner.
    await client.query('select analyze_market()')
    const { rows } = await client.query(
      "select relname from pg_class where relname in ('listings', 'listing_postings') and reltuples >= 0",
    )
    await client.end()
    expect(rows).toHaveLength(2)
    expect(denied).toEqual(Array(9).fill('42501'))
    await running.stop()
    // It starts again, with nothing to migrate.
    await (await start(given)).stop()
  })

  test('instances that start at once do not stop each other', async () => {
    const settings = readSettings(await variables())
    const log = pino({ level: 'silent' })
    for (let round = 0; round < 3; round += 1) {
      const houses = await Promise.all(
        [1, 2, 3].map(() => createContext(settings, connectPostgres(lesser, 2), systemClock, log)),
      )
      await Promise.all(houses.map(closeContext))
    }
  })

  test('the owner itself cannot serve', async () => {
    const ended = await startAndFail({ ...(await variables()), DATABASE_URL: database.url })
    expect(ended.stderr + ended.stdout).toContain('Create another role for the service')
  })

  test('an owner that may not make tables is named', async () => {
    const empty = await emptyDatabase()
    const DATABASE_OWNER_URL = lesser.replace(new URL(lesser).pathname, new URL(empty.url).pathname)
    const given = { ...(await variables()), DATABASE_URL: empty.url, DATABASE_OWNER_URL }
    const ended = await startAndFail(given).finally(() => empty.drop())
    expect(ended.stderr).toMatch(
      /DATABASE_OWNER_URL: the role \S+ may not create tables\. Grant it CREATE .*swap the two URLs/,
    )
  })

  test('an owner of another database is named before anything is made there', async () => {
    const empty = await emptyDatabase()
    const given = { ...(await variables()), DATABASE_OWNER_URL: empty.url }
    const ended = await startAndFail(given).finally(() => empty.drop())
    expect(ended.stderr).toContain('DATABASE_OWNER_URL and DATABASE_URL are two databases')
  })

  test('a role that may not migrate says which setting is missing', async () => {
    const { DATABASE_OWNER_URL: _, ...given } = await variables()
    const ended = await startAndFail(given)
    expect(ended.stderr).toMatch(
      /DATABASE_URL rejected a statement: permission denied for schema public\. .*set DATABASE_OWNER_URL/,
    )
  })
})

test('DATABASE_OWNER_URL is rejected without DATABASE_URL', () => {
  const DATABASE_OWNER_URL = 'postgres://owner@localhost/market'
  expect(() => readSettings({ DATABASE_OWNER_URL })).toThrow('needs DATABASE_URL')
})
