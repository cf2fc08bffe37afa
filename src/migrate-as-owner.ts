import { BadSetting } from './core/settings.ts'
import { migrate } from './db/migrate.ts'
import { connectPostgres } from './db/postgres.ts'
import { type DatabaseServer, DatabaseUnavailable, isSqlError, type Session } from './db/server.ts'
import { errorMessage } from './lib/error-message.ts'

/** Only ever added to, whatever else happens. */
const ADDED_TO = ['audit_entries']

interface Role {
  name: string
  quoted: string
}

/**
 * Migrates as the owner of the tables, and gives the role of the service what it needs: it can read and write rows, and
 * cannot change tables, nor switch off the triggers that keep the audit log and the ledger append-only.
 */
export async function migrateAsOwner(ownerUrl: string, service: DatabaseServer): Promise<void> {
  const role = await roleOf(service)
  const owner = connectPostgres(ownerUrl, 1)
  try {
    // Behind the same lock: PostgreSQL ends one of two grants on a table that meet.
    await migrate(owner, async (session) => {
      await rejectOwner(role, session)
      const to = role.quoted
      await session.query(`grant usage on schema public to ${to}`, [])
      await session.query(
        `grant select, insert, update, delete on all tables in schema public to ${to}`,
        [],
      )
      await session.query(`grant usage on all sequences in schema public to ${to}`, [])
      await session.query(`revoke insert, update, delete on migrations from ${to}`, [])
      await session.query(`revoke update, delete on ${ADDED_TO.join(', ')} from ${to}`, [])
    })
  } catch (error) {
    if (error instanceof DatabaseUnavailable) {
      const why = errorMessage(error.cause)
      throw new BadSetting(`The database at DATABASE_OWNER_URL cannot be reached: ${why}`)
    }
    if (!isSqlError(error)) throw error
    throw new BadSetting(`DATABASE_OWNER_URL: the database rejected it: ${errorMessage(error)}`)
  } finally {
    await owner.close()
  }
}

/** What the service signs in as. */
export async function roleOf(service: DatabaseServer): Promise<Role> {
  const session = await service.acquirePatient()
  const asked = session.query(
    'select quote_ident(current_user) as quoted, current_user as name',
    [],
  )
  const [role] = (await asked.finally(() => session.release(true))).rows
  return { name: String(role?.name), quoted: String(role?.quoted) }
}

/** The role of the service has to be a lesser one than the owner's. */
export async function rejectOwner({ name }: Role, owner: Session): Promise<void> {
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
}
