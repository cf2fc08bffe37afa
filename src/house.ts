import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BadSetting } from './config.ts'
import { type Database, kyselyOver } from './kernel/database/dialect.ts'
import { migrate } from './kernel/database/migrate.ts'
import type { DatabaseServer } from './kernel/database/server.ts'
import type { House, Log } from './kernel/house.ts'
import { createMail, smtpTransport } from './kernel/mail.ts'
import type { Settings } from './kernel/settings.ts'
import { loadSigningKey } from './kernel/signing-key.ts'
import type { Clock } from './lib/clock.ts'
import { createGuardedHttp } from './lib/guarded-http.ts'
import { newSecret } from './lib/ids.ts'
import { createSecretBox, type SecretBox } from './lib/secret-box.ts'
import { createSiteProbe } from './modules/brokerage/site-probe.ts'
import { isHeld } from './modules/holdings/holding.ts'
import { findListing } from './modules/inventory/listing.ts'
import { createPayments } from './modules/payments/payments.ts'
import { createLiveRegistry } from './modules/registry/live-registry.ts'
import { fillPriceBook } from './modules/registry/price-book.ts'
import { createSimulatedRegistry } from './modules/registry/simulated-registry.ts'
import { startSearch } from './modules/search/start-search.ts'

const PROOF = 'the secrets key fits'

/** Builds the house on an open database: schema, secrets key, signing key. */
export async function buildHouse(
  settings: Settings,
  server: DatabaseServer,
  clock: Clock,
  log: Log,
): Promise<House> {
  await migrate(server)
  const db = kyselyOver(server)
  const secrets = createSecretBox(await secretsKey(settings, db))
  await proveKey(db, secrets)
  const signingKey = await loadSigningKey({ db, server, secrets, clock })
  await fillPriceBook(db, clock)
  const http = createGuardedHttp()
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
  const payments = createPayments(settings, clock)
  const mail = createMail(db, clock, log, smtpTransport(settings))
  return {
    settings,
    clock,
    server,
    db,
    secrets,
    signingKey,
    http,
    registry,
    search,
    sites,
    payments,
    mail,
    log,
  }
}

/** Whoever sells a name owns it, and so does a user who holds one. */
async function isOwned(db: Database, domain: string): Promise<boolean> {
  const [listing, held] = await Promise.all([findListing(db, 'live', domain), isHeld(db, domain)])
  return listing !== undefined || held
}

export async function leaveHouse(house: House): Promise<void> {
  await house.search.stop()
  await house.registry.close()
  await house.http.close()
  await house.db.destroy()
}

/** The admin token: the operator's own, or one made on first start and kept in the data folder. */
export function adminToken(settings: Settings): string {
  return settings.adminToken ?? kept(join(settings.dataDir, 'admin-token'), () => newSecret())
}

async function secretsKey(settings: Settings, db: Database): Promise<Uint8Array> {
  if (settings.secretsKey) return settings.secretsKey
  const file = join(settings.dataDir, 'secrets.key')
  // The proof first: another instance on this folder writes the file before it.
  if ((await readProof(db)) && !existsSync(file)) {
    throw new BadSetting(
      `SECRETS_KEY is not set and ${file} is missing, but this database was made with a key. ` +
        'Set SECRETS_KEY to that key, or put the file back.',
    )
  }
  const text = kept(file, () => randomBytes(32).toString('base64'))
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32) throw new BadSetting(`${file} does not hold 32 bytes in base64.`)
  return key
}

/** Stops the start when the key is another than the one that the database's secrets are sealed with. */
async function proveKey(db: Database, secrets: SecretBox): Promise<void> {
  const proof = secrets.seal(PROOF, 'installation').toString('base64')
  await db
    .insertInto('installation')
    .values({ name: 'secrets_key', value: proof })
    .onConflict((known) => known.doNothing())
    .execute()
  try {
    secrets.open(Buffer.from((await readProof(db)) ?? '', 'base64'), 'installation')
  } catch {
    throw new BadSetting(
      'SECRETS_KEY does not fit this database: its secrets were sealed with another key.',
    )
  }
}

async function readProof(db: Database): Promise<string | undefined> {
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
