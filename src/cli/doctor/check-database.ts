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
import { fitsProof, presentKeys } from '../../context.ts'
import type { Settings } from '../../core/settings.ts'
import { openEmbedded } from '../../db/embedded.ts'
import { FolderTaken, holdFolder } from '../../db/folder-lock.ts'
import { missingMigrations, NewerSchema } from '../../db/migrate.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { type Finding, finding } from './finding.ts'

const { ok, warning, problem } = finding('database')
const LITTLE_SPACE = 2 ** 30

/** The folder of the embedded database. While no service has it a copy is opened, since to open it is to write to it. */
export async function checkFolder(settings: Settings): Promise<Finding[]> {
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
    const { proof, newer } = await read(copy)
    if (newer) return [problem(newerDatabase(newer))]
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

/** The proof of the key in a database, and the migration that a newer version made in it, if there are any. */
async function read(database: string): Promise<{ proof?: string; newer?: string }> {
  const server = await openEmbedded(database)
  try {
    const { rows } = await server.query("select to_regclass('installation') as made", [])
    if (rows[0]?.['made'] === null) return {}
    const applied = await server.query('select name from migrations', [])
    await missingMigrations(applied.rows.map(({ name }) => String(name)))
    const found = await server.query(PROOF, [])
    const proof = found.rows[0]?.['value'] as string | undefined
    return proof === undefined ? {} : { proof }
  } catch (error) {
    if (error instanceof NewerSchema) return { newer: error.message }
    throw error
  } finally {
    await server.close()
  }
}

export function newerDatabase(migration: string): string {
  return `The database belongs to a newer version, which made ${migration} in it: start that version.`
}

export const WRONG_KEY =
  'SECRETS_KEY does not fit this database, or is missing: its secrets were sealed with another key. Set it to that key.'

export const PROOF = "select value from installation where name = 'secrets_key'"

export function keyFits(proof: string | undefined, settings: Settings): boolean {
  if (proof === undefined) return true
  const [first, ...older] = presentKeys(settings)
  return first !== undefined && fitsProof(createSecretBox(first, ...older), proof)
}
