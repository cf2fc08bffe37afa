import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrateDatabase, presentKeys, proveKey } from '../context.ts'
import { BadSetting, readSettings, type Settings } from '../core/settings.ts'
import { FolderTaken } from '../db/folder-lock.ts'
import { MIGRATION_LOCK, missingMigrations } from '../db/migrate.ts'
import type { DatabaseServer, Session } from '../db/server.ts'
import { inTransaction } from '../db/transaction.ts'
import { type Forgotten, forgetSecrets } from '../domain/secrets/forget-secrets.ts'
import { systemClock } from '../lib/clock.ts'
import { createSecretBox, type SecretBox } from '../lib/secret-box.ts'
import { databaseProblem, openDatabase } from '../open-database.ts'
import { Failed, type Terminal } from './terminal.ts'

const NOTHING_DONE =
  'error: nothing was given up yet. It cannot be undone: have a backup, and repeat this with --yes'

/** Lets a database whose key was lost go on with the one that is set. */
export async function forget(
  { print }: Pick<Terminal, 'print'>,
  { yes = false }: { yes?: boolean },
): Promise<void> {
  const settings = readSettings(process.env)
  const secrets = newKey(settings)
  const folder = join(settings.dataDir, 'database')
  if (!settings.databaseUrl && !existsSync(join(folder, 'PG_VERSION'))) {
    throw new Failed(`error: there is no database in ${folder}: set DATA_DIR or DATABASE_URL`)
  }
  try {
    const { server, lock } = await openDatabase(settings)
    try {
      await prepare(server, settings, yes)
      print(await forgetIn(server, secrets, yes))
    } finally {
      await server.close()
      lock?.release()
    }
  } catch (error) {
    const problem = databaseProblem(error, settings)
    if (problem instanceof BadSetting || problem instanceof FolderTaken) {
      throw new Failed(`error: ${problem.message}`)
    }
    throw problem
  }
  if (!yes) throw new Failed(NOTHING_DONE)
}

/** Never one made up on the way: with a key that is unset by mistake, nothing would open. */
function newKey(settings: Settings): SecretBox {
  const [first, ...older] = presentKeys(settings)
  if (first) return createSecretBox(first, ...older)
  const file = join(settings.dataDir, 'secrets.key')
  throw new Failed(
    `error: set SECRETS_KEY to the key to go on with, or write it to ${file}: openssl rand -base64 32`,
  )
}

async function prepare(server: DatabaseServer, settings: Settings, yes: boolean): Promise<void> {
  const session = await server.acquire()
  let missing: string[]
  try {
    const { rows } = await session.query("select to_regclass('scheduled_jobs') as jobs", [])
    if (rows[0]?.jobs === null) {
      throw new Failed('error: this database is not of this service, or was never started on')
    }
    // The lock of its folder says the same of an embedded one.
    if (server.kind === 'postgresql') await rejectLive(session)
    const applied = await session.query('select name from migrations', [])
    missing = await missingMigrations(applied.rows.map(({ name }) => String(name)))
  } finally {
    session.release()
  }
  if (missing.length === 0) return
  if (!yes) {
    throw new Failed(
      'error: the database is of an older version, so what would be given up is not known. ' +
        'With --yes it is migrated first: have a backup',
    )
  }
  await migrateDatabase(settings, server)
}

/** An instance that goes on with the lost key would seal with it what nobody can open. */
async function rejectLive(session: Session): Promise<void> {
  const connected = await session.query(
    `select count(*)::int as connections from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name = current_setting('application_name')`,
    [],
  )
  const connections = Number(connected.rows[0]?.connections)
  if (connections > 0) {
    throw new Failed(
      `error: stop every instance first: the service has ${connections} connections to this database`,
    )
  }
  const leased = await session.query(
    'select name from scheduled_jobs where leased_until > $1 limit 1',
    [systemClock.now()],
  )
  const [job] = leased.rows
  if (job) {
    throw new Failed(
      `error: stop every instance first: one runs the job ${String(job.name)}, or was killed less than 15 seconds ago`,
    )
  }
}

/** Undoes the transaction that it ends. */
class Preview extends Error {
  readonly forgotten: Forgotten

  constructor(forgotten: Forgotten) {
    super()
    this.forgotten = forgotten
  }
}

async function forgetIn(
  server: DatabaseServer,
  secrets: SecretBox,
  yes: boolean,
): Promise<Forgotten> {
  try {
    return await inTransaction({ server }, async (tx) => {
      // A start waits for it, and then finds that its key does not fit.
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
      const forgotten = await forgetSecrets({ tx, now: systemClock.now(), app: { secrets } })
      if (!yes) throw new Preview(forgotten)
      await proveKey(tx, secrets)
      return forgotten
    })
  } catch (error) {
    if (error instanceof Preview) return error.forgotten
    throw error
  }
}
