import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { fitsProof, keyIn } from '../../context.ts'
import { BadSetting, type Settings } from '../../core/settings.ts'
import { openEmbedded } from '../../db/embedded.ts'
import { FolderTaken, holdFolder } from '../../db/folder-lock.ts'
import { missingMigrations, NewerSchema } from '../../db/migrate.ts'
import { APPLICATION_NAME, connectPostgres } from '../../db/postgres.ts'
import { DatabaseUnavailable } from '../../db/server.ts'
import { SECOND, systemClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { rejectOwner, roleOf } from '../../migrate-as-owner.ts'
import { checkEmbeddings } from './check-embeddings.ts'
import { type Finding, finding } from './finding.ts'

const { ok, warning, problem } = finding('database')
const clock = finding('clock')
const CONNECT_MS = 5 * SECOND
const OLDEST = 15
/** Signed requests allow five minutes; tokens of others less. */
const CLOCK_OFF_MS = 5 * SECOND
/** What an instance opens beside its pool: three that statements share, and one for an import or to migrate with. */
const OTHER_CONNECTIONS = 4
const LITTLE_SPACE = 2 ** 30

export async function checkDatabase(settings: Settings): Promise<Finding[]> {
  return settings.databaseUrl
    ? await checkPostgres(settings.databaseUrl, settings)
    : await checkFolder(settings)
}

/** The folder of the embedded database. While no service has it a copy is opened, since to open it is to write to it. */
async function checkFolder(settings: Settings): Promise<Finding[]> {
  const { dataDir: folder, secretsKeys } = settings
  const database = join(folder, 'database')
  const place = firstThere(folder)
  try {
    accessSync(`${place}/.`, constants.W_OK)
    if (existsSync(database)) accessSync(database, constants.W_OK)
  } catch (error) {
    return [
      problem(
        `DATA_DIR ${folder} cannot be written, ${place} belongs to ${userOf(place)}: ${errorMessage(error)}`,
      ),
    ]
  }
  const { bavail, bsize } = statfsSync(place)
  if (bavail * bsize < LITTLE_SPACE) {
    return [problem(`The disk of DATA_DIR ${folder} has less than 1 GB left.`)]
  }
  if (!secretsKeys && existsSync(database) && !existsSync(join(folder, 'secrets.key'))) {
    return [
      problem(
        `${join(folder, 'secrets.key')} is missing, and the database was made with it: put it back, or set SECRETS_KEY to it.`,
      ),
    ]
  }
  if (!existsSync(join(database, 'PG_VERSION'))) {
    return [ok(`embedded; the first start makes it in ${folder}`)]
  }
  const copy = mkdtempSync(join(tmpdir(), 'marketplace-doctor-'))
  try {
    const stranger = await copyOf(folder, copy)
    if (stranger) return [stranger]
    const proof = await proofIn(copy)
    if (!keyFits(proof, settings)) return [problem(WRONG_KEY)]
    return [...checkUser(database), ok(`embedded, in ${folder}; no service has it open`)]
  } catch (error) {
    if (error instanceof FolderTaken) {
      const unknown = secretsKeys ? ', so that SECRETS_KEY could not be checked' : ''
      const holder = readFileSync(join(folder, 'lock'), 'utf8')
      return [ok(`embedded, in ${folder}; open in ${holder}${unknown}`)]
    }
    return [problem(`A copy of the database in ${folder} cannot be opened: ${errorMessage(error)}`)]
  } finally {
    await rm(copy, { recursive: true })
  }
}

/** A path, or the first folder above it that is there. */
function firstThere(path: string): string {
  return existsSync(path) ? path : firstThere(dirname(resolve(path)))
}

function userOf(path: string): string {
  return `the user ${statSync(path).uid}`
}

/** Copies the database of a data folder, but for files of another user, of which the first is a problem. */
async function copyOf(folder: string, copy: string): Promise<Finding | undefined> {
  const database = join(folder, 'database')
  const owner = userOf(database)
  let stranger: string | undefined
  const lock = holdFolder(folder)
  await cp(database, copy, {
    recursive: true,
    filter(path) {
      if (userOf(path) !== owner) stranger ??= path
      return stranger === undefined
    },
  }).finally(() => lock.release())
  return stranger
    ? problem(
        `${stranger} belongs to ${userOf(stranger)}, and the database to ${owner}: give all of it to the service's user (chown -R).`,
      )
    : undefined
}

/** What root writes to a database the service cannot open. */
function checkUser(database: string): Finding[] {
  if (process.getuid?.() !== 0 || userOf(database) === 'the user 0') return []
  return [
    warning(
      `The database belongs to ${userOf(database)}, and this is root: run the service and its commands as that user.`,
    ),
  ]
}

async function proofIn(database: string): Promise<string | undefined> {
  const server = await openEmbedded(database)
  try {
    const { rows } = await server.query("select to_regclass('installation') as made", [])
    if (rows[0]?.['made'] === null) return undefined
    const found = await server.query(PROOF, [])
    return found.rows[0]?.['value'] as string | undefined
  } finally {
    await server.close()
  }
}

async function checkPostgres(connectionString: string, settings: Settings): Promise<Finding[]> {
  const { databaseOwnerUrl } = settings
  let client: pg.Client
  try {
    client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS })
    client.on('error', () => {})
    await client.connect()
  } catch (error) {
    return [problem(`DATABASE_URL cannot be reached: ${errorMessage(error)}`)]
  }
  try {
    const found = await examine(client, settings)
    if (databaseOwnerUrl === undefined) return found
    return [...found, ...(await checkOwner(databaseOwnerUrl, connectionString))]
  } catch (error) {
    return [problem(`The database rejected a statement: ${errorMessage(error)}`)]
  } finally {
    await client.end()
  }
}

/** What the next start would find wrong with the role that it migrates as; the database itself responds. */
async function checkOwner(ownerUrl: string, databaseUrl: string): Promise<Finding[]> {
  const owner = connectPostgres(ownerUrl, 1)
  const service = connectPostgres(databaseUrl, 1)
  try {
    const session = await owner.acquirePatient()
    try {
      await rejectOwner(await roleOf(service), session)
    } finally {
      session.release(true)
    }
    return []
  } catch (error) {
    if (error instanceof BadSetting) return [problem(error.message)]
    const why = error instanceof DatabaseUnavailable ? error.cause : error
    return [problem(`DATABASE_OWNER_URL cannot be reached: ${errorMessage(why)}`)]
  } finally {
    await Promise.all([owner.close(), service.close()])
  }
}

interface State {
  version: number
  now: Date
  standby: boolean
  unsafe: string[] | null
  /** How many connections the role may have, by its own limit, the database's and the server's. */
  connections: number
  /** The addresses of instances that are connected. */
  instances: number
  may_create: boolean
  migrated: boolean
}

async function examine(client: pg.Client, settings: Settings): Promise<Finding[]> {
  const asked = systemClock.now()
  const { rows } = await client.query<State>(`select
    current_setting('server_version_num')::int as version, now() as now,
    pg_is_in_recovery() as standby,
    (select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1),
        current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int)
      from pg_roles, pg_database
      where rolname = current_user and datname = current_database()) as connections,
    (select count(distinct coalesce(host(client_addr), ''))::int from pg_stat_activity
      where application_name = ${pg.escapeLiteral(APPLICATION_NAME)}
        and usename = current_user and datname = current_database()) as instances,
    (select array_agg(name) from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off') as unsafe,
    coalesce(has_schema_privilege(current_user, 'public', 'create'), false) as may_create,
    to_regclass('migrations') is not null as migrated`)
  const [state] = rows
  if (!state) throw new Error('a statement without conditions has a row')
  const between = (asked.getTime() + systemClock.now().getTime()) / 2
  const major = Math.floor(state.version / 10_000)
  const found: Finding[] = []
  if (major < OLDEST) {
    found.push(problem(`This is PostgreSQL ${major}: version ${OLDEST} or later is needed.`))
  }
  if (state.standby) {
    found.push(problem('DATABASE_URL is a standby, which takes no writes: name the primary.'))
  }
  if (state.unsafe) {
    found.push(
      problem(
        `${state.unsafe.join(' and ')} of PostgreSQL is off: orders that were confirmed may be lost. Switch it on.`,
      ),
    )
  }
  found.push(...(await checkSchema(client, state, settings)))
  const each = settings.databasePoolSize + OTHER_CONNECTIONS
  const needed = each * Math.max(1, state.instances)
  if (needed > state.connections) {
    const isOne = state.instances <= 1
    const who = isOne ? 'One instance' : `Instances at ${state.instances} addresses`
    found.push(
      (isOne ? problem : warning)(
        `${who} may open ${needed} connections, and PostgreSQL gives the role ${state.connections}: lower DATABASE_POOL_SIZE, or raise max_connections or the limit of the role.`,
      ),
    )
  }
  const isWell = found.every(({ result }) => result === 'ok')
  const off = Math.round(Math.abs(state.now.getTime() - between) / SECOND)
  return [
    ...(isWell
      ? [
          ok(
            `PostgreSQL ${major}, ${state.migrated ? 'up to date' : 'without tables until the first start'}, and with the rights that are needed`,
          ),
        ]
      : found),
    ...(await checkEmbeddings(client, settings)),
    off * SECOND > CLOCK_OFF_MS
      ? clock.problem(
          `The clocks of this machine and of the database are ${off} s apart: signatures and tokens are judged by them. Synchronize both (NTP).`,
        )
      : clock.ok('as the database has it'),
  ]
}

async function checkSchema(
  client: pg.Client,
  { migrated, may_create }: State,
  settings: Settings,
): Promise<Finding[]> {
  const mayMigrate = may_create || settings.databaseOwnerUrl !== undefined
  const noRights = problem(
    'The role of DATABASE_URL may not create tables, which the next start must: grant it CREATE on the schema public, or set DATABASE_OWNER_URL.',
  )
  if (!migrated) return mayMigrate ? [] : [noRights]
  const { rows } = await client.query('select name from migrations')
  try {
    const missing = await missingMigrations(rows.map(({ name }) => name))
    if (missing.length > 0 && !mayMigrate) return [noRights]
    if (missing.length > 0) {
      return [warning(`The next start migrates: ${missing.length} changes. Back up before it.`)]
    }
  } catch (error) {
    if (!(error instanceof NewerSchema)) throw error
    return [
      problem(
        `The database belongs to a newer version, which made ${error.message} in it: start that version.`,
      ),
    ]
  }
  const proof = await client.query<{ value: string }>(PROOF)
  return keyFits(proof.rows[0]?.value, settings) ? [] : [problem(WRONG_KEY)]
}

const WRONG_KEY =
  'SECRETS_KEY does not fit this database, or is missing: its secrets were sealed with another key. Set it to that key.'

const PROOF = "select value from installation where name = 'secrets_key'"

function keyFits(proof: string | undefined, { secretsKeys, dataDir }: Settings): boolean {
  if (proof === undefined) return true
  const file = join(dataDir, 'secrets.key')
  if (!secretsKeys && !existsSync(file)) return false
  const [first, ...older] = secretsKeys ?? [keyIn(file)]
  return first !== undefined && fitsProof(createSecretBox(first, ...older), proof)
}
