import { join } from 'node:path'
import { keyIn, migrateDatabase, proveKey } from '../context.ts'
import { BadSetting, readSettings, type Settings } from '../core/settings.ts'
import { FolderTaken } from '../db/folder-lock.ts'
import type { DatabaseServer } from '../db/server.ts'
import { inTransaction } from '../db/transaction.ts'
import { type Forgotten, forgetSecrets } from '../domain/secrets/forget-secrets.ts'
import { systemClock } from '../lib/clock.ts'
import { createSecretBox } from '../lib/secret-box.ts'
import { databaseProblem, openDatabase } from '../open-database.ts'
import { Failed, type Terminal } from './terminal.ts'

/** Lets a database whose key was lost go on with the one that is set. */
export async function forget({ print }: Pick<Terminal, 'print'>): Promise<void> {
  const settings = readSettings(process.env)
  try {
    const { server, lock } = await openDatabase(settings)
    try {
      print(await forgetIn(server, settings))
    } finally {
      await server.close()
      lock?.release()
    }
  } catch (error) {
    const problem = databaseProblem(error, settings)
    if (problem instanceof BadSetting || problem instanceof FolderTaken) {
      throw new Failed(`error: ${problem.message}`)
    }
    throw problem
  }
}

async function forgetIn(server: DatabaseServer, settings: Settings): Promise<Forgotten> {
  await migrateDatabase(settings, server)
  const { secretsKeys, dataDir } = settings
  const [first, ...older] = secretsKeys ?? [keyIn(join(dataDir, 'secrets.key'))]
  const secrets = createSecretBox(first, ...older)
  return await inTransaction({ server }, async (tx) => {
    const forgotten = await forgetSecrets({ tx, now: systemClock.now(), app: { secrets } })
    await proveKey(tx, secrets)
    return forgotten
  })
}
