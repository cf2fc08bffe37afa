import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
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
    throw takenError(folder)
  }
  ftruncateSync(file)
  writeSync(file, holder)
  return { release: () => closeSync(file) }
}

/** Keeps others from taking a folder, and changes nothing in it. */
export function holdFolder(folder: string): FolderLock {
  const path = join(folder, 'lock')
  if (!existsSync(path)) return { release() {} }
  const file = openSync(path, 'r')
  if (!tryLock(file, { shared: true })) {
    closeSync(file)
    throw takenError(folder)
  }
  return { release: () => closeSync(file) }
}

function takenError(folder: string): FolderTaken {
  const taken = readFileSync(join(folder, 'lock'), 'utf8').trim()
  return new FolderTaken(
    `The folder ${folder} is in use by ${taken || 'another process'}. ` +
      'The embedded database takes one process only: stop that one, or set DATA_DIR to another folder.',
  )
}
