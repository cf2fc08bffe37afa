import { readdir, readFile } from 'node:fs/promises'
import { type DatabaseServer, isSqlError, type Session } from './server.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
/** An arbitrary number that no other advisory lock here uses. */
export const MIGRATION_LOCK = 620_831_907
/** Instances that serve meanwhile hold some tables and wait for others, as a migration does. */
const DEADLOCK = '40P01'
const MAX_TRIES = 5

/** The database has been migrated by a version that knows more than this one. */
export class NewerSchema extends Error {}

/**
 * Brings the schema up to date: each `migrations/*.sql` once, in order of name, all of them or none, never
 * back. Of several instances that start at once one migrates and the others wait for it, however long.
 * @param last what each start does behind them, in the same transaction
 */
export async function migrate(
  server: DatabaseServer,
  last: (session: Session) => Promise<void> = async () => {},
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(server, last)
    } catch (error) {
      const isDeadlock = isSqlError(error) && error.code === DEADLOCK
      if (!isDeadlock || tries === MAX_TRIES) throw error
    }
  }
}

async function migrateOnce(
  server: DatabaseServer,
  last: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await server.acquirePatient()
  try {
    await session.query(
      'begin; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0',
      [],
    )
    await session.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await applyMissing(session)
    await last(session)
    await session.query('commit', [])
    session.release()
  } catch (error) {
    // A connection of its own: what it began ends with it.
    await session.query('rollback', []).catch(() => {})
    session.release(true)
    throw error
  }
}

async function applyMissing(session: Session): Promise<void> {
  await session.query('create table if not exists migrations (name text primary key)', [])
  const { rows } = await session.query('select name from migrations order by name', [])
  for (const name of await missingMigrations(rows.map((row) => String(row.name)))) {
    await session.query(await readFile(new URL(`${name}.sql`, FOLDER), 'utf8'), [])
    await session.query('insert into migrations values ($1)', [name])
  }
}

/** The names of those that are still to be applied, in order; a `NewerSchema` error when the database is ahead. */
export async function missingMigrations(applied: readonly string[]): Promise<string[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}-.*\.sql$/.test(file)).toSorted()
  const names = files.map((file) => file.replace('.sql', ''))
  const newer = applied.filter((name) => !names.includes(name))
  // Money may depend on a column that this version does not know.
  if (newer.length > 0) throw new NewerSchema(newer.join(', '))
  return names.filter((name) => !applied.includes(name))
}
