import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createGuardedHttp } from 'domain-marketplace-safe-fetch'
import { loadBrand } from './core/brand.ts'
import type { AppContext, Log } from './core/context.ts'
import { createMail, smtpTransport } from './core/mail.ts'
import type { Settings } from './core/settings.ts'
import { BadSetting } from './core/settings.ts'
import { loadSigningKey } from './core/signing-key.ts'
import { type Database, kyselyOver } from './db/dialect.ts'
import type { FolderLock } from './db/folder-lock.ts'
import { migrate } from './db/migrate.ts'
import type { DatabaseServer } from './db/server.ts'
import { tracedServer } from './db/traced-server.ts'
import { createSiteProbe } from './domain/brokerage/site-probe.ts'
import { isOwnedDomain } from './domain/domains/owned-domain.ts'
import { findLiveListing } from './domain/listings/listing.ts'
import { createPayments, createPayoutRail } from './domain/payments/registry.ts'
import { createRegistrars } from './domain/registrars/connections.ts'
import { createLiveRegistry } from './domain/registry/live-registry.ts'
import { fillPriceBook } from './domain/registry/price-book.ts'
import { createSimulatedRegistry } from './domain/registry/simulated-registry.ts'
import { seedListings } from './domain/sandbox/seed.ts'
import { startSearch } from './domain/search/start-search.ts'
import { createTax } from './domain/tax/tax.ts'
import type { Clock } from './lib/clock.ts'
import { systemClock } from './lib/clock.ts'
import { createDns } from './lib/dns.ts'
import { newSecret } from './lib/ids.ts'
import { createSecretBox, type SecretBox } from './lib/secret-box.ts'
import { tracedHttp } from './lib/traced-http.ts'
import { migrateAsOwner } from './migrate-as-owner.ts'
import { openDatabase } from './open-database.ts'

/** Sealed in `installation`, so that a key that does not fit is known at start. */
const PROOF = 'the secrets key fits'

interface OpenContext {
  app: AppContext
  /** Of the data folder, while the database is in it. */
  lock: FolderLock | null
}

/** Opens the database that the settings name, and builds the context on it with what ships to be sold. */
export async function openContext(settings: Settings, log: Log): Promise<OpenContext> {
  const { server: opened, lock } = await openDatabase(settings)
  const server = settings.telemetry ? tracedServer(opened) : opened
  const app = await createContext(settings, server, systemClock, log)
  await seedListings(app, 'sandbox')
  if (server.kind === 'embedded') await seedListings(app, 'live')
  return { app, lock }
}

/** Builds the context on an open database: schema, secrets key, signing key. */
export async function createContext(
  settings: Settings,
  server: DatabaseServer,
  clock: Clock,
  log: Log,
): Promise<AppContext> {
  const brand = await loadBrand(settings)
  const tax = createTax(settings)
  await migrateDatabase(settings, server)
  const db = kyselyOver(server)
  const secrets = createSecretBox(...(await secretsKeys(settings, db)))
  await proveKey(db, secrets)
  const signingKey = await loadSigningKey({ db, server, secrets, clock })
  await fillPriceBook(db, clock)
  const http = settings.telemetry ? tracedHttp(createGuardedHttp()) : createGuardedHttp()
  const registry =
    settings.registry === 'live'
      ? createLiveRegistry({
          db,
          clock,
          http,
          log,
          queriesPerMinute: settings.registryQueriesPerMinute,
        })
      : createSimulatedRegistry(clock, (domain) => isOwned(db, domain))
  const search = await startSearch({ db, server, clock, log, settings })
  const sites = createSiteProbe({ db, clock, http })
  const payments = await createPayments(settings, clock)
  const payoutRail = await createPayoutRail(settings)
  const registrars = createRegistrars({ db, secrets, http, clock, log, settings })
  const dns = createDns(settings.dnsServers)
  const mail = createMail(db, clock, log, smtpTransport(settings, brand))
  return {
    settings,
    brand,
    clock,
    server,
    db,
    secrets,
    signingKey,
    http,
    registry,
    registrars,
    dns,
    tax,
    search,
    sites,
    payments,
    payoutRail,
    mail,
    log,
  }
}

/** Brings the schema up to date, by the owner of the tables where that is another role. */
export async function migrateDatabase(
  { databaseOwnerUrl }: Pick<Settings, 'databaseOwnerUrl'>,
  server: DatabaseServer,
): Promise<void> {
  if (databaseOwnerUrl) await migrateAsOwner(databaseOwnerUrl, server)
  else await migrate(server)
}

/** Whoever sells a name owns it, and so does a user who holds one. */
async function isOwned(db: Database, domain: string): Promise<boolean> {
  const [listing, held] = await Promise.all([
    findLiveListing(db, domain),
    isOwnedDomain(db, domain),
  ])
  return listing !== undefined || held
}

export async function closeContext(app: AppContext): Promise<void> {
  await app.search.stop()
  await app.registrars.close()
  await app.registry.close()
  await app.http.close()
  await app.db.destroy()
}

/** The admin token: the operator's own, or one made on first start and kept in the data folder. */
export function adminToken(settings: Settings): string {
  return settings.adminToken ?? kept(join(settings.dataDir, 'admin-token'), () => newSecret())
}

/** The key that seals, and those before it. */
async function secretsKeys(
  settings: Settings,
  db: Database,
): Promise<readonly [Uint8Array, ...Uint8Array[]]> {
  if (settings.secretsKeys) return settings.secretsKeys
  const file = join(settings.dataDir, 'secrets.key')
  // The proof first: another instance on this folder writes the file before it.
  if ((await readProof(db)) && !existsSync(file)) {
    throw new BadSetting(
      `SECRETS_KEY is not set and ${file} is missing, but this database was made with a key. ` +
        'Set SECRETS_KEY to that key, or put the file back.',
    )
  }
  return [keyIn(file)]
}

/** The keys that are set, or the one in the data folder; none where neither is there, and none is made. */
export function presentKeys({
  secretsKeys,
  dataDir,
}: Pick<Settings, 'secretsKeys' | 'dataDir'>): readonly Uint8Array[] {
  const file = join(dataDir, 'secrets.key')
  return secretsKeys ?? (existsSync(file) ? [keyIn(file)] : [])
}

/** The key in a file, which is made when it is missing. */
function keyIn(file: string): Uint8Array {
  const text = kept(file, () => randomBytes(32).toString('base64'))
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32) throw new BadSetting(`${file} does not hold 32 bytes in base64.`)
  return key
}

/** Notes which key the first start had, and stops a start when the key is another than the one that the database's secrets are sealed with. */
export async function proveKey(
  db: Pick<Database, 'insertInto' | 'selectFrom'>,
  secrets: SecretBox,
): Promise<void> {
  const proof = secrets.seal(PROOF, 'installation').toString('base64')
  await db
    .insertInto('installation')
    .values({ name: 'secrets_key', value: proof })
    .onConflict((known) => known.doNothing())
    .execute()
  if (!fitsProof(secrets, (await readProof(db)) ?? '')) {
    throw new BadSetting(
      'SECRETS_KEY does not fit this database: its secrets were sealed with another key.',
    )
  }
}

/** Whether a key is the one that the `secrets_key` of an installation was sealed with. */
export function fitsProof(secrets: SecretBox, proof: string): boolean {
  try {
    return secrets.open(Buffer.from(proof, 'base64'), 'installation') === PROOF
  } catch {
    return false
  }
}

async function readProof(db: Pick<Database, 'selectFrom'>): Promise<string | undefined> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'secrets_key')
    .executeTakeFirst()
  return row?.value
}

/** Reads a file of one line, made when it is missing: whole or not at all, and by one process alone. */
function kept(file: string, make: () => string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${randomBytes(4).toString('hex')}`
    writeFileSync(draft, `${make()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    try {
      linkSync(draft, file)
    } catch (error) {
      // Another instance on the same folder was first.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
  const text = readFileSync(file, 'utf8').trim()
  if (text === '') throw new BadSetting(`${file} is empty: put its content back.`)
  return text
}
