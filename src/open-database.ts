import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Settings } from './core/settings.ts'
import { BadSetting } from './core/settings.ts'
import { openEmbedded } from './db/embedded.ts'
import { type FolderLock, lockFolder } from './db/folder-lock.ts'
import { NewerSchema } from './db/migrate.ts'
import { connectPostgres } from './db/postgres.ts'
import { type DatabaseServer, DatabaseUnavailable, isSqlError } from './db/server.ts'
import { errorMessage } from './lib/error-message.ts'

export async function openDatabase({
  databaseUrl,
  databaseOwnerUrl,
  databasePoolSize,
  dataDir,
  baseUrl,
}: Settings): Promise<{ server: DatabaseServer; lock: FolderLock | null }> {
  if (databaseUrl) {
    checkFiles('DATABASE_URL', databaseUrl)
    if (databaseOwnerUrl) checkFiles('DATABASE_OWNER_URL', databaseOwnerUrl)
    return { server: connectPostgres(databaseUrl, databasePoolSize), lock: null }
  }
  const folder = realpathSync(dataDir)
  const lock = lockFolder(folder, `process ${process.pid}, serving ${baseUrl}`)
  const database = join(folder, 'database')
  keepToOwner(database)
  return { server: await openEmbedded(database), lock }
}

/** A URL may name certificates, which are read again for each connection, and are no part of DATA_DIR. */
function checkFiles(setting: string, connectionString: string): void {
  try {
    void new pg.Client({ connectionString })
  } catch (error) {
    throw new BadSetting(`${setting}: ${errorMessage(error)}`)
  }
}

/** PGlite makes files that everybody may write, also in a data folder that everybody may enter. */
function keepToOwner(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    chmodSync(folder, 0o700)
  } catch {
    // Of another owner, or on a file system without modes: then it stays as open as it was made.
  }
}

/** What a start failed with: one line where it is the database, which an operator can mend. */
export function databaseProblem(error: unknown, { databaseUrl, dataDir }: Settings): unknown {
  if (error instanceof NewerSchema) {
    return new BadSetting(
      `The database belongs to a newer version, which made ${error.message} in it. ` +
        'Start that version, or restore the backup from before its first start.',
    )
  }
  if (!(error instanceof DatabaseUnavailable) && !isSqlError(error)) return error
  if (databaseUrl !== undefined) return new BadSetting(databaseReason('DATABASE_URL', error))
  const why = errorMessage(error instanceof DatabaseUnavailable ? error.cause : error)
  return new BadSetting(
    `The embedded database in ${join(dataDir, 'database')} cannot be opened: ${why}. ` +
      'Look whether its disk is full. If its files are damaged, take the data folder from a backup.',
  )
}

/** Why the PostgreSQL database of a setting cannot be used, and what to do where that is known. */
export function databaseReason(
  setting: 'DATABASE_URL' | 'DATABASE_OWNER_URL',
  error: unknown,
): string {
  const isAway = error instanceof DatabaseUnavailable
  const cause = isAway ? error.cause : error
  const what = !isAway
    ? `The database at ${setting} rejected a statement`
    : isSqlError(cause)
      ? `The server at ${setting} rejected the connection`
      : `The database at ${setting} cannot be reached`
  const remedy = remedyOf(setting, (cause as NodeJS.ErrnoException).code)
  const why = errorMessage(cause)
  return remedy === undefined ? `${what}: ${why}` : `${what}: ${why}. ${remedy}`
}

/** By SQLSTATE (PostgreSQL, Appendix A), or the code of a connection that failed. */
function remedyOf(setting: string, code: string | undefined): string | undefined {
  switch (code) {
    case '28P01':
    case '28000':
      return 'Check the user and the password in it, and pg_hba.conf of the server.'
    case '3D000':
      return 'Create it with createdb, or name another.'
    case '53300':
      return 'Raise the limit of connections, or lower DATABASE_POOL_SIZE.'
    case '42501':
      return setting === 'DATABASE_URL'
        ? 'Its role needs CREATE on the schema public and must own the tables; or set DATABASE_OWNER_URL to the role that does.'
        : 'Its role needs CREATE on the schema public and must own the tables.'
    case '25006':
      return 'Name the primary, and reset default_transaction_read_only of the role and the database.'
    case '22P05':
      return 'Create the database with the encoding UTF8.'
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'Name a file with the certificate of its authority in the URL: sslrootcert=FILE.'
    default:
      return undefined
  }
}
