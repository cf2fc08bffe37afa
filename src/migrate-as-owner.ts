import { BadSetting } from './core/settings.ts'
import { migrate } from './db/migrate.ts'
import { connectPostgres } from './db/postgres.ts'
import { type DatabaseServer, DatabaseUnavailable, isSqlError } from './db/server.ts'
import { databaseReason } from './open-database.ts'

/** Only ever added to, whatever else happens. */
export const ADDED_TO = ['audit_entries']

interface Role {
  name: string
  quoted: string
  /** The database that it is signed in to. */
  place: string
}

/** A database of a server, which two URLs may name in different words. */
const PLACE = "current_database() || ' since ' || extract(epoch from pg_postmaster_start_time())"

/**
 * Migrates as the owner of the tables, and gives the role of the service what it needs: it can read and write rows, and
 * cannot change tables, nor switch off the triggers that keep the audit log and the ledger append-only.
 */
export async function migrateAsOwner(ownerUrl: string, service: DatabaseServer): Promise<void> {
  const role = await roleOf(service)
  const owner = connectPostgres(ownerUrl, 1)
  try {
    await rejectOwner(role, owner)
    // Behind the same lock: PostgreSQL ends one of two grants on a table that meet.
    await migrate(owner, async (session) => {
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
    if (!(error instanceof DatabaseUnavailable) && !isSqlError(error)) throw error
    throw new BadSetting(databaseReason('DATABASE_OWNER_URL', error))
  } finally {
    await owner.close()
  }
}

/** What the service signs in as, and where. */
export async function roleOf(service: DatabaseServer): Promise<Role> {
  const session = await service.acquirePatient()
  const asked = session.query(
    `select quote_ident(current_user) as quoted, current_user as name, ${PLACE} as place`,
    [],
  )
  const [role] = (await asked.finally(() => session.release(true))).rows
  return { name: String(role?.name), quoted: String(role?.quoted), place: String(role?.place) }
}

/** The owner has to make and change the tables that the service uses, and the role of the service be a lesser one. */
export async function rejectOwner(service: Role, owner: DatabaseServer): Promise<void> {
  const session = await owner.acquirePatient()
  const asked = session.query(
    `select current_user as name, ${PLACE} as place,
      has_schema_privilege(current_user, 'public', 'create') as may_create,
      (select pg_get_userbyid(relowner) from pg_class
        where oid = to_regclass('migrations') and not pg_has_role(relowner, 'usage')) as table_owner,
      (select rolsuper or pg_has_role(rolname, current_user, 'member')
        from pg_roles where rolname = $1) as may_all`,
    [service.name],
  )
  const [found] = (await asked.finally(() => session.release(true))).rows
  if (found?.place !== service.place) {
    throw new BadSetting(
      'DATABASE_OWNER_URL and DATABASE_URL are two databases: both must name the same one.',
    )
  }
  if (found.may_create !== true) {
    throw new BadSetting(
      `DATABASE_OWNER_URL: the role ${String(found.name)} may not create tables. ` +
        'Grant it CREATE on the schema public; if it is the one for the service, swap the two URLs.',
    )
  }
  if (typeof found.table_owner === 'string') {
    throw new BadSetting(
      `DATABASE_OWNER_URL: the tables belong to the role ${found.table_owner}, and not to ${String(found.name)}. ` +
        'Name the role that owns them.',
    )
  }
  if (found.may_all !== false) {
    throw new BadSetting(
      `DATABASE_OWNER_URL: the role ${service.name} of DATABASE_URL is a superuser or the owner itself. ` +
        'Create another role for the service.',
    )
  }
}
