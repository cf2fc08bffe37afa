import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock } from 'fs-native-extensions'

export interface FolderLock {
  release(): void
}

/** Another process has the folder; the message says which. */
export class FolderTaken extends Error {}

/**
 * Takes a folder for this process alone. PGlite itself does not: two processes on one folder destroy
 * each other's rows. The operating system holds the lock, so it is gone with the process, however
 * that ends.
 */
export function lockFolder(folder: string, holder: string): FolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const file = openSync(path, 'a+', 0o600)
  if (!tryLock(file)) {
    closeSync(file)
    const taken = readFileSync(path, 'utf8').trim()
    throw new FolderTaken(
      `The folder ${folder} is in use by ${taken || 'another process'}. ` +
        'The embedded database takes one process only: stop that one, or set DATA_DIR to another folder.',
    )
  }
  ftruncateSync(file)
  writeSync(file, holder)
  return { release: () => closeSync(file) }
}
