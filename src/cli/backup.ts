import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fitsProof, presentKeys } from '../context.ts'
import { readSettings, type Settings } from '../core/settings.ts'
import { openEmbedded, restoreEmbedded } from '../db/embedded.ts'
import { FolderTaken, lockFolder } from '../db/folder-lock.ts'
import { DatabaseUnavailable } from '../db/server.ts'
import { errorMessage } from '../lib/error-message.ts'
import { createSecretBox } from '../lib/secret-box.ts'
import { Failed, placeOf, type Terminal } from './terminal.ts'

/** Writes all that the running service has committed to a file that only its owner can read. */
export async function backUp({ ask, print }: Terminal, out: string): Promise<void> {
  const { file, ...rest } = (await ask('POST', '/backups', {})) as { file: string }
  keep(placeOf(out), Buffer.from(file, 'base64'))
  print(rest)
}

/** Whole or not at all: what a run that was killed left of it has another name, and is replaced. */
function keep(path: string, bytes: Uint8Array): void {
  const draft = `${path}.part`
  try {
    if (existsSync(path)) throw new Error('it exists')
    rmSync(draft, { force: true })
    writeFileSync(draft, bytes, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new Failed(`error: ${path} cannot be written: ${errorMessage(error)}`)
  }
}

/** Puts a backup into a data folder that has no database, while no service runs on it. */
export async function restore({ print }: Pick<Terminal, 'print'>, file: string): Promise<void> {
  const settings = readSettings(process.env)
  if (settings.databaseUrl) {
    throw new Failed('error: DATABASE_URL is set: restore PostgreSQL with its own tools')
  }
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  const folder = realpathSync(settings.dataDir)
  const lock = taken(folder)
  try {
    await load(settings, folder, file)
  } finally {
    lock.release()
  }
  print({ restored: true, folder })
}

function taken(folder: string) {
  try {
    return lockFolder(folder, `process ${process.pid}, which restores a backup`)
  } catch (error) {
    if (error instanceof FolderTaken) throw new Failed(`error: ${error.message}`)
    throw error
  }
}

async function load(settings: Settings, folder: string, file: string): Promise<void> {
  const database = join(folder, 'database')
  if (existsSync(database) && readdirSync(database).length > 0) {
    throw new Failed(`error: ${database} exists: move it away, or set DATA_DIR to another folder`)
  }
  const dump = unpacked(file)
  // In memory first: a backup that does not open, or that no key fits, leaves the folder as it was.
  const tried = await openEmbedded('memory://', dump).catch(() => {
    throw new Failed(`error: ${file} is damaged, or is not a backup`)
  })
  const { rows } = await tried.query(
    "select value from installation where name = 'secrets_key'",
    [],
  )
  await tried.close()
  const [first, ...older] = presentKeys(settings)
  if (!first || !fitsProof(createSecretBox(first, ...older), String(rows[0]?.value))) {
    throw new Failed(
      `error: the key of this backup is ${first ? 'another' : 'missing'}: set SECRETS_KEY to it, or put its secrets.key into ${folder}`,
    )
  }
  try {
    await restoreEmbedded(database, dump)
  } catch (error) {
    const why = error instanceof DatabaseUnavailable ? error.cause : error
    throw new Failed(`error: ${database} cannot be made: ${errorMessage(why)}`)
  }
}

function unpacked(file: string): Uint8Array {
  try {
    return gunzipSync(readFileSync(placeOf(file)))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Failed(
      code === 'ENOENT'
        ? `error: there is no file ${file}`
        : `error: ${file} is damaged, or is not a backup`,
    )
  }
}
