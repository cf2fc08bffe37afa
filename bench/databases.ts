import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { lexiconFingerprint } from 'domain-marketplace-name-search'
import pg from 'pg'
import { migrate } from '../src/db/migrate.ts'
import { connectPostgres } from '../src/db/postgres.ts'
import { newKeyPair, sealSecret } from '../src/domain/partners/credential.ts'
import { createSecretBox } from '../src/lib/secret-box.ts'
import { type Batch, type BenchCredential, listingName, PRICE_CENTS } from './workload.ts'

export interface Field {
  serverUrl: string
  listings: number
  credentials: BenchCredential[]
}

/** The key that the measured service opens its secrets with. */
export const SECRETS_KEY = randomBytes(32).toString('base64')

/** A database of one contender, with a connection of the run's own to it. */
export interface BenchDatabase {
  url: string
  client: pg.Client
}

const undo: (() => Promise<void>)[] = []

export async function createDatabase(
  serverUrl: string,
  label: string,
  template = 'template1',
): Promise<BenchDatabase> {
  const name = `marketplace_bench_${label}_${randomBytes(3).toString('hex')}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await onServer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => {})
  undo.push(() => onServer(serverUrl, `drop database ${name} with (force)`))
  await client.connect()
  return { url: url.href, client }
}

/** Drops every database that was made, also those of a start that failed. */
export async function dropDatabases(): Promise<void> {
  templates.clear()
  await Promise.all(undo.splice(0).map((drop) => drop()))
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

export async function migrateDatabase(url: string): Promise<void> {
  const server = connectPostgres(url, 1)
  await migrate(server)
  await server.close()
}

export function makeCredentials(partners: number): BenchCredential[] {
  return Array.from({ length: partners }, (_, index) => ({
    ...newKeyPair('live'),
    partnerId: `prt_bench_${index}`,
  }))
}

const templates = new Map<string, Promise<string>>()

/** A database with the same partners and listings for every contender: filled once, then copied. */
export async function filledDatabase(
  label: string,
  { serverUrl, credentials, listings }: Field,
): Promise<BenchDatabase> {
  const kind = `${serverUrl} ${listings} ${credentials.length}`
  const template = templates.get(kind) ?? makeTemplate(serverUrl, credentials, listings)
  templates.set(kind, template)
  return await createDatabase(serverUrl, label, await template)
}

async function makeTemplate(
  serverUrl: string,
  credentials: BenchCredential[],
  listings: number,
): Promise<string> {
  const database = await createDatabase(serverUrl, 'template')
  await migrateDatabase(database.url)
  await fill(database, credentials, listings)
  await database.client.end()
  return new URL(database.url).pathname.slice(1)
}

async function fill(
  { client }: BenchDatabase,
  credentials: BenchCredential[],
  listings: number,
): Promise<void> {
  const box = createSecretBox(Buffer.from(SECRETS_KEY, 'base64'))
  for (const { keyId, secret, partnerId } of credentials) {
    await client.query(
      `insert into partners (id, name, email, status, live_approved_at, partner_collected_bps,
        hosted_checkout_bps, referral_bps, created_at)
      values ($1, 'Bench', 'bench@example.com', 'active', now(), 1000, 1000, 500, now())`,
      [partnerId],
    )
    await client.query(
      `insert into credentials (key_id, partner_id, environment, scopes, secret_sealed, status, revision, created_at)
      values ($1, $2, 'live', '{search,buy}', $3, 'active', 1, now())`,
      [keyId, partnerId, sealSecret(box, keyId, secret)],
    )
  }
  await list(
    client,
    Array.from({ length: listings }, (_, index) => listingName(index)),
  )
  // Else the service would read a million labels anew while it is measured.
  await client.query(`insert into installation values ('labels_read_with', $1)`, [
    lexiconFingerprint(),
  ])
  await client.query('vacuum analyze')
}

/** A listing and a running quote for every order of the batch, as POST /quotes would leave them. */
export async function prepareSales({ client }: BenchDatabase, batch: Batch): Promise<void> {
  if (batch.kind !== 'order') return
  await client.query(
    `with made as (
      select 'sale-' || $1 || '-' || i || '.com' as domain, 'qt_' || $1 || '_' || i as id,
        ($2::text[])[1 + i % array_length($2::text[], 1)] as partner_id
      from generate_series(0, $3 - 1) as i
    ), listed as (
      insert into listings
      select 'live', domain, split_part(domain, '.', 1), 'com', $4, $4, 'USD', 'listed', id,
        now() + interval '10 minutes', '{}', now(), now()
      from made
    )
    insert into quotes
    select id, partner_id, 'live', domain, $4, 'USD', 'active', now(), now() + interval '10 minutes'
    from made`,
    [batch.name, batch.credentials.map((one) => one.partnerId), batch.count, PRICE_CENTS],
  )
  // As autovacuum would: else plans made while the tables were empty stay, and scan them.
  await client.query('vacuum analyze')
}

async function list(client: pg.Client, domains: string[]): Promise<void> {
  await client.query(
    `insert into listings
    select 'live', domain, split_part(domain, '.', 1), 'com', $2, $2, 'USD', 'listed', null, null,
      '{}', now(), now()
    from unnest($1::text[]) as domain`,
    [domains, PRICE_CENTS],
  )
}

/** How many of each record of a sale are there; all must be as many as orders were responded to with 201. */
export async function countSales({ client }: BenchDatabase): Promise<number[]> {
  const { rows } = await client.query<{ records: string }>(`
    select count(*) as records from orders union all
    select count(*) from quotes where status = 'consumed' union all
    select count(*) from listings where status = 'sold' union all
    select count(*) from ledger_transactions union all
    select count(*) / 2 from ledger_entries union all
    select sum(count) from sale_days union all
    select sum(last_position) from event_streams union all
    select count(*) from events union all
    select count(*) from idempotency_keys where status = 201 and body is not null`)
  return rows.map(({ records }) => Number(records))
}

/**
 * Milliseconds of CPU that the database's own processes have used; null when they are not at hand.
 *
 * @param withOwn count the connection of the run too
 */
export async function databaseCpu(
  { client }: BenchDatabase,
  withOwn = false,
): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
    where datname = current_database() and ($1 or pid <> pg_backend_pid())`,
    [withOwn],
  )
  try {
    const ticks = await Promise.all(rows.map(({ pid }) => ticksOf(pid)))
    return ticks.reduce((sum, value) => sum + value, 0) * 10
  } catch {
    return null
  }
}

/** User and system time of a process from Linux's /proc, in hundredths of a second. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  if (!stat.includes('(postgres)')) throw new Error('not on this machine')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
