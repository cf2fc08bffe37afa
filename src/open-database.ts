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
  const isAway = error instanceof DatabaseUnavailable
  if (!isAway && !isSqlError(error)) return error
  const why = errorMessage(isAway ? error.cause : error)
  if (databaseUrl === undefined) {
    return new BadSetting(
      `The embedded database in ${join(dataDir, 'database')} cannot be opened: ${why}. ` +
        'Look whether its disk is full. If its files are damaged, take the data folder from a backup.',
    )
  }
  return new BadSetting(
    isAway
      ? `The database at DATABASE_URL cannot be reached: ${why}`
      : `The database rejected it: ${why}`,
  )
}
