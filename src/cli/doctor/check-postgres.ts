import pg from 'pg'
import { BadSetting, type Settings } from '../../core/settings.ts'
import { missingMigrations, NewerSchema } from '../../db/migrate.ts'
import { APPLICATION_NAME, connectPostgres } from '../../db/postgres.ts'
import { DatabaseUnavailable } from '../../db/server.ts'
import { SECOND, systemClock } from '../../lib/clock.ts'
import { ADDED_TO, rejectOwner, roleOf } from '../../migrate-as-owner.ts'
import { databaseReason } from '../../open-database.ts'
import { keyFits, newerDatabase, PROOF, WRONG_KEY } from './check-database.ts'
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
/** Of those that the role may not use. */
const SHOWN_TABLES = 5

/** The database of DATABASE_URL, and whether DATABASE_OWNER_URL can migrate it. */
export async function checkPostgres(
  connectionString: string,
  settings: Settings,
): Promise<Finding[]> {
  const { databaseOwnerUrl } = settings
  let client: pg.Client
  try {
    client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS })
    client.on('error', () => {})
    await client.connect()
  } catch (error) {
    return [problem(databaseReason('DATABASE_URL', new DatabaseUnavailable(error)))]
  }
  try {
    const found = await examine(client, settings)
    if (databaseOwnerUrl === undefined) return found
    return [...found, ...(await checkOwner(databaseOwnerUrl, connectionString))]
  } catch (error) {
    return [problem(databaseReason('DATABASE_URL', error))]
  } finally {
    await client.end()
  }
}

/** What the next start would find wrong with the role that it migrates as; the database itself responds. */
async function checkOwner(ownerUrl: string, databaseUrl: string): Promise<Finding[]> {
  const owner = connectPostgres(ownerUrl, 1)
  const service = connectPostgres(databaseUrl, 1)
  try {
    await rejectOwner(await roleOf(service), owner)
    return []
  } catch (error) {
    if (error instanceof BadSetting) return [problem(error.message)]
    return [problem(databaseReason('DATABASE_OWNER_URL', error))]
  } finally {
    await Promise.all([owner.close(), service.close()])
  }
}

interface State {
  version: number
  now: Date
  standby: boolean
  read_only: boolean
  encoding: string
  unsafe: string[] | null
  /** The addresses of instances that are connected. */
  instances: number
  connections: number
  role_connections: number
  database_connections: number
  may_create: boolean
  migrated: boolean
  may_read: boolean
  /** Of the tables, where this role cannot change them. */
  table_owner: string | null
}

async function examine(client: pg.Client, settings: Settings): Promise<Finding[]> {
  const asked = systemClock.now()
  const { rows } = await client.query<State>(`select
    current_setting('server_version_num')::int as version, now() as now,
    pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as read_only,
    current_setting('server_encoding') as encoding,
    (select array_agg(name) from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off') as unsafe,
    (select count(distinct coalesce(host(client_addr), ''))::int from pg_stat_activity
      where application_name = ${pg.escapeLiteral(APPLICATION_NAME)}
        and usename = current_user and datname = current_database()) as instances,
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int as connections,
    (select rolconnlimit from pg_roles where rolname = current_user) as role_connections,
    (select datconnlimit from pg_database where datname = current_database()) as database_connections,
    coalesce(has_schema_privilege(current_user, 'public', 'create'), false) as may_create,
    to_regclass('migrations') is not null as migrated,
    coalesce(has_table_privilege(to_regclass('migrations'), 'select'), false) as may_read,
    (select pg_get_userbyid(relowner) from pg_class
      where oid = to_regclass('migrations') and not pg_has_role(relowner, 'usage')) as table_owner`)
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
  if (state.read_only) {
    found.push(
      problem(
        'default_transaction_read_only is on, so that nothing can be written: reset it, of the role or of the database.',
      ),
    )
  }
  if (state.encoding !== 'UTF8') {
    found.push(
      problem(
        `The encoding of the database is ${state.encoding}, in which not every name can be kept: load it into one with UTF8.`,
      ),
    )
  }
  if (state.unsafe) {
    found.push(
      problem(
        `${state.unsafe.join(' and ')} of PostgreSQL is off: orders that were confirmed may be lost. Switch it on.`,
      ),
    )
  }
  found.push(...(await checkSchema(client, state, settings)), ...checkConnections(state, settings))
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
      : clock.ok('this machine and the database agree'),
  ]
}

/** A limit of -1 is none. Instances at several addresses may have pools of other sizes. */
function checkConnections(state: State, { databasePoolSize }: Settings): Finding[] {
  const isOne = state.instances <= 1
  const each = databasePoolSize + OTHER_CONNECTIONS
  const needed = isOne ? each : each * state.instances
  const who = isOne ? 'One instance opens' : `Instances at ${state.instances} addresses open`
  const limits = [
    ['max_connections, without those of superusers,', state.connections],
    ['the CONNECTION LIMIT of its role', state.role_connections],
    ['the CONNECTION LIMIT of the database', state.database_connections],
  ] as const
  return limits
    .filter(([, limit]) => limit >= 0 && needed > limit)
    .map(([name, limit]) =>
      (isOne ? problem : warning)(
        `${who} up to ${needed} connections, and ${name} is ${limit}: raise it, or lower DATABASE_POOL_SIZE.`,
      ),
    )
}

async function checkSchema(
  client: pg.Client,
  { migrated, may_create, may_read, table_owner }: State,
  settings: Settings,
): Promise<Finding[]> {
  const { databaseOwnerUrl } = settings
  if (databaseOwnerUrl === undefined && !may_create) {
    return [
      problem(
        'The role of DATABASE_URL may not create tables, which each start must: grant it CREATE on the schema public, or set DATABASE_OWNER_URL.',
      ),
    ]
  }
  if (!migrated) return []
  if (databaseOwnerUrl === undefined) {
    const locked = await lockedTables(client)
    if (locked.length > 0) {
      return [
        problem(
          `The role of DATABASE_URL may not read and write ${namesOf(locked)}: grant it SELECT, INSERT, UPDATE and DELETE, or set DATABASE_OWNER_URL, with which each start does.`,
        ),
      ]
    }
  } else if (!may_read) {
    // The next start grants it.
    return []
  }
  const { rows } = await client.query('select name from migrations')
  try {
    const missing = await missingMigrations(rows.map(({ name }) => name))
    if (missing.length > 0 && databaseOwnerUrl === undefined && table_owner !== null) {
      return [
        problem(
          `The next start migrates, and the tables belong to ${table_owner}: set DATABASE_OWNER_URL to that role.`,
        ),
      ]
    }
    if (missing.length > 0) {
      const changes = missing.length === 1 ? '1 change' : `${missing.length} changes`
      return [warning(`The next start migrates: ${changes}. Back up before it.`)]
    }
  } catch (error) {
    if (!(error instanceof NewerSchema)) throw error
    return [problem(newerDatabase(error.message))]
  }
  const proof = await client.query<{ value: string }>(PROOF)
  return keyFits(proof.rows[0]?.value, settings) ? [] : [problem(WRONG_KEY)]
}

function namesOf(tables: string[]): string {
  const others = tables.length - SHOWN_TABLES
  const shown = tables.slice(0, SHOWN_TABLES).join(', ')
  return others > 0 ? `${shown} and ${others} more` : shown
}

/** The tables of the service that its role may not use as it must. */
async function lockedTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relowner = (select relowner from pg_class where oid = to_regclass('migrations'))
        and relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not (has_table_privilege(oid, 'select') and (relname = 'migrations' or (
          has_table_privilege(oid, 'insert') and (relname = any($1) or (
            has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))))))
      order by relname`,
    [ADDED_TO],
  )
  return rows.map(({ name }) => name)
}
