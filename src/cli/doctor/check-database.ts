import { accessSync, constants, existsSync, mkdirSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { fitsProof, keyIn } from '../../context.ts'
import type { Settings } from '../../core/settings.ts'
import { openEmbedded } from '../../db/embedded.ts'
import { type FolderLock, FolderTaken, lockFolder } from '../../db/folder-lock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { type Finding, finding } from './finding.ts'

const { ok, problem } = finding('database')
const LITTLE_SPACE = 2 ** 30

/** The folder of the embedded database, which is opened only while no service has it. */
export async function checkFolder(settings: Settings): Promise<Finding[]> {
  const { dataDir: folder, secretsKeys } = settings
  const database = join(folder, 'database')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    return [problem(`DATA_DIR ${folder} cannot be written: ${errorMessage(error)}`)]
  }
  const { bavail, bsize } = statfsSync(folder)
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
  let lock: FolderLock
  try {
    lock = lockFolder(folder, `process ${process.pid}, which looks for problems`)
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error
    const unknown = secretsKeys ? ', so that SECRETS_KEY could not be checked' : ''
    const holder = readFileSync(join(folder, 'lock'), 'utf8')
    return [ok(`embedded, in ${folder}; open in ${holder}${unknown}`)]
  }
  try {
    const proof = existsSync(join(database, 'PG_VERSION')) ? await proofIn(database) : undefined
    if (!keyFits(proof, settings)) return [problem(WRONG_KEY)]
    return [ok(`embedded, in ${folder}; no service has it open`)]
  } catch (error) {
    return [problem(`The database in ${folder} cannot be opened: ${errorMessage(error)}`)]
  } finally {
    lock.release()
  }
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

export const WRONG_KEY =
  'SECRETS_KEY does not fit this database, or is missing: its secrets were sealed with another key. Set it to that key.'

export const PROOF = "select value from installation where name = 'secrets_key'"

export function keyFits(proof: string | undefined, { secretsKeys, dataDir }: Settings): boolean {
  if (proof === undefined) return true
  const file = join(dataDir, 'secrets.key')
  if (!secretsKeys && !existsSync(file)) return false
  const [first, ...older] = secretsKeys ?? [keyIn(file)]
  return first !== undefined && fitsProof(createSecretBox(first, ...older), proof)
}
