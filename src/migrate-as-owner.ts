import { BadSetting } from './core/settings.ts'
import { migrate } from './db/migrate.ts'
import { connectPostgres } from './db/postgres.ts'
import { type DatabaseServer, DatabaseUnavailable, isSqlError, type Session } from './db/server.ts'
import { errorMessage } from './lib/error-message.ts'

/** Only ever added to, whatever else happens. */
const ADDED_TO = ['audit_entries']

/**
 * Migrates as the owner of the tables, and gives the role of the service what it needs: it can read and write rows, and
 * cannot change tables, nor switch off the triggers that keep the audit log and the ledger append-only.
 */
export async function migrateAsOwner(ownerUrl: string, service: DatabaseServer): Promise<void> {
  const owner = connectPostgres(ownerUrl, 1)
  try {
    await migrate(owner).catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) throw error
      const why = errorMessage(error.cause)
      throw new BadSetting(`The database at DATABASE_OWNER_URL cannot be reached: ${why}`)
    })
    await withSession(owner, async (session) => {
      const role = await serviceRole(service, session)
      await session.query(`grant usage on schema public to ${role}`, [])
      await session.query(
        `grant select, insert, update, delete on all tables in schema public to ${role}`,
        [],
      )
      await session.query(`grant usage on all sequences in schema public to ${role}`, [])
      await session.query(`revoke insert, update, delete on migrations from ${role}`, [])
      await session.query(`revoke update, delete on ${ADDED_TO.join(', ')} from ${role}`, [])
    })
  } catch (error) {
    // The role of the service is only asked for its name.
    if (!isSqlError(error)) throw error
    throw new BadSetting(`DATABASE_OWNER_URL: the database rejected it: ${errorMessage(error)}`)
  } finally {
    await owner.close()
  }
}

/** The quoted name of the role that the service signs in as, once it is known that it is a lesser one. */
export async function serviceRole(service: DatabaseServer, owner: Session): Promise<string> {
  const asked = 'select quote_ident(current_user) as quoted, current_user as name'
  const { quoted, name } = await withSession(service, async (session) => {
    const { rows } = await session.query(asked, [])
    return { quoted: String(rows[0]?.quoted), name: String(rows[0]?.name) }
  })
  const { rows } = await owner.query(
    `select rolsuper or pg_has_role(rolname, current_user, 'member') as may_all
      from pg_roles where rolname = $1`,
    [name],
  )
  if (rows[0]?.may_all !== false) {
    throw new BadSetting(
      `DATABASE_OWNER_URL: the role ${name} of DATABASE_URL is a superuser or the owner itself. ` +
        'Create another role for the service.',
    )
  }
  return quoted
}

async function withSession<T>(
  server: DatabaseServer,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await server.acquirePatient()
  try {
    return await work(session)
  } finally {
    session.release(true)
  }
}
